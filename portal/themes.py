"""Light, dark, or what the system says."""

from django.http import HttpRequest

from portal.translated import _

COOKIE = "theme"
THEMES = {"light": _("Light"), "dark": _("Dark"), "system": _("System")}


def theme_of(request: HttpRequest) -> str:
    chosen = request.COOKIES.get(COOKIE, "")
    return chosen if chosen in THEMES else "system"
