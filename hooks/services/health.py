"""How hooks fare, told from their last ten live results: failing, near their timeout, or never matched."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext as _

from hooks.engine.spec import HookSpec
from hooks.models import Evaluation, Hook, HookResult, Kind

LAST = 10
FAILING, NEVER, NEAR = "failing", "never-matched", "near-timeout"
FAILING_SHARE = 0.3
NEAR_SHARE = 0.8
TIMEOUT = HookSpec.model_fields["timeout"].default


@dataclass(frozen=True, slots=True)
class Health:
    """What needs attention: its key, and the words for it."""

    key: str
    text: str


def with_health(hooks: QuerySet[Hook]) -> QuerySet[Hook]:
    """Annotate what `health_of` reads."""
    return hooks.annotate(runs=_runs(), errors=_errors(), slowest=_slowest(), unmatched=UNMATCHED)


def health_of(hook: Any) -> Health | None:
    """Tell the one thing that is worst about a hook. It must come from `with_health`."""
    if hook.errors and hook.errors >= FAILING_SHARE * hook.runs:
        return Health(FAILING, _("Failing {errors} of last {runs}").format(errors=hook.errors, runs=hook.runs))
    if hook.unmatched:
        return Health(NEVER, _("Never matched"))
    timeout = timeout_of(hook.options)
    if hook.slowest is not None and hook.slowest >= NEAR_SHARE * 1000 * timeout:
        return Health(
            NEAR, _("{seconds} s of {timeout} s timeout").format(seconds=f"{hook.slowest / 1000:.3g}", timeout=timeout)
        )
    return None


def only(hooks: QuerySet[Hook], health: str) -> QuerySet[Hook]:
    """Keep the hooks of which this is true; a hook may be of more than one kind."""
    if health == FAILING:
        few = hooks.alias(errors=_errors()).filter(errors__gt=0)
        return few.alias(runs=_runs()).filter(errors__gte=F("runs") * FAILING_SHARE)
    if health == NEVER:
        return hooks.filter(UNMATCHED)
    # The timeout is in the options, which no query looks into; but nothing is near a timeout of under a second.
    slow = hooks.annotate(slowest=_slowest()).filter(slowest__gte=NEAR_SHARE * 1000)
    found = slow.values_list("pk", "slowest", "options")
    return hooks.filter(pk__in=[key for key, ms, options in found if ms >= NEAR_SHARE * 1000 * timeout_of(options)])


def timeout_of(options: dict[str, Any]) -> int:
    return int(options.get("timeout", TIMEOUT))


def _last(**only: Any) -> QuerySet[HookResult, Any]:
    """The last ten live results of the hook outside, of these only what is asked for."""
    live = HookResult.objects.filter(hook=OuterRef(OuterRef("pk")), kind=Kind.RUNTIME).order_by("-created_at")
    return HookResult.objects.filter(pk__in=Subquery(live.values("pk")[:LAST]), **only).order_by().values("kind")


def _runs() -> Coalesce:
    return Coalesce(Subquery(_last().annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0)


def _errors() -> Coalesce:
    failed = _last(outcome="error").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(failed, output_field=IntegerField()), 0)


def _slowest() -> Subquery:
    return Subquery(_last().annotate(ms=Max("duration_ms")).values("ms"))


def _unmatched() -> Q:
    """No live result ever, though its event has come since the hook was last changed."""
    events = Evaluation.objects.filter(agent=OuterRef("agent"), kind=Kind.RUNTIME, event=OuterRef("event"))
    last = Subquery(events.order_by("-id").values("created_at")[:1])
    results = HookResult.objects.filter(hook=OuterRef("pk"), kind=Kind.RUNTIME)
    return Q(Q(enabled=True), Q(activation_mode="always"), ~Exists(results), GreaterThan(last, F("updated_at")))


UNMATCHED = _unmatched()
