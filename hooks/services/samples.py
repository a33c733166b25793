"""Sample contexts: what people test hooks with."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from hooks.engine import transcript as transcripts
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS, prepare, suggestion, unknown_event
from hooks.models import SampleContext
from hooks.services.configuration import check_precondition, lock
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import NotFound

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
FIELDS = ("event", "context", "transcript", "expected", "description")
READ_ONLY = ("name", "version")
SAMPLES_LIMIT = 1000
DECISIONS = ("allow", "block", "deny", "ask", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleValues:
    """A sample that was checked."""

    event: str
    context: dict[str, Any]
    transcript: Any = None
    expected: dict[str, Any] | None = None
    description: str = ""


def read_sample(raw: object, *, agent_name: str) -> SampleValues:
    """Check a sample's document. The context's `hook_event_name` and `agent_name` may be left out. Raises Invalid."""
    if not isinstance(raw, Mapping):
        raise Invalid([Fault("", "invalid_type", f"must be an object: {', '.join(FIELDS)}.")])
    faults = [
        Fault(
            str(key)[:100],
            "unknown_option",
            f"{str(key)[:100]!r} is no field of a sample{suggestion(str(key), dict.fromkeys(FIELDS))}",
        )
        for key in raw
        if key not in FIELDS + READ_ONLY
    ]
    context, event = raw.get("context"), raw.get("event")
    if event is None and isinstance(context, Mapping):
        event = context.get("hook_event_name")
    if not isinstance(event, str) or event not in EVENTS:
        message = unknown_event(event) if isinstance(event, str) else f"is required: one of {', '.join(EVENTS)}."
        faults.append(Fault("event", "required" if event is None else "unknown_event", message))
    if isinstance(context, Mapping):
        context = {"hook_event_name": event, "agent_name": agent_name, **context}
        if context["hook_event_name"] != event and event in EVENTS:
            faults.append(Fault("context.hook_event_name", "contradiction", f"must be the sample's event, {event}."))
    faults += [fault for fault in prepare(context).faults if fault.target != "context.hook_event_name"]
    faults += _transcript_faults(raw.get("transcript")) + _expected_faults(raw.get("expected"), event)
    description = raw.get("description") or ""
    if not isinstance(description, str) or len(description) > 2000 or "\x00" in description:
        faults.append(Fault("description", "invalid_type", "must be a text of at most 2,000 characters."))
    if faults:
        raise Invalid(faults)
    return SampleValues(
        event=str(event),
        context=dict(raw["context"]),
        transcript=raw.get("transcript"),
        expected=dict(raw["expected"]) if raw.get("expected") else None,
        description=description,
    )


def _transcript_faults(raw: object) -> list[Fault]:
    try:
        transcripts.render(raw)
    except Invalid as invalid:
        return invalid.faults
    return []


def _expected_faults(raw: object, event: object) -> list[Fault]:
    if raw is None:
        return []
    if not isinstance(raw, Mapping):
        return [Fault("expected", "invalid_type", "must be an object, or null: {decision, reasonContains}.")]
    faults = [
        Fault(f"expected.{str(key)[:100]}", "unknown_option", "is no field of an expected decision.")
        for key in raw
        if key not in ("decision", "reasonContains")
    ]
    possible = decisions_of(event)
    if raw.get("decision") not in possible:
        faults.append(Fault("expected.decision", "invalid_choice", f"must be {' or '.join(possible)}."))
    if not isinstance(raw.get("reasonContains") or "", str):
        faults.append(Fault("expected.reasonContains", "invalid_type", "must be a text."))
    return faults


def decisions_of(event: object) -> tuple[str, ...]:
    """The decisions that an event can come to."""
    entry = EVENTS.get(event) if isinstance(event, str) else None
    if entry is None:
        return DECISIONS
    if not entry.can_refuse:
        return ("allow",)
    return ("allow", "deny", "ask", "none") if entry.silent == "none" else ("allow", "block")


def find_sample(*, agent: Any, name: str) -> SampleContext:
    """Find a sample by its name, in any case. Raises NotFound."""
    found = None if "\x00" in name else agent.samples.filter(name__iexact=name).first()
    if found is None:
        raise NotFound(f"There is no sample context {name[:64]!r} on the agent {agent.name!r}.")
    sample: SampleContext = found
    return sample


@transaction.atomic
def save_sample(
    *,
    agent: Any,
    name: str,
    values: SampleValues,
    expected: str | None = None,
    create_only: bool = False,
    dry_run: bool = False,
    by: Actor,
) -> tuple[SampleContext, dict[str, Any] | None]:
    """Store a sample under `name`; return it and what stood there before. Raises Invalid, PreconditionFailed."""
    if not NAME.fullmatch(name):
        message = "must have 1 to 64 letters, digits, hyphens and underscores."
        raise Invalid([Fault("name", "invalid_name", message)])
    lock(agent)
    row = agent.samples.filter(name__iexact=name).first()
    check_precondition(row, expected=expected, create_only=create_only)
    if row is None and agent.samples.count() >= SAMPLES_LIMIT:
        raise Invalid(
            [Fault("name", "too_many", f"The agent has {SAMPLES_LIMIT:,} samples, which is the most it may have.")]
        )
    before = describe(row) if row else None
    row = row or SampleContext(agent=agent)
    row.name, row.event, row.context = name, values.event, values.context
    row.transcript, row.expected, row.description = values.transcript, values.expected, values.description
    if before is None or before != describe(row):
        row.version = row.version + 1 if row.pk else 1
        row.save()
        verb = Verb.SAMPLE_UPDATED if before else Verb.SAMPLE_CREATED
        _audit(verb, agent, row, by, before=_short(before), after=_short(describe(row)))
    if dry_run:
        transaction.set_rollback(True)
    return row, before


@transaction.atomic
def delete_sample(*, sample: SampleContext, expected: str | None = None, dry_run: bool = False, by: Actor) -> None:
    """Delete a sample. Raises PreconditionFailed."""
    lock(sample.agent)
    check_precondition(SampleContext.objects.filter(pk=sample.pk).first(), expected=expected)
    _audit(Verb.SAMPLE_DELETED, sample.agent, sample, by, before=_short(describe(sample)))
    sample.delete()
    if dry_run:
        transaction.set_rollback(True)


def describe(sample: SampleContext) -> dict[str, Any]:
    """Show a sample as the API does."""
    return {
        "name": sample.name,
        "event": sample.event,
        "context": sample.context,
        "transcript": sample.transcript,
        "expected": sample.expected,
        "description": sample.description,
        "version": sample.version,
    }


def _short(shown: dict[str, Any] | None) -> dict[str, Any] | None:
    # A transcript may have 32 MiB; the audit log keeps that it was there, not what it said.
    if shown is None or not shown["transcript"]:
        return shown
    return {**shown, "transcript": f"({len(shown['transcript']):,} characters or turns)"}


def _audit(verb: Verb, agent: Any, sample: SampleContext, by: Actor, *, before: Any = None, after: Any = None) -> None:
    record(
        verb,
        by=by,
        object_type="sample",
        object_key=sample.pk,
        object_text=sample.name,
        agent_name=agent.name,
        before=before,
        after=after,
    )
