"""Signing in and out, the way home, the theme and the language."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from portal import languages
from portal.access import lockout, sessions, totp
from portal.access.views.second_factor import wait_for_code
from portal.themes import COOKIE, THEMES

YEAR = 365 * 24 * 3600


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    return redirect("hooks:index")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    onward = _own(request, request.POST.get("next") or request.GET.get("next", ""))
    if request.user.is_authenticated:
        return redirect(onward)
    form = AuthenticationForm(request, data=request.POST or None)
    name = request.POST.get("username", "").strip()
    oidc = settings.OIDC_ISSUER and settings.OIDC_NAME
    shown = {"form": form, "next": onward, "oidc": oidc, "closed": sessions.closed(request)}
    if request.method == "POST" and name and request.POST.get("password"):
        attempt = lockout.begin(request, name)
        if attempt.wait:
            return locked(request, attempt.wait, shown)
        if form.is_valid():
            lockout.succeeded(attempt)
            if totp.is_on(form.get_user()):
                return wait_for_code(request, form.get_user(), onward)
            sessions.sign_in(request, form.get_user())
            return redirect(onward)
        sessions.note_failure(request, name, locks=attempt.last)
    status = 422 if request.method == "POST" else 200
    return render(request, "portal/sign_in.html", shown, status=status)


def locked(request: HttpRequest, wait: int, shown: dict[str, Any]) -> HttpResponse:
    """Say how long to wait. The password was not looked at, so the answer tells nothing about it or the name."""
    shown = {**shown, "form": AuthenticationForm(request), "minutes": -(-wait // 60)}
    response = render(request, "portal/sign_in.html", shown, status=429)
    response["Retry-After"] = str(wait)
    return response


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    sessions.sign_out(request)
    return redirect("sign_in")


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Remember the theme in a cookie, so that the server can send the page in it and nothing flashes."""
    response = HttpResponseRedirect(_own(request, request.POST.get("next", "")), status=303)
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie(COOKIE, chosen, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    return response


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Remember the language in a cookie; the page comes again in it."""
    response = HttpResponseRedirect(_own(request, request.POST.get("next", "")), status=303)
    languages.remember(response, request.POST.get("language", ""))
    return response


def _own(request: HttpRequest, address: str) -> str:
    """Keep an address of this site; anything else leads home."""
    safe = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if safe and not any(char < " " for char in address) else resolve_url("home")
