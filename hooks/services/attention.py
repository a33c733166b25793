"""What needs attention: hooks that fail, are near their timeout or never matched, and those whose rejections ran out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q

from hooks.models import Hook
from hooks.services import health
from hooks.services.overview import HookFigures

# Of the hooks that may be in trouble this many are looked at, worst first, and as many that never matched as fit beside.
SUSPECTS, SHOWN = 40, 48
LIMIT = "hit-limit"
ORDER = (health.FAILING, LIMIT, health.NEAR, health.NEVER)


@dataclass(frozen=True, slots=True)
class Attention:
    """One thing to look at: its kind (a key of `health`, or LIMIT), the hook, and what is known of it.

    `count` of `of` runs failed, or so many events came when its rejections had run out. `slowest_ms` is of the last ten runs.
    """

    kind: str
    hook: Hook
    count: int = 0
    of: int = 0
    slowest_ms: float = 0.0
    timeout: int = 0

    @property
    def query(self) -> str:
        """What finds the evaluations that it is about in their list."""
        outcome = "skipped" if self.kind == LIMIT else "error"
        wanted = {"hook": self.hook.label, "outcome": outcome}
        if self.hook.custom_agent:
            wanted["customAgent"] = self.hook.custom_agent.name
        return urlencode(wanted)


def needs_attention(*, agent: Any, ran: Iterable[HookFigures]) -> list[Attention]:
    """Find what is wrong, worst first, in one query. `ran` is what hooks did in the period."""
    suspects = {(one.event, one.owner, one.name): one for one in sorted(ran, key=_trouble) if _trouble(one) < 0}
    suspects = dict(list(suspects.items())[:SUSPECTS])
    wanted = health.UNMATCHED
    for one in suspects.values():
        wanted |= _named(one)
    watched: Any = health.with_health(agent.hooks.filter(wanted, enabled=True).select_related("custom_agent"))
    watched = watched.order_by("unmatched", "event", "position", "pk")[:SHOWN]
    found = [one for hook in watched for one in _found(hook, suspects)]
    return sorted(found, key=lambda one: (ORDER.index(one.kind), -one.count))


def _trouble(one: HookFigures) -> float:
    """The lower, the worse; 0 is well."""
    slow = one.figures.slowest_ms >= 1000 * health.NEAR_SHARE
    return -(one.figures.errors + one.figures.skipped + slow)


def _named(one: HookFigures) -> Q:
    """Find a hook by what results call it: its name, or `Stop[0]`."""
    owner = Q(custom_agent__name=one.owner) if one.owner else Q(custom_agent=None)
    label = Q(name=one.name)
    event, bracket, place = one.name.partition("[")
    if bracket and event == one.event and place[:-1].isdecimal():
        label |= Q(name="", position=int(place[:-1]))
    return owner & label & Q(event=one.event)


def _found(hook: Any, suspects: dict[tuple[str, str, str], HookFigures]) -> Iterator[Attention]:
    owner = hook.custom_agent.name if hook.custom_agent else ""
    did = suspects.get((hook.event, owner, hook.label))
    if did and did.figures.skipped:
        yield Attention(LIMIT, hook, count=did.figures.skipped)
    of = health.health_of(hook)
    if of is not None:
        errors, slowest = hook.errors or 0, hook.slowest or 0.0
        yield Attention(of.key, hook, errors, hook.runs, slowest, health.timeout_of(hook.options))
