"""Quick search: hooks, custom agents and evaluations of the agent, a few of each."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from agents.models import CustomAgent
from hooks.models import Evaluation, Hook
from hooks.services.finding import known_evaluations, named_hooks
from hooks.words import EVENT_ICONS, badge_of
from portal.http import wants_fragment
from portal.pages import PageRequest, page
from portal.templatetags.pages import address

TEXT_LIMIT = 200
OF_EACH, ON_PAGE = 5, 25


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: a line, and a smaller one that says what it is."""

    href: str
    icon: str
    title: str
    about: str


@page("read")
def search(request: PageRequest) -> HttpResponse:
    """Answer a page; to htmx the list that the field opens."""
    text = request.GET.get("q", "").replace("\x00", "").strip()[:TEXT_LIMIT]
    short = wants_fragment(request)
    groups = find(request, text, OF_EACH if short else ON_PAGE) if text else []
    shown = {"text": text, "groups": groups, "count": sum(len(hits) for _, hits in groups)}
    return render(request, "agents/_search.html" if short else "agents/search.html", shown)


def find(request: PageRequest, text: str, limit: int) -> list[tuple[str, list[Hit]]]:
    """Search in each kind of thing; a kind without a result is left out."""
    agent = request.frame.agent
    customs = agent.custom_agents.filter(name__icontains=text).only("name", "agent_id").order_by("name")[:limit]
    found = [
        ("Hooks", [_hook(request, one) for one in named_hooks(agent=agent, text=text, limit=limit)]),
        (_("Custom agents"), [_custom(request, one) for one in customs]),
        ("Evaluations", [_evaluation(request, one) for one in known_evaluations(agent=agent, text=text, limit=limit)]),
    ]
    return [group for group in found if group[1]]


def _hook(request: PageRequest, hook: Hook) -> Hit:
    off = "" if hook.enabled else ", disabled"
    if custom := hook.custom_agent:
        href = address(request, "agents:hooks", custom.name)
        return Hit(href, EVENT_ICONS.get(hook.event, "circle"), hook.name, f"{hook.event} hook of {custom.name}{off}")
    href = address(request, "hooks:edit", hook.name)
    return Hit(href, EVENT_ICONS.get(hook.event, "circle"), hook.name, f"{hook.event} hook{off}")


def _custom(request: PageRequest, custom: CustomAgent) -> Hit:
    return Hit(address(request, "agents:edit", custom.name), "diagram-3", custom.name, _("Custom agent"))


def _evaluation(request: PageRequest, one: Evaluation) -> Hit:
    badge: Any = badge_of(one.decision, one.event)
    what = f"{one.event} of {one.tool_name}" if one.tool_name else one.event
    about = f"{what}, {badge.word.lower()}, {one.created_at:%Y-%m-%d %H:%M}"
    title = f"{one.pk} in {one.thread_key}" if one.thread_key else one.pk
    return Hit(address(request, "hooks:evaluation", one.pk), badge.icon, title, about)
