"""The language of pages: what was chosen, else what the browser asks for. The API speaks English alone."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

API = "/api/"


class LanguageMiddleware(LocaleMiddleware):
    """Activates a language for pages. Programs compare the API's words, so those do not depend on who asks."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(API):
            translation.activate("en")
        else:
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return response
        return super().process_response(request, response)


def remember(response: HttpResponse, code: str) -> None:
    """Keep a choice for a year, where it is one of the portal's languages."""
    if code in dict(settings.LANGUAGES):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            code,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            samesite="Lax",
            secure=settings.LANGUAGE_COOKIE_SECURE,
        )
