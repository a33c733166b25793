"""The log of evaluations: filtered, a page at a time, never counted to its end. Every filter has an index that ends in the id.

An id carries its moment, so that times bound ids, and the newest first is the highest id first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, get_args

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Length
from django.http import StreamingHttpResponse
from ulid import ULID

from hooks.engine import strictjson
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS
from hooks.engine.fields import shown
from hooks.engine.results import Decision
from hooks.engine.verdict import Outcome
from hooks.models import Evaluation, HookResult, Kind
from hooks.models.records import PLAIN
from hooks.services import records
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.exporting import KINDS, chunks
from portal.audit.filters import moment
from portal.audit.verbs import Verb

TEXT_LIMIT = 200
# A row's moment and that of its id are read from the clock one after the other.
SLACK_MS = 2000
BATCH, BATCH_BYTES = 500, 4_000_000
FEW = 2_000  # so many results of a hook are gone through one by one for whatever else is asked
WORDS: dict[str, Sequence[str]] = {
    "event": tuple(EVENTS),
    "decision": get_args(Decision),
    "outcome": get_args(Outcome),
    "kind": Kind.values,
    "error": ("yes", "no"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is looked for; None where anything will do. The names are those of the API."""

    event: str | None = None
    decision: str | None = None
    outcome: str | None = None
    kind: str | None = None
    error: str | None = None
    hook: str | None = None
    customAgent: str | None = None
    threadId: str | None = None
    since: datetime | None = None
    until: datetime | None = None


NAMES = tuple(field.name for field in fields(Wanted))


def read_wanted(given: Mapping[str, str]) -> Wanted:
    """Read the filters of a query. Raises Invalid with every fault."""
    faults = [
        Fault(name, "invalid_choice", f"must be one of {', '.join(among)}, not {shown(given[name])}.")
        for name, among in WORDS.items()
        if given.get(name) and given[name] not in among
    ]
    moments = {name: moment(given.get(name, "").strip()) for name in ("since", "until")}
    faults += [
        Fault(name, "invalid_type", "must be a time such as 2026-01-31T12:00:00Z.")
        for name, found in moments.items()
        if given.get(name) and found is None
    ]
    if faults:
        raise Invalid(faults)
    texts = {name: given.get(name) or None for name in NAMES if name not in moments}
    return Wanted(**texts, since=moments["since"], until=moments["until"])


def find_ids(
    *,
    agent: Any,
    wanted: Wanted,
    top: int,
    before: str | None = None,
    after: str | None = None,
    oldest_first: bool = False,
) -> list[str]:
    """Find the ids of the newest evaluations that fit: at most `top`, those before or after an id. Two queries at most."""
    if any("\x00" in text for text in (wanted.hook, wanted.customAgent, wanted.threadId) if text):
        return []
    by_results = wanted.outcome not in (None, *PLAIN) or (wanted.hook and not _has_many(agent, wanted))
    ids = _of_results(agent, wanted) if by_results else _of_evaluations(agent, wanted)
    key = "evaluation_id" if by_results else "id"
    bounds = {
        "lt": _least(before, wanted.until),
        "gte": wanted.since and _id_at(wanted.since, -SLACK_MS),
        "gt": after,
    }
    ids = ids.filter(**{f"{key}__{bound}": value for bound, value in bounds.items() if value})
    return list(ids.order_by(key if oldest_first else f"-{key}").values_list(key, flat=True)[:top])


def find_page(*, agent: Any, wanted: Wanted, top: int, before: str | None = None) -> list[Evaluation]:
    """Find the evaluations themselves, without their contexts and transcripts. Two queries."""
    return rows_of(find_ids(agent=agent, wanted=wanted, top=top, before=before))


def rows_of(ids: Sequence[str]) -> list[Evaluation]:
    found = Evaluation.objects.defer("context", "transcript").in_bulk(ids)
    return [found[key] for key in ids if key in found]  # a purge may have been quicker


def walk(*, agent: Any, wanted: Wanted) -> Iterator[Evaluation]:
    """Give all that fit, whole and with their results at hand, a few megabytes at a time."""
    before: str | None = None
    while ids := find_ids(agent=agent, wanted=wanted, top=BATCH, before=before):
        sizes = Evaluation.objects.filter(pk__in=ids).annotate(size=Length("context") + Length("transcript", default=0))
        yield from _whole(ids, dict(sizes.values_list("pk", "size")))
        before = ids[-1]


def lines(*, agent: Any, wanted: Wanted) -> Iterator[str]:
    """Write all that fit as JSON Lines, each as the API shows one evaluation."""
    for one in walk(agent=agent, wanted=wanted):
        results = sorted(one.results.all(), key=lambda result: result.index)
        yield strictjson.dumps(records.describe_whole(records.Record(evaluation=one, results=results))) + "\n"


def export(*, agent: Any, wanted: Wanted, by: Actor) -> StreamingHttpResponse:
    """Answer all that fit as JSON Lines, while they are read. That they are taken away is recorded first."""
    given = {name: str(value) for name in NAMES if (value := getattr(wanted, name)) is not None}
    with transaction.atomic():
        record(
            Verb.EVALUATIONS_EXPORTED,
            by=by,
            object_type="evaluations",
            object_text="evaluations as JSONL",
            agent_name=agent.name,
            after={"filter": given},
        )
    response = StreamingHttpResponse(chunks(lines(agent=agent, wanted=wanted)), content_type=KINDS["jsonl"])
    response["Content-Disposition"] = f'attachment; filename="{agent.name}-evaluations.jsonl"'
    response["Cache-Control"] = "no-store"
    return response


def _whole(ids: Sequence[str], sizes: Mapping[str, int | None]) -> Iterator[Evaluation]:
    batch: list[str] = []
    size = 0
    for key in [*ids, ""]:
        if batch and (not key or size > BATCH_BYTES):
            rows = Evaluation.objects.prefetch_related("results").in_bulk(batch)
            yield from (rows[one] for one in batch if one in rows)
            batch, size = [], 0
        batch.append(key)
        size += sizes.get(key) or 0


def _of_evaluations(agent: Any, wanted: Wanted) -> QuerySet[Any]:
    rows: QuerySet[Any] = agent.evaluations.filter(_fits(agent, wanted))
    if wanted.decision not in (None, *PLAIN):
        rows = rows.exclude(decision="allow").exclude(decision="none")
    if wanted.kind not in (None, Kind.RUNTIME):
        rows = rows.exclude(kind=Kind.RUNTIME)
    of_results = {"name": wanted.hook, "outcome": wanted.outcome}  # an outcome is a plain one here, which most have
    if asked := {column: value for column, value in of_results.items() if value}:
        rows = rows.filter(Exists(HookResult.objects.filter(evaluation=OuterRef("pk"), **asked)))
    return rows


def _has_many(agent: Any, wanted: Wanted) -> bool:
    """Whether to look among evaluations that were refused, say, for those of a hook, and not the other way round."""
    if wanted.decision in (None, *PLAIN):
        return False
    some = HookResult.objects.filter(agent=agent, name=wanted.hook).values("pk")[:FEW]
    return some.count() == FEW


def _of_results(agent: Any, wanted: Wanted) -> QuerySet[Any]:
    """Go by the results, whose index knows hook and outcome. A hook may have two in one evaluation."""
    rows = HookResult.objects.filter(agent=agent)
    if wanted.hook:
        rows = rows.filter(name=wanted.hook)
    if wanted.outcome:
        rows = rows.filter(outcome=wanted.outcome)
        if not wanted.hook:
            rows = rows.exclude(outcome="allow").exclude(outcome="none")
    return rows.filter(_fits(agent, wanted, "evaluation__")).distinct()


def _fits(agent: Any, wanted: Wanted, prefix: str = "") -> Q:
    columns: dict[str, Any] = {
        "event": wanted.event,
        "decision": wanted.decision,
        "kind": wanted.kind,
        "thread_key": wanted.threadId,
        "custom_agent": wanted.customAgent and _as_written(agent, wanted.customAgent),
        "created_at__gte": wanted.since,
        "created_at__lt": wanted.until,
        "errors__gt": 0 if wanted.error == "yes" else None,
        "errors": 0 if wanted.error == "no" else None,
    }
    return Q(**{prefix + column: value for column, value in columns.items() if value is not None})


def _as_written(agent: Any, name: str) -> str:
    """Find a custom agent's name as it is written; one that is gone must be given so."""
    known: str | None = agent.custom_agents.filter(name__iexact=name).values_list("name", flat=True).first()
    return known or name


def _least(before: str | None, until: datetime | None) -> str | None:
    bounds = [bound for bound in (before, until and _id_at(until, SLACK_MS)) if bound]
    return min(bounds, default=None)


def _id_at(moment: datetime, more_ms: int) -> str:
    """Make the lowest id of so long after a moment; outside of what ids can tell, the lowest or highest there is."""
    milliseconds = min(max(int(moment.timestamp() * 1000) + more_ms, 0), 2**48 - 1)
    return str(ULID(milliseconds.to_bytes(6, "big") + bytes(10)))
