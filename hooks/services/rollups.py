"""Live evaluations added up by five minutes, hours and days: from the rows that are new, a day at a time at most."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from hooks.models import Evaluation, Kind
from hooks.models.rollups import ALL, Rollup, RollupMark
from hooks.services.figures import Figures, Histogram
from hooks.services.leases import Lost, lease

FIVE, HOUR, DAY = 5, 60, 1_440
BLOCKED = frozenset({"block", "deny", "ask"})
# An evaluation gets its time just before it is stored; a transaction that is slow to end must still find its place.
SETTLED = timedelta(seconds=60)
KEPT = {FIVE: timedelta(days=2), HOUR: timedelta(days=16), DAY: timedelta(days=400)}
STEPS = 100  # days of a backlog in one call
COUNTED = ("total", "blocked", "errors", "blocked_errors", "skipped", "tokens", "cost_usd", "slowest_ms")
COLUMNS = (
    "id",
    "agent_id",
    "created_at",
    "custom_agent",
    "event",
    "decision",
    "duration_ms",
    "results__name",
    "results__level",
    "results__outcome",
    "results__duration_ms",
    "results__type",
    "results__model_call",
)


class Key(NamedTuple):
    """Of what figures are. `start` is the beginning of the stretch."""

    agent: int
    start: datetime
    custom_agent: str
    event: str
    owner: str
    hook: str


Sums = dict[Key, Figures]


class TooMany(Exception):
    """There is more to add up than was allowed."""


def collect(rows: QuerySet[Evaluation, Any], *, most: int = 0) -> Sums:
    """Add up evaluations by five minutes; `rows` are those of `live`. Raises TooMany over `most` rows, 0 being any number."""
    sums: Sums = {}
    found = rows.values_list(*COLUMNS)
    read = 0
    for _, group in groupby((found[: most + 1] if most else found).iterator(chunk_size=2_000), key=itemgetter(0)):
        of_one = list(group)
        read += len(of_one)
        if most and read > most:
            raise TooMany
        _add(sums, of_one)
    return sums


def live(since: datetime, until: datetime) -> QuerySet[Evaluation, Any]:
    """The live evaluations from `since` to before `until`, each with its results beside it."""
    stretch = Evaluation.objects.filter(kind=Kind.RUNTIME, created_at__gte=since, created_at__lt=until)
    return stretch.order_by("created_at", "id")


def roll_up(now: datetime | None = None) -> int:
    """Add up what has settled and is not added up yet; return how many rows were written. One worker at a time does it."""
    now = now or timezone.now()
    try:
        with lease("rollups", seconds=60, patience=0):
            written = sum(_steps(now))
    except Lost:
        return 0
    for span, kept in KEPT.items():
        Rollup.objects.filter(span=span, start__lt=now - kept).delete()
    return written


def floor(span: int, moment: datetime) -> datetime:
    """The beginning of the stretch of `span` minutes that a moment lies in, counted from midnight UTC."""
    seconds = span * 60
    return datetime.fromtimestamp(moment.timestamp() // seconds * seconds, UTC)


def _steps(now: datetime) -> Iterator[int]:
    mark, until = RollupMark.objects.first(), floor(FIVE, now - SETTLED)
    since = mark.until if mark else _beginning()
    for _ in range(STEPS):
        if since is None or since >= until:
            return
        end = min(until, floor(DAY, since) + timedelta(days=1))
        yield _step(since, end, fives=end > now - KEPT[FIVE])
        since = end


def _beginning() -> datetime | None:
    first = Evaluation.objects.order_by("created_at").values_list("created_at", flat=True).first()
    return floor(FIVE, first) if first else None


def _step(since: datetime, until: datetime, *, fives: bool) -> int:
    """Write the roll-ups of a stretch within one day anew: its five minutes if wanted, the hours they are in, and the day."""
    finest = collect(live(since, until))
    hour, day = floor(HOUR, since), floor(DAY, since)
    hours = _coarser(HOUR, [*_stored(FIVE, hour, since), *finest.items()])
    days = _coarser(DAY, [*_stored(HOUR, day, hour), *hours.items()])
    rows = {HOUR: hours, DAY: days}
    if fives:
        rows[FIVE] = finest
    stretches = {FIVE: since, HOUR: hour, DAY: day}
    with transaction.atomic():
        for span, start in stretches.items():
            Rollup.objects.filter(span=span, start__gte=start, start__lt=until).delete()
        made = [_row(span, key, figures) for span, sums in rows.items() for key, figures in sums.items()]
        Rollup.objects.bulk_create(made, batch_size=500)
        RollupMark.objects.update_or_create(pk=1, defaults={"until": until})
    return len(made)


def _add(sums: Sums, rows: list[tuple[Any, ...]]) -> None:
    """Count one evaluation and the results of its hooks, for its own custom agent and for everyone together."""
    _, agent, moment, custom_agent, event, decision, duration, *_ = rows[0]
    start, results = floor(FIVE, moment), [row[7:] for row in rows if row[7] is not None]
    calls = [_spent(call) for *_, type_, call in results if type_ == "prompt"]
    tokens, cost = sum(call[0] for call in calls), sum(call[1] for call in calls)
    for scope in (custom_agent, ALL):
        of = sums.setdefault(Key(agent, start, scope, event, "", ""), Figures())
        failed = any(outcome == "error" for _, _, outcome, *_ in results)
        of.count(blocked=decision in BLOCKED, error=failed, milliseconds=duration, tokens=tokens, cost=cost)
        for name, level, outcome, took, type_, call in results:
            owner = "" if level == "agent" else custom_agent
            of = sums.setdefault(Key(agent, start, scope, event, owner, name), Figures())
            if outcome == "skipped":
                of.skipped += 1
                continue
            tokens_, cost_ = _spent(call) if type_ == "prompt" else (0, 0.0)
            blocked, error = outcome in BLOCKED, outcome == "error"
            of.count(blocked=blocked, error=error, milliseconds=took, tokens=tokens_, cost=cost_)


def _spent(call: dict[str, Any] | None) -> tuple[int, float]:
    """Tokens and dollars of a model call."""
    if call is None:
        return 0, 0.0
    tokens = (call.get("promptTokens") or 0) + (call.get("completionTokens") or 0)
    return int(tokens), float(call.get("costUsd") or 0.0)


def _coarser(span: int, finer: Iterable[tuple[Key, Figures]]) -> Sums:
    sums: Sums = {}
    for key, figures in finer:
        sums.setdefault(key._replace(start=floor(span, key.start)), Figures()).merge(figures)
    return sums


def _stored(span: int, since: datetime, until: datetime) -> Iterator[tuple[Key, Figures]]:
    rows = Rollup.objects.filter(span=span, start__gte=since, start__lt=until)
    for row in rows if since < until else ():
        yield Key(row.agent_id, row.start, row.custom_agent, row.event, row.owner, row.hook), figures_of(row)


def figures_of(row: Any) -> Figures:
    """The figures of a row of Rollup."""
    histogram = Histogram()
    histogram.merge(row.histogram)
    return Figures(**{name: getattr(row, name) for name in COUNTED}, histogram=histogram)


def _row(span: int, key: Key, figures: Figures) -> Rollup:
    return Rollup(
        agent_id=key.agent,
        span=span,
        start=key.start,
        custom_agent=key.custom_agent,
        event=key.event,
        owner=key.owner,
        hook=key.hook,
        **{name: getattr(figures, name) for name in COUNTED},
        histogram={str(bucket): count for bucket, count in sorted(figures.histogram.counts.items())},
    )
