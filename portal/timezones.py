"""The zone that a page's dates are in: the browser's own, which a script tells in a cookie; UTC without one."""

import zoneinfo
from collections.abc import Callable
from functools import lru_cache

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

COOKIE = "zone"


class TimeZoneMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(zone_of(request.COOKIES.get(COOKIE, ""))):
            return self.get_response(request)


@lru_cache(maxsize=64)
def zone_of(name: str) -> zoneinfo.ZoneInfo | None:
    """Find a zone by its name; None, which means UTC, for whatever is none."""
    try:
        return zoneinfo.ZoneInfo(name) if 0 < len(name) <= 64 else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
