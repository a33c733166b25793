"""The way to the OpenID Connect provider and back. allauth is loaded by the first who goes it."""

import logging
from types import ModuleType

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

log = logging.getLogger(__name__)


@never_cache
@require_GET
def openid_connect_login(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _go(request, "login", provider_id)


@never_cache
@require_GET
def openid_connect_callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _go(request, "callback", provider_id)


def _go(request: HttpRequest, step: str, provider_id: str) -> HttpResponse:
    """Take a step with allauth; a provider that is away or talks nonsense leads back to the sign-in page, which says so."""
    from requests import RequestException

    try:
        answer: HttpResponse = getattr(_allauth(), step)(request, provider_id)
    except (RequestException, KeyError, ValueError) as error:
        log.warning("The OpenID Connect provider %s failed: %s", settings.OIDC_ISSUER, error)
        messages.error(request, _("The provider could not be reached. Try again, or sign in with a password."))
        return redirect("sign_in")
    return answer


def _allauth() -> ModuleType:
    if not settings.OIDC_ISSUER:
        raise Http404("Sign-in by OIDC is not set up.")
    from allauth.socialaccount.providers.openid_connect import views

    return views  # type: ignore[no-any-return]
