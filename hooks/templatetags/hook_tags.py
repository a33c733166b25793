"""Tags and filters of pages about hooks."""

import json
from typing import Any

from django import template
from django.template import Context

from hooks import words
from hooks.engine.events import EVENTS
from hooks.services.killswitch import Off, hooks_off

register = template.Library()


@register.inclusion_tag("hooks/_badge.html")
def badge(decision: str, event: str = "", large: bool = False) -> dict[str, Any]:
    return {"badge": words.badge_of(decision, event), "large": large}


@register.simple_tag(takes_context=True)
def kill_switch(context: Context) -> Off | None:
    """Tell whether all hooks of the page's agent are off."""
    frame = getattr(context.get("request"), "frame", None)
    return hooks_off(frame.agent) if frame is not None else None


@register.filter
def icon_of(value: str) -> str:
    return {**words.EVENT_ICONS, **words.TYPE_ICONS}.get(value, "circle")


@register.filter
def summary_of(event: str) -> str:
    return EVENTS[event].summary if event in EVENTS else ""


@register.filter
def pretty(value: Any) -> str:
    """Write JSON for people."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


@register.filter
def as_text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else pretty(value)
