"""The audit log a page at a time, the newest first, in time that does not grow with the log.

An admin of an agent reads what concerns the agent, and what concerns none: signing in, and purges. These two are read apart
and merged, so that each comes in order out of an index. First the numbers are found, which indexes alone hold, then the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, QuerySet
from django.db.models.functions import Coalesce, Length

from portal.audit.filters import Filters, narrow
from portal.audit.models import AuditEvent
from portal.errors import NotFound

COUNTED = 10_000
SEARCHED_AT_ONCE = 50_000
EXPORTED_AT_ONCE = 200
WEIGHT = 8 * 1024 * 1024  # characters of what was before and after, read at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`older` and `newer` are the numbers to go on from, None where nothing is. `count` is None where it would take long.

    `searched_to`: where a search stopped before it had a page full, which `older` then goes on from.
    """

    events: list[AuditEvent]
    older: int | None
    newer: int | None
    count: int | None
    searched_to: int | None = None

    @property
    def counted_all(self) -> bool:
        return self.count is not None and self.count <= COUNTED


def read_page(
    *, agent: Any, wanted: Filters, top: int, before: int | None = None, after: int | None = None, whole: bool = False
) -> Page:
    """Read the page that ends before a number, or begins after one, or by default the first.

    A `whole` one has also what was before and after, and no count; it may be shorter than `top`.
    """
    count = None if whole or wanted.search else _count(agent, wanted)
    if after is not None:
        found = _numbers(agent, wanted, top + 1, after=after)
        if len(found) > top:
            numbers = found[:top][::-1]
            return Page(events=_rows(numbers), older=numbers[-1], newer=numbers[0], count=count)
        before = None
    floor = _floor(before) if wanted.search else None
    numbers = _numbers(agent, wanted, top + 1, before=before, floor=floor)
    kept = _light(numbers[:top]) if whole else numbers[:top]
    more = len(numbers) > len(kept)
    searched_to = floor if floor is not None and floor > 1 and not more else None
    return Page(
        events=_rows(kept, whole=whole),
        older=kept[-1] if more else searched_to,
        newer=kept[0] if before is not None and kept else None,
        count=count,
        searched_to=searched_to,
    )


def find(*, agent: Any, sequence: int) -> AuditEvent:
    """Find one event that an admin of `agent` may read. Raises NotFound."""
    found = AuditEvent.objects.filter(sequence=sequence, agent_name__in=[agent.name, ""]).first()
    if found is None:
        raise NotFound(f"There is no audit event {sequence} on the agent {agent.name!r}.")
    return found


def newest() -> int:
    """The number of the newest event of all; 0 where there is none."""
    return AuditEvent.objects.aggregate(newest=Max("sequence"))["newest"] or 0


def walk(*, agent: Any, wanted: Filters, through: int) -> Iterator[AuditEvent]:
    """All that the filters select, up to a number, the newest first.

    Each portion is a short query of its own: nothing is held open meanwhile, so whoever goes away half-way leaves nothing.
    """
    before = through + 1
    while numbers := _light(_numbers(agent, wanted, EXPORTED_AT_ONCE, before=before)):
        yield from _rows(numbers, whole=True)
        before = numbers[-1]


def _numbers(
    agent: Any,
    wanted: Filters,
    limit: int,
    *,
    before: int | None = None,
    after: int | None = None,
    floor: int | None = None,
) -> list[int]:
    """Find the numbers next to `before`, the newest first; or next to `after`, the oldest first."""
    order = "sequence" if after is not None else "-sequence"
    found: list[int] = []
    for name in (agent.name, ""):
        rows = narrow(AuditEvent.objects.filter(agent_name=name), wanted)
        rows = rows.filter(sequence__lt=before) if before is not None else rows
        rows = rows.filter(sequence__gt=after) if after is not None else rows
        rows = rows.filter(sequence__gte=floor) if floor is not None else rows
        found += rows.order_by(order).values_list("sequence", flat=True)[:limit]
    return sorted(found, reverse=after is None)[:limit]


def _rows(numbers: Sequence[int], *, whole: bool = False) -> list[AuditEvent]:
    rows: QuerySet[AuditEvent] = AuditEvent.objects.filter(sequence__in=numbers).order_by("-sequence")
    return list(rows if whole else rows.defer("before", "after"))


def _floor(before: int | None) -> int:
    """How far one request searches back: a text may be anywhere, and no index helps to find it."""
    return max(1, (before or newest() + 1) - SEARCHED_AT_ONCE)


def _light(numbers: Sequence[int]) -> Sequence[int]:
    """Leave of these events as many of the first as fit into memory together, one at least."""
    length = Coalesce(Length("before"), 0) + Coalesce(Length("after"), 0)
    weights = dict(AuditEvent.objects.filter(sequence__in=numbers).values_list("sequence", length))
    total = 0
    for place, number in enumerate(numbers):
        total += weights.get(number, 0)
        if total > WEIGHT and place:
            return numbers[:place]
    return numbers


def _count(agent: Any, wanted: Filters) -> int:
    """Count up to COUNTED + 1, which stands for more."""
    limit = COUNTED + 1
    parts = [narrow(AuditEvent.objects.filter(agent_name=name), wanted)[:limit].count() for name in (agent.name, "")]
    return min(sum(parts), limit)
