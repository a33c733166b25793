"""What the grid of hooks shows, in four queries however many hooks there are."""

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery

from hooks.engine.events import EVENTS
from hooks.models import Hook, HookResult, Kind
from hooks.words import NOT_RUN, Badge, badge_of, type_of


@dataclass(frozen=True, slots=True)
class Row:
    hook: Hook
    last: HookResult | None

    @property
    def matcher(self) -> str:
        return self.hook.options.get("matcher", "") if EVENTS[self.hook.event].tool else ""

    @property
    def type_detail(self) -> str:
        return type_of(self.hook.options, self.hook.type)

    @property
    def fail_mode(self) -> str:
        return str(self.hook.options.get("failMode", "allow"))

    @property
    def badge(self) -> Badge:
        return badge_of(self.last.outcome, self.hook.event) if self.last else NOT_RUN

    @property
    def tested(self) -> bool:
        return self.last is not None and self.last.kind == Kind.TEST


@dataclass(frozen=True, slots=True)
class Grid:
    """The agent-level hooks by event, in running order."""

    groups: list[tuple[str, list[Row]]]
    total: int
    enabled: int


def grid_of(agent: Any) -> Grid:
    hooks = list(agent.hooks.filter(custom_agent=None).annotate(live=_latest(Kind.RUNTIME), tested=_latest(Kind.TEST)))
    keys = {key for hook in hooks for key in (hook.live, hook.tested) if key}
    results = HookResult.objects.only("hook_id", "outcome", "kind", "created_at").in_bulk(keys)
    rows = [Row(hook, _newer(results.get(hook.live), results.get(hook.tested))) for hook in hooks]
    groups = [(event, [row for row in rows if row.hook.event == event]) for event in EVENTS]
    return Grid([group for group in groups if group[1]], len(hooks), sum(hook.enabled for hook in hooks))


def _latest(kind: Kind) -> Subquery:
    found = HookResult.objects.filter(hook=OuterRef("pk"), kind=kind).order_by("-created_at")
    return Subquery(found.values("pk")[:1])


def _newer(one: HookResult | None, other: HookResult | None) -> HookResult | None:
    found = [result for result in (one, other) if result]
    return max(found, key=lambda result: result.created_at, default=None)
