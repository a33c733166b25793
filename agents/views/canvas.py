"""The Agent Canvas: who hands over to whom, as cards or as a table, and the panel of the one that is chosen."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render

from agents.canvas import Card, handoffs_of, lay_out
from agents.views.pages import find
from hooks.engine.events import EVENTS
from hooks.models import Hook
from portal.http import wants_fragment
from portal.pages import PageRequest, page

CHIPS = {"Start": 68, "PreToolUse": 112, "PostToolUse": 118, "Stop": 66}
TOOLS = 80


@dataclass(frozen=True, slots=True)
class Facts:
    """What a card, a row of the table and the panel say of an agent; `row` is None for the agent itself."""

    name: str
    row: Any
    tools: int
    hooks: list[tuple[str, int]]
    handoffs: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def own(self) -> int:
        return sum(count for _, count in self.hooks)

    @property
    def chips(self) -> list[int]:
        return ([TOOLS] if self.tools else []) + [CHIPS.get(event, 120) for event, _ in self.hooks]


@page("read", section="custom_agents")
def index(request: PageRequest) -> HttpResponse:
    return render(request, "agents/index.html", _shown(request))


@page("read", section="custom_agents")
def show(request: PageRequest, name: str) -> HttpResponse:
    found = find(request, name)
    if wants_fragment(request):
        facts = _facts_of(request, [found], _counts(request, found))[0]
        return render(request, "agents/_panel.html", {"chosen": facts})
    return render(request, "agents/show.html", _shown(request, found.pk))


def _shown(request: PageRequest, chosen: Any = None) -> dict[str, Any]:
    agent = request.frame.agent
    rows = list(agent.custom_agents.order_by("name"))
    counts = _counts(request)
    facts = _facts_of(request, rows, counts)
    tools = {tool for row in rows for tool in _tools(row.spec)}
    root = Facts(agent.name, None, len(tools), _hooks(counts, None))
    by_key = {one.name.lower(): one for one in facts}
    layout = lay_out(
        Card("", agent.name, root.chips), [Card(key, one.name, one.chips, one.handoffs) for key, one in by_key.items()]
    )
    chosen_facts = next((one for one in facts if one.row.pk == chosen), None)
    return {
        "root": root,
        "facts": facts,
        "layout": layout,
        "cards": [(card, by_key.get(card.key, root if not card.key else None)) for card in layout.cards],
        "own": sum(one.own for one in facts),
        "table": request.GET.get("view") == "table",
        "chosen": chosen_facts,
        "chosen_key": chosen_facts.name.lower() if chosen_facts else "-",
    }


def _counts(request: PageRequest, found: Any = None) -> Counter[tuple[Any, str]]:
    hooks = Hook.objects.filter(agent=request.frame.agent)
    hooks = hooks.filter(custom_agent=found) if found else hooks
    rows = hooks.order_by().values_list("custom_agent_id", "event").annotate(count=Count("pk"))
    return Counter({(key, event): count for key, event, count in rows})


def _hooks(counts: Counter[tuple[Any, str]], key: Any) -> list[tuple[str, int]]:
    return [(event, counts[key, event]) for event in EVENTS if counts[key, event]]


def _facts_of(request: PageRequest, rows: list[Any], counts: Counter[tuple[Any, str]]) -> list[Facts]:
    known = {name.lower() for name in request.frame.agent.custom_agents.values_list("name", flat=True)}
    return [
        Facts(
            row.name,
            row,
            len(_tools(row.spec)),
            _hooks(counts, row.pk),
            handoffs := handoffs_of(row.spec),
            [name for name in handoffs if name.lower() not in known],
        )
        for row in rows
    ]


def _tools(spec: Any) -> list[str]:
    given = spec.get("tools") if isinstance(spec, dict) else None
    return [tool for tool in given if isinstance(tool, str)] if isinstance(given, list) else []
