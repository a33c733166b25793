"""Light, dark, or what the system says."""

from django.http import HttpRequest

COOKIE = "theme"
THEMES = {"light": "Light", "dark": "Dark", "system": "System"}


def theme_of(request: HttpRequest) -> str:
    chosen = request.COOKIES.get(COOKIE, "")
    return chosen if chosen in THEMES else "system"
