"""What the grid of agent-level hooks shows: searched, filtered, sorted, a page at a time, in six queries at most."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Case, Count, DateTimeField, IntegerField, OuterRef, Q, QuerySet, Subquery, TextField, When
from django.db.models import Value as V
from django.db.models.functions import Cast, Coalesce, Greatest, Lower, TruncDate
from django.utils import timezone

from hooks.engine import strictjson
from hooks.engine.events import EVENTS
from hooks.models import Hook, HookResult, Kind
from hooks.services import health
from hooks.words import NOT_RUN, Badge, badge_of, type_of

PAGE = 36  # so that a page stays under 200 KB with the longest names
DAYS = 7
BLOCKED = ("block", "deny")
ORDER = "order"
COLUMNS = {
    ORDER: (),
    "name": ("lower",),
    "event": ("turn",),
    "activation": ("activation_mode",),
    "type": ("type",),
    "last": ("moment",),
    "blocks": ("blocked",),
    "state": ("enabled",),
}
EVENT_TURN = Case(*[When(event=name, then=V(turn)) for turn, name in enumerate(EVENTS)], output_field=IntegerField())
NEVER_RUN = V(datetime(1970, 1, 1, tzinfo=UTC), output_field=DateTimeField())


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which hooks, in which order; "" is any. `sort` is one of COLUMNS, `number` the page, from 1."""

    search: str = ""
    event: str = ""
    type: str = ""
    activation: str = ""
    state: str = ""
    health: str = ""
    sort: str = ORDER
    descending: bool = False
    number: int = 1

    @property
    def filtered(self) -> bool:
        return bool(self.search or self.event or self.type or self.activation or self.state or self.health)

    @property
    def movable(self) -> bool:
        """Whether a hook can be given another place: where all hooks of its event are in running order."""
        others = self.search or self.type or self.activation or self.state or self.health
        return self.sort == ORDER and not others


@dataclass(frozen=True, slots=True)
class Row:
    hook: Hook
    last: HookResult | None
    blocks: list[int]  # a number per day, today's last
    health: health.Health | None

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

    @property
    def place(self) -> int:
        return self.hook.position + 1


@dataclass(frozen=True, slots=True)
class Grid:
    """`total` and `enabled` count all agent-level hooks, `found` those that were asked for."""

    wanted: Wanted
    rows: list[Row] = field(default_factory=list)
    total: int = 0
    enabled: int = 0
    found: int = 0

    @property
    def groups(self) -> list[tuple[str, list[Row]]]:
        """The rows by event where they are in running order, else all under no event."""
        if self.wanted.sort != ORDER:
            return [("", self.rows)]
        events = list(dict.fromkeys(row.hook.event for row in self.rows))
        return [(event, [row for row in self.rows if row.hook.event == event]) for event in events]

    @property
    def pages(self) -> int:
        return max(1, -(-self.found // PAGE))

    @property
    def first(self) -> int:
        return (self.wanted.number - 1) * PAGE + 1

    @property
    def end(self) -> int:
        return self.first + len(self.rows) - 1


def read_grid(*, agent: Any, wanted: Wanted) -> Grid:
    """Read one page. A page beyond the last one is empty."""
    own = own_hooks(agent)
    counts = own.aggregate(total=Count("pk"), enabled=Count("pk", filter=Q(enabled=True)))
    chosen = find_hooks(agent=agent, wanted=wanted)
    found = chosen.count() if wanted.filtered else counts["total"]
    start = (wanted.number - 1) * PAGE
    ordered = health.with_health(_sorted(chosen, wanted)).annotate(live=_latest(Kind.RUNTIME), tried=_latest(Kind.TEST))
    rows = list(_rows(list(ordered[start : start + PAGE])))
    return Grid(wanted, rows, counts["total"], counts["enabled"], found)


def own_hooks(agent: Any) -> QuerySet[Hook]:
    hooks: QuerySet[Hook] = agent.hooks.filter(custom_agent=None).select_related("agent")
    return hooks


def find_hooks(*, agent: Any, wanted: Wanted) -> QuerySet[Hook]:
    """Search and filter an agent's own hooks, all pages of them."""
    hooks = own_hooks(agent)
    given = {"event": wanted.event, "type": wanted.type, "activation_mode": wanted.activation}
    hooks = hooks.filter(**{name: value for name, value in given.items() if value})
    if wanted.state:
        hooks = hooks.filter(enabled=wanted.state == "enabled")
    if wanted.search:
        hooks = hooks.filter(_says(hooks, wanted.search))
    return health.only(hooks, wanted.health) if wanted.health else hooks


def _says(hooks: QuerySet[Hook], text: str) -> Q:
    """Hold a text against names, descriptions and matchers. Matchers are in the options, which only Python reads."""
    written = hooks.filter(event__in=[name for name, event in EVENTS.items() if event.tool])
    maybe = written.alias(raw=Cast("options", TextField())).filter(raw__icontains=strictjson.dumps(text)[1:-1])
    matchers = maybe.values_list("pk", "options")
    keys = [key for key, options in matchers if text.lower() in str(options.get("matcher", "")).lower()]
    return Q(name__icontains=text) | Q(description__icontains=text) | Q(pk__in=keys)


def _sorted(hooks: QuerySet[Hook], wanted: Wanted) -> QuerySet[Hook]:
    """Put them in order; what is equal goes by event and place, or by name where that is the column."""
    down = "-" if wanted.descending else ""
    hooks = hooks.annotate(turn=EVENT_TURN)
    if wanted.sort == "last":
        moments = [Coalesce(_latest(kind, "created_at"), NEVER_RUN) for kind in (Kind.RUNTIME, Kind.TEST)]
        hooks = hooks.annotate(moment=Greatest(*moments))
    elif wanted.sort == "blocks":
        hooks = hooks.annotate(blocked=_blocked())
    elif wanted.sort == "name":
        hooks = hooks.annotate(lower=Lower("name"))
    columns = [down + column for column in COLUMNS.get(wanted.sort, ())]
    return hooks.order_by(*columns, "turn", "position", "pk")


def _rows(hooks: Sequence[Any]) -> Iterator[Row]:
    keys = {key for hook in hooks for key in (hook.live, hook.tried) if key}
    shown = ("hook_id", "evaluation_id", "outcome", "kind", "created_at")
    results = HookResult.objects.only(*shown).in_bulk(keys) if keys else {}
    blocks = _blocks_per_day(hooks)
    for hook in hooks:
        last = _newer(results.get(hook.live), results.get(hook.tried))
        yield Row(hook, last, blocks.get(hook.pk, [0] * DAYS), health.health_of(hook))


def days() -> list[date]:
    """The days that the column of blocks shows, today last."""
    today = timezone.localdate()
    return [today - timedelta(days=back) for back in reversed(range(DAYS))]


def _blocks_per_day(hooks: Sequence[Hook]) -> dict[int, list[int]]:
    shown = days()
    since = timezone.make_aware(datetime.combine(shown[0], time.min))
    live = HookResult.objects.filter(hook__in=hooks, kind=Kind.RUNTIME, outcome__in=BLOCKED, created_at__gte=since)
    counts = live.order_by().annotate(day=TruncDate("created_at")).values_list("hook", "day").annotate(n=Count("pk"))
    found: dict[int, list[int]] = {}
    for key, day, count in counts:
        if key is not None and day in shown:
            found.setdefault(key, [0] * DAYS)[shown.index(day)] = count
    return found


def _blocked() -> Coalesce:
    since = timezone.make_aware(datetime.combine(days()[0], time.min))
    live = HookResult.objects.filter(hook=OuterRef("pk"), kind=Kind.RUNTIME, outcome__in=BLOCKED, created_at__gte=since)
    counted = live.order_by().values("hook").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _latest(kind: Kind, column: str = "pk") -> Subquery:
    found = HookResult.objects.filter(hook=OuterRef("pk"), kind=kind).order_by("-created_at")
    return Subquery(found.values(column)[:1])


def _newer(one: HookResult | None, other: HookResult | None) -> HookResult | None:
    found = [result for result in (one, other) if result]
    return max(found, key=lambda result: result.created_at, default=None)
