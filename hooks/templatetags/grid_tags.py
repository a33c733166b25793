"""Tags of the grid of hooks: heads of columns that sort, a week of blocks as bars, links to what there is of a hook."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django import template
from django.template import Context
from django.urls import NoReverseMatch
from django.utils.formats import date_format
from django.utils.translation import ngettext

from hooks.gridquery import Column
from hooks.models import Hook
from hooks.services.grid import days
from portal.templatetags.pages import address
from portal.translated import _

register = template.Library()
HEIGHT, STEP, WIDTH = 19, 9.4, 7.4
LINKS = (
    ("hooks:edit", _("Edit"), "pencil"),
    ("hooks:clone", _("Clone"), "copy"),
    ("hooks:history", _("History"), "clock-history"),
)


@register.inclusion_tag("hooks/_column.html")
def column(columns: Mapping[str, Column], name: str, word: str, look: str, label: str = "") -> dict[str, Any]:
    return {"column": columns[name], "name": name, "word": word, "class": look, "label": label}


@register.inclusion_tag("hooks/_spark.html")
def spark(counts: Sequence[int]) -> dict[str, Any]:
    """Draw a number per day, today's last, as bars on the scale of the highest; what they say is in words beside."""
    total, top = sum(counts), max(counts, default=0)
    said = ngettext("{count} block in 7 days", "{count} blocks in 7 days", total).format(count=total)
    told = [f"{_short(day)} {count}" for day, count in zip(days(), counts, strict=True) if count]
    return {
        "total": total,
        "bars": "".join(_bar(place, count / top) for place, count in enumerate(counts) if count),
        "said": f"{said}: {', '.join(told)}" if told else said,
        "words": f"blocks{': ' + ', '.join(told) if told else ''}",
    }


@register.inclusion_tag("hooks/_row_links.html", takes_context=True)
def row_links(context: Context, hook: Hook) -> dict[str, Any]:
    """Link to the pages that there are about a hook."""
    found = []
    for name, word, image in LINKS:
        try:
            found.append((address(context["request"], name, hook.name), word, image))
        except NoReverseMatch:
            continue
    return {"links": found}


def _bar(place: int, share: float) -> str:
    height = max(2.0, share * HEIGHT)
    return f"M{place * STEP:.1f} 20v-{height:.1f}h{WIDTH}v{height:.1f}z"


def _short(day: date) -> str:
    return date_format(day, "j M")
