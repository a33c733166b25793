"""What the Overview shows: figures of a period, over time and by hook, read from roll-ups and the newest evaluations."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from hooks.models import Rollup, RollupMark
from hooks.models.rollups import ALL
from hooks.services.figures import Figures
from hooks.services.rollups import COUNTED, DAY, FIVE, HOUR, Key, TooMany, collect, figures_of, floor, live

# Until workers have added up a backlog, no page waits for it.
NEWEST = 5_000
HOOKS = 20


@dataclass(frozen=True, slots=True)
class Period:
    """How far back one looks: `bars` of `bar` minutes, from roll-ups of `span` minutes."""

    key: str
    bar: int
    bars: int
    span: int

    @property
    def length(self) -> timedelta:
        return timedelta(minutes=self.bar * self.bars)


PERIODS = {
    period.key: period
    for period in (
        Period("1h", FIVE, 12, FIVE),
        Period("24h", HOUR, 24, HOUR),
        Period("7d", 6 * HOUR, 28, HOUR),
        Period("30d", DAY, 30, DAY),
        Period("90d", 3 * DAY, 30, DAY),
    )
}


@dataclass(frozen=True, slots=True)
class HookFigures:
    """What one hook did. `owner` is the custom agent that it belongs to, "" on the agent level."""

    event: str
    owner: str
    name: str
    figures: Figures


@dataclass(slots=True)
class Overview:
    """Figures of a period. `ran` are all hooks that did anything, without latencies; `hooks` are those with the most runs.

    `others` is how many hooks ran beside these. `until` is set where evaluations after it are not counted yet.
    """

    period: Period
    since: datetime
    bars: list[Figures]
    total: Figures = field(default_factory=Figures)
    before: Figures = field(default_factory=Figures)
    ran: list[HookFigures] = field(default_factory=list)
    hooks: list[HookFigures] = field(default_factory=list)
    others: int = 0
    until: datetime | None = None

    @property
    def starts(self) -> list[datetime]:
        step = timedelta(minutes=self.period.bar)
        return [self.since + number * step for number in range(self.period.bars)]

    @property
    def change(self) -> float | None:
        """By which share there were more evaluations than in as long a time before; None where there were none."""
        return self.total.total / self.before.total - 1 if self.before.total else None


def read_overview(
    *, agent: Any, period: Period, custom_agent: str | None = None, now: datetime | None = None
) -> Overview:
    """Add up what there is of a period that ends now. `custom_agent` None is everyone, "" the agent itself."""
    now = now or timezone.now()
    end = floor(period.bar, now) + timedelta(minutes=period.bar)
    shown = Overview(period, end - period.length, [Figures() for _ in range(period.bars)])
    scope = ALL if custom_agent is None else custom_agent
    rows = Rollup.objects.filter(agent=agent, custom_agent=scope)
    newest = _newest(shown, agent, scope, now)
    of_all = _of_all(shown, rows, now)
    for start, figures in [*of_all, *((key.start, one) for key, one in newest if not key.hook)]:
        _place(shown, start, figures, now)
    _by_hook(shown, rows, [(key, one) for key, one in newest if key.hook])
    return shown


def _newest(shown: Overview, agent: Any, scope: str, now: datetime) -> list[tuple[Key, Figures]]:
    """What no roll-up has yet; nothing where that is too much to add up while one waits."""
    rolled_up = Coalesce(Subquery(RollupMark.objects.values("until")[:1]), Value(shown.since))
    rows = live(shown.since, now + timedelta(seconds=1)).filter(agent=agent, created_at__gte=rolled_up)
    try:
        found = collect(rows, most=NEWEST)
    except TooMany:
        mark = RollupMark.objects.first()
        shown.until = max(shown.since, mark.until) if mark else shown.since
        return []
    return [(key, figures) for key, figures in found.items() if key.custom_agent == scope]


def _of_all(shown: Overview, rows: QuerySet[Rollup], now: datetime) -> Iterator[tuple[datetime, Figures]]:
    """Read evaluations of the period and of the one before."""
    span, since = shown.period.span, shown.since - shown.period.length
    for row in rows.filter(span=span, start__gte=since, start__lt=now, hook=""):
        yield row.start, figures_of(row)


def _place(shown: Overview, start: datetime, figures: Figures, now: datetime) -> None:
    """Add to the bar that it falls into, or to the period before, as far as that had come by now."""
    number = (start - shown.since) // timedelta(minutes=shown.period.bar)
    if number < 0:
        if start < now - shown.period.length:
            shown.before.merge(figures)
    elif number < shown.period.bars:
        shown.bars[number].merge(figures)
        shown.total.merge(figures)


def _by_hook(shown: Overview, rows: QuerySet[Rollup], newest: list[tuple[Key, Figures]]) -> None:
    covering = rows.filter(_cover(shown)).exclude(hook="")
    sums = {name: Sum(name) for name in COUNTED if name != "slowest_ms"} | {"slowest_ms": Max("slowest_ms")}
    found: dict[tuple[str, str, str], Figures] = {}
    added: Iterable[Any] = covering.order_by().values("event", "owner", "hook").annotate(**_renamed(sums))
    for row in added:
        found[row["event"], row["owner"], row["hook"]] = Figures(**{name: row[f"of_{name}"] for name in COUNTED})
    for key, figures in newest:
        found.setdefault((key.event, key.owner, key.hook), Figures()).merge(figures)
    shown.ran = [HookFigures(*key, figures) for key, figures in found.items()]
    ranked = sorted(found.items(), key=lambda one: (-one[1].total, one[0]))
    top = dict(ranked[:HOOKS])
    _with_latencies(top, covering)
    shown.hooks = [HookFigures(*key, figures) for key, figures in top.items()]
    shown.others = len(ranked) - len(top)


def _renamed(sums: dict[str, Any]) -> dict[str, Any]:
    return {f"of_{name}": expression for name, expression in sums.items()}


def _with_latencies(top: dict[tuple[str, str, str], Figures], rows: QuerySet[Rollup]) -> None:
    """Add the histograms, which no database adds up, of the hooks that are shown."""
    named = rows.filter(hook__in={hook for _, _, hook in top})
    for event, owner, hook, histogram in named.values_list("event", "owner", "hook", "histogram"):
        if figures := top.get((event, owner, hook)):
            figures.histogram.merge(histogram)


def _cover(shown: Overview) -> Q:
    """The fewest roll-ups that are the period: days where it has whole ones, hours before the first of them."""
    since, span = shown.since, shown.period.span
    if span != HOUR or shown.period.length <= timedelta(days=2):
        return Q(span=span, start__gte=since)
    first = floor(DAY, since) + timedelta(days=1)
    return Q(span=DAY, start__gte=first) | Q(span=HOUR, start__gte=since, start__lt=first)
