"""Monitor → Overview: how hooks fared in a period, and what needs attention. Period and custom agent are in the query string."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from hooks.services.attention import needs_attention
from hooks.services.overview import PERIODS, read_overview
from portal.health import Check, ask
from portal.pages import PageRequest, page

WORDS = {
    "1h": (_("1 h"), _("the last hour"), _("per 5 minutes"), _("the hour before"), "H:i"),
    "24h": (_("24 h"), _("the last 24 hours"), _("per hour"), _("the day before"), "H:i"),
    "7d": (_("7 d"), _("the last 7 days"), _("per 6 hours"), _("the week before"), "D H:i"),
    "30d": (_("30 d"), _("the last 30 days"), _("per day"), _("the 30 days before"), "j M"),
    "90d": (_("90 d"), _("the last 90 days"), _("per 3 days"), _("the 90 days before"), "j M"),
}
PARTS = {
    "broker": _("Message broker"),
    "worker": _("Workers"),
    "sandbox": _("Sandbox"),
    "model": _("Model"),
}
USUAL = "24h"


@page("read", section="overview")
def overview(request: PageRequest) -> HttpResponse:
    key, owner = _asked(request)
    agent = request.frame.agent
    parts = _parts()
    shown = read_overview(agent=agent, period=PERIODS[key], custom_agent=owner)
    said, per, before, form = WORDS[key][1:]
    context = {
        "overview": shown,
        "said": said,
        "per": per,
        "before": before,
        "form": form,
        "periods": [_choice(request, key, owner, period=one) for one in PERIODS],
        "scopes": _scopes(request, key, owner),
        "attention": needs_attention(agent=agent, ran=shown.ran),
        "parts": parts,
        "down": [(name, check) for name, check in parts if check.needed and not check.ok],
        "joint": "&" if not agent.is_default else "?",
    }
    return render(request, "hooks/overview.html", context)


def _asked(request: PageRequest) -> tuple[str, str | None]:
    """Read the query string; what it does not know shows the usual."""
    key, owner = request.GET.get("period", USUAL), request.GET.get("customAgent")
    return key if key in PERIODS else USUAL, None if owner is None else owner.replace("\x00", "")[:64]


def _choice(request: PageRequest, key: str, owner: str | None, *, period: str) -> dict[str, Any]:
    return {"word": WORDS[period][0], "href": _address(request, period, owner), "chosen": period == key}


def _scopes(request: PageRequest, key: str, owner: str | None) -> list[dict[str, Any]]:
    """Whom one can look at: everyone, the agent itself, each of its custom agents."""
    agent = request.frame.agent
    names = agent.custom_agents.order_by("name").values_list("name", flat=True)
    choices = [(None, _("All custom agents")), ("", agent.name), *((name, name) for name in names)]
    return [{"word": word, "href": _address(request, key, value), "chosen": value == owner} for value, word in choices]


def _address(request: PageRequest, period: str, owner: str | None) -> str:
    agent = request.frame.agent
    parts = {} if agent.is_default else {"agent": agent.name}
    parts |= {} if period == USUAL else {"period": period}
    parts |= {} if owner is None else {"customAgent": owner}
    return "?" + urlencode(parts)


def _parts() -> list[tuple[Any, Check]]:
    """Ask every part of the portal how it is, as /readyz does, but for the database, which this page comes from."""
    places = {name: place for name, place in settings.READINESS_CHECKS.items() if name in PARTS}
    return [(PARTS[name], ask(import_string(place))) for name, place in places.items()]
