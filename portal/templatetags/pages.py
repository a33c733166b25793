"""Tags and filters of every page."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.http import QueryDict
from django.template import Context
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.shown import clamped, sentence
from portal.themes import THEMES, theme_of
from portal.troubles import Trouble, watch

register = template.Library()
register.filter("clamped", clamped)
register.simple_tag(sentence, name="sentence")

HTMX = {
    "includeIndicatorStyles": False,
    "allowEval": False,
    "selfRequestsOnly": True,
    "historyCacheSize": 0,
    "refreshOnHistoryMiss": True,
    # Without "style": the CSP refuses to have that attribute set.
    "attributesToSettle": ["class", "width", "height"],
    "responseHandling": [
        {"code": "204", "swap": False},
        {"code": "[23]..", "swap": True},
        {"code": "409|422", "swap": True},
        {"code": "[45]..", "swap": False, "error": True},
    ],
}
UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """Draw an icon of the sprite. It is always beside a word, or on a button that has a label."""
    return format_html('<svg class="i {}" aria-hidden="true"><use href="#i-{}"/></svg>', extra, name)


@register.simple_tag(takes_context=True)
def link(context: Context, name: str, *args: Any) -> str:
    """Reverse a URL, for the agent that the page is about."""
    return address(context["request"], name, *args)


@register.simple_tag(takes_context=True)
def link_with(context: Context, name: str, *args: Any, **query: Any) -> str:
    """Reverse a URL as `link` does, with a query string."""
    return address(context["request"], name, *args, query=query)


def address(request: Any, name: str, *args: Any, query: Mapping[str, Any] | None = None) -> str:
    """Reverse a URL, with `?agent=` unless the default agent would serve anyway."""
    path, frame = reverse(name, args=args), getattr(request, "frame", None)
    asked = QueryDict(mutable=True)
    asked.update({key: str(value) for key, value in (query or {}).items()})
    if frame is not None and not frame.agent.is_default:
        asked["agent"] = frame.agent.name
    return f"{path}?{asked.urlencode()}" if asked else path


@register.filter
def item(mapping: Mapping[str, str], key: str) -> str:
    return mapping.get(key, "")


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """Say how long ago something was, with the exact time as title."""
    if moment is None:
        return "–"
    seconds = max(0, int((timezone.now() - moment).total_seconds()))
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), (1, "s"))
    exact = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        exact.isoformat(),
        f"{exact:%Y-%m-%d %H:%M:%S %Z}",
        _("{count} {unit} ago").format(count=seconds // size, unit=_(unit)),
    )


@register.filter
def ahead(moment: datetime) -> SafeString:
    """Say how long it is until something, with the exact time as title."""
    seconds = max(0, int((moment - timezone.now()).total_seconds()))
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), (1, "s"))
    exact = timezone.localtime(moment)
    written = f"{exact:%Y-%m-%d %H:%M:%S %Z}"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        exact.isoformat(),
        written,
        _("in {count} {unit}").format(count=round(seconds / size), unit=_(unit)),
    )


@register.filter
def duration(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "–"
    if milliseconds >= 10_000:
        return f"{milliseconds / 1000:.0f} s"
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds:.0f} ms"


@register.simple_tag(takes_context=True)
def theme_attributes(context: Context) -> SafeString:
    """Write what the root element needs. Of the system's choice only the browser knows; a script then sets it."""
    chosen = theme(context)
    return format_html('data-bs-theme="{}" data-theme="{}"', "dark" if chosen == "dark" else "light", chosen)


@register.simple_tag(takes_context=True)
def theme(context: Context) -> str:
    request = context.get("request")
    return theme_of(request) if request is not None else "system"


@register.simple_tag
def themes() -> dict[str, str]:
    return THEMES


@register.simple_tag
def troubles() -> list[Trouble]:
    return watch.troubles()


@register.simple_tag
def htmx_config() -> str:
    """Configure htmx: no inline style or script, and refused forms (409, 422) swapped like accepted ones."""
    return json.dumps(HTMX)


@register.inclusion_tag("portal/_side_entry.html", takes_context=True)
def side_entry(context: Context, section: str, name: str, label: str, image: str) -> dict[str, Any]:
    """Draw an entry of the sidebar; nothing where there is no such page."""
    request = context["request"]
    try:
        href = address(request, name)
    except NoReverseMatch:
        href = ""
    here, count = request.frame.section == section, request.frame.counts.get(section)
    return {"href": href, "label": label, "image": image, "here": here, "count": count}
