"""History of a custom agent: its audit events, each with what differs by field."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse

from agents.linediff import Line, compare
from agents.views.pages import find, tab
from hooks.engine import yamldoc
from portal.audit.diff import diff
from portal.audit.models import AuditEvent
from portal.pages import PageRequest, page

SHOWN = 20
FIELDS = 40
ASIDE = ("version",)  # it changes with every change


@dataclass(frozen=True, slots=True)
class Change:
    event: AuditEvent
    fields: list[tuple[str, list[Line]]]
    more: int

    @property
    def version(self) -> Any:
        return (self.event.after or self.event.before or {}).get("version")


@page("read", section="custom_agents")
def history(request: PageRequest, name: str) -> HttpResponse:
    found = find(request, name)
    events = AuditEvent.objects.filter(
        object_type="custom agent", object_key=str(found.pk), agent_name=request.frame.agent.name
    ).order_by("-sequence")
    given = request.GET.get("before", "")
    if given.isdecimal() and len(given) < 16:
        events = events.filter(sequence__lt=int(given))
    rows = list(events[: SHOWN + 1])
    older = rows[SHOWN - 1].sequence if len(rows) > SHOWN else None
    shown = {"made": [_change(event) for event in rows[:SHOWN]], "older": older}
    return tab(request, "history", found, shown)


def _change(event: AuditEvent) -> Change:
    if event.before is None or event.after is None:
        return Change(event, [], 0)
    differs = [one for one in diff(event.before, event.after) if one["path"] not in ASIDE]
    fields = [(one["path"].removeprefix("properties."), _lines(one)) for one in differs[:FIELDS]]
    return Change(event, fields, max(0, len(differs) - FIELDS))


def _lines(one: dict[str, Any]) -> list[Line]:
    lines = compare(_text(one["before"]), _text(one["after"]))
    return [line for line in lines if line.sign != "@"] if len(lines) < 4 else lines


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else yamldoc.dump(value).removesuffix("...\n")
