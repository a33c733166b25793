"""How much of a body is taken, before any of it is read."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from portal.http import for_programs, last_resort

SIGNED_OUT_LIMIT = 64 * 1024  # bytes: who is nobody yet posts a name and a password


class BodyLimitMiddleware:
    """Refuses by the length that a request announces. One that announces none has, for a page, no body.

    Below /api/ the views ask themselves, since they read a body only after they know whose it is.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        length = announced(request)
        if length > SIGNED_OUT_LIMIT and not for_programs(request):
            known = getattr(request, "user", None) is not None and request.user.is_authenticated
            if length > (settings.BODY_LIMIT if known else SIGNED_OUT_LIMIT):
                return last_resort(request, 413)
        return self.get_response(request)


def announced(request: HttpRequest) -> int:
    """The length that a request announces, in bytes; 0 where it announces none, or nonsense."""
    try:
        return max(0, int(request.META.get("CONTENT_LENGTH") or 0))
    except ValueError:
        return 0
