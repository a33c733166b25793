"""The audit log a page at a time, the newest first, in time that does not grow with the log.

An admin of an agent reads what concerns the agent, and what concerns none: signing in, and purges. One statement reads these
two, and each of several actions, apart and merges them, so that each comes in order out of an index. First the numbers are
found, which indexes alone hold, then the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection
from django.db.models import F, Max, Min, QuerySet
from django.db.models.functions import Coalesce, Length

from portal.audit.filters import Filters, narrow
from portal.audit.models import AuditEvent
from portal.errors import NotFound

COUNTED = 2_000
SEARCHED_AT_ONCE = 10_000
EXPORTED_AT_ONCE = 200
WEIGHT = 8 * 1024 * 1024  # characters of what was before and after, read at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`older` and `newer` are the numbers to go on from, None where nothing is. `count` is of the first page of a list only.

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
    wanted = _bounded(wanted)
    if after is not None:
        found = _numbers(agent, wanted, top + 1, after=after)
        if len(found) > top:
            kept = found[:top][::-1]
            return Page(events=_rows(kept), older=kept[-1], newer=kept[0], count=None)
        before = None
    counted = before is None and not whole and not wanted.search
    floor = _floor(before) if wanted.search else None
    numbers = _numbers(agent, wanted, COUNTED + 1 if counted else top + 1, before=before, floor=floor)
    kept = _light(numbers[:top]) if whole else numbers[:top]
    more = len(numbers) > len(kept)
    searched_to = floor if floor is not None and floor > 1 and not more else None
    return Page(
        events=_rows(kept, whole=whole),
        older=kept[-1] if more else searched_to,
        newer=kept[0] if before is not None and kept else None,
        count=len(numbers) if counted else None,
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
    wanted = _bounded(wanted)
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
    if wanted.nothing:
        return []
    order = "sequence" if after is not None else "-sequence"
    parts: list[str] = []
    values: list[Any] = []
    for number, rows in enumerate(_apart(agent, wanted)):
        rows = rows.filter(sequence__lt=before) if before is not None else rows
        rows = rows.filter(sequence__gt=after) if after is not None else rows
        rows = rows.filter(sequence__gte=floor) if floor is not None else rows
        rows = rows.filter(sequence__gte=wanted.first, sequence__lte=wanted.last) if wanted.last else rows
        sql, given = rows.order_by(order).values_list("sequence")[:limit].query.sql_with_params()
        parts.append(f"SELECT * FROM ({sql}) AS part{number}")  # noqa: S608 - Django wrote it, values apart
        values += given
    sql = f"{' UNION ALL '.join(parts)} ORDER BY 1 {'ASC' if after is not None else 'DESC'} LIMIT {limit:d}"
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [row[0] for row in cursor.fetchall()]


def _bounded(wanted: Filters) -> Filters:
    """Find between which numbers a span of time lies, lest all that is newer or older is looked through."""
    if not (wanted.since or wanted.until) or wanted.nothing:
        return wanted
    number = F("sequence") + 0  # a sum, or PostgreSQL looks through all that is newer for the last one
    span: dict[str, int | None] = narrow(
        AuditEvent.objects.order_by(), Filters(given={}, since=wanted.since, until=wanted.until)
    ).aggregate(first=Min(number), last=Max(number))
    return replace(wanted, nothing=span["first"] is None, first=span["first"] or 0, last=span["last"] or 0)


def _apart(agent: Any, wanted: Filters) -> Iterator[QuerySet[AuditEvent]]:
    """What is selected, in parts that each have one agent and one action at most."""
    for name in (agent.name, ""):
        of_agent = narrow(AuditEvent.objects.filter(agent_name=name), wanted)
        if wanted.verbs:
            yield from (of_agent.filter(verb=verb) for verb in wanted.verbs)
        else:
            yield of_agent


def _rows(numbers: Sequence[int], *, whole: bool = False) -> list[AuditEvent]:
    rows: QuerySet[AuditEvent] = AuditEvent.objects.filter(sequence__in=numbers).order_by("-sequence")
    return list(rows if whole else rows.defer("before", "after"))


def _floor(before: int | None) -> int:
    """How far one request searches back: a text may be anywhere, and no index helps to find it."""
    return max(1, (before or newest() + 1) - SEARCHED_AT_ONCE)


def _light(numbers: list[int]) -> list[int]:
    """Leave of these events as many of the first as fit into memory together, one at least."""
    length = Coalesce(Length("before"), 0) + Coalesce(Length("after"), 0)
    weights = dict(AuditEvent.objects.filter(sequence__in=numbers).values_list("sequence", length))
    total = 0
    for place, number in enumerate(numbers):
        total += weights.get(number, 0)
        if total > WEIGHT and place:
            return numbers[:place]
    return numbers
