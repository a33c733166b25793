"""Evaluations as rows: made from what the engine found, stored whole, shown as the API shows them."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from hooks import metrics
from hooks.engine import results as engine
from hooks.engine.events import EVENTS
from hooks.engine.merge import effect
from hooks.engine.model import ModelCall
from hooks.models import Evaluation, Hook, HookResult, Kind, Source
from hooks.models.records import new_id
from hooks.services.requests import EventRequest
from portal.access.actors import Actor
from portal.prepared import insert
from portal.redaction import redact

NAME_LIMIT = 200
# What hooks, models and callers wrote, and so may hold a secret.
WRITTEN = ("context", "transcript", "reason", "additional_context", "warnings")
SAID = ("reason", "additional_context", "error_message", "stdout", "stderr", "model_call", "warnings")


@dataclass(slots=True, kw_only=True)
class Record:
    """An evaluation with its results, in order. `store_ms`: how long storing it took, where that was just now."""

    evaluation: Evaluation
    results: list[HookResult]
    store_ms: float | None = None


def load(evaluation: Evaluation) -> Record:
    return Record(evaluation=evaluation, results=list(evaluation.results.order_by("index")))


def build(
    found: engine.Evaluation,
    *,
    agent: Any,
    kind: Kind,
    request: EventRequest,
    by: Actor | None = None,
    **more: Any,
) -> Record:
    """Make the rows of an evaluation, not stored yet. `more` are further fields of Evaluation."""
    now = timezone.now()
    tool = found.context.get("tool_name")
    evaluation = Evaluation(
        id=new_id(),
        agent=agent,
        kind=kind,
        event=found.event,
        thread_key=request.thread_key,
        tool_name=tool[:NAME_LIMIT].replace("\x00", "\ufffd") if isinstance(tool, str) else "",
        context=dict(found.context),
        transcript=request.transcript or None,
        decision=found.decision,
        reason=found.reason,
        additional_context=found.additional_context,
        truncated=found.truncated,
        forced_stop=found.forced_stop,
        warnings=[asdict(notice) for notice in found.warnings],
        duration_ms=found.duration_ms,
        stages=dict(request.stages) or None,
        idempotency_key=request.idempotency_key,
        request_id=by.request_id if by else "",
        by=by.text[:200] if by else "",
        created_at=now,
        errors=sum(one.outcome == "error" for one in found.hooks),
        **_source(found, off=more.get("hooks_off", False)),
        **more,
    )
    return Record(
        evaluation=evaluation,
        results=[_result(evaluation, index, one, now) for index, one in enumerate(found.hooks)],
    )


def _source(found: engine.Evaluation, *, off: bool) -> dict[str, str]:
    """Tell what made the decision: the first hook that said it, or whose failure stands for it, or why there was none."""
    if off or not found.hooks:
        return {"source": Source.HOOKS_OFF if off else Source.NO_HOOK}
    event = EVENTS[found.event]
    if found.decision == event.silent:
        said = [one for one in found.hooks if one.error is not None]
        if found.forced_stop or not said:
            return {"source": Source.LIMIT if found.forced_stop else Source.NO_OBJECTION}
    else:
        said = [one for one in found.hooks if effect(event, one) == found.decision]
    decided = next((one for one in said if one.error is None), said[0])
    by = {"source_hook": decided.name, "source_error": decided.error.code if decided.error else ""}
    return {"source": Source.FAIL_MODE if decided.error else Source.HOOK, **by}


def store(record: Record, *, also: Callable[[], None] | None = None) -> Record:
    """Store an evaluation with its results, and do `also`, all in one transaction.

    What is stored has no secrets; `record`, which comes back, has the true texts, for the agent that asked.
    """
    kept = masked(record)
    try:
        _store(kept, also)
    except IntegrityError:
        # The decision stands when a hook was deleted while it ran; its result then names it without pointing to it.
        if not _let_go_of_deleted_hooks(kept):
            raise
        _store(kept, also)
    metrics.count(record.evaluation, record.results)
    return record


def masked(record: Record) -> Record:
    """Make a copy without secrets; the record itself where it holds none."""
    rows: list[tuple[Any, Sequence[str]]] = [(record.evaluation, WRITTEN), *((one, SAID) for one in record.results)]
    values = [getattr(row, name) for row, names in rows for name in names]
    found = redact(values)
    if found == values:
        return record
    given = iter(found)
    copies = []
    for row, names in rows:
        copies.append(copied := copy(row))
        for name in names:
            setattr(copied, name, next(given))
    return Record(evaluation=copies[0], results=copies[1:], store_ms=record.store_ms)


def _store(record: Record, also: Callable[[], None] | None) -> None:
    with transaction.atomic():
        insert([record.evaluation])
        if record.results:
            insert(record.results)
        if also is not None:
            also()


def _let_go_of_deleted_hooks(record: Record) -> bool:
    there = set(Hook.objects.filter(pk__in=[result.hook_id for result in record.results]).values_list("pk", flat=True))
    lost = [result for result in record.results if result.hook_id is not None and result.hook_id not in there]
    for result in lost:
        result.hook_id = None
    for result in record.results:
        result.pk = None
    return bool(lost)


def _result(evaluation: Evaluation, index: int, one: engine.HookResult, now: datetime) -> HookResult:
    return HookResult(
        agent_id=evaluation.agent_id,
        evaluation=evaluation,
        index=index,
        hook_id=one.key,
        name=one.name,
        level=one.level,
        position=one.position,
        type=one.type or "",
        version=one.version,
        content_hash=one.content_hash or "",
        outcome=one.outcome,
        reason=one.reason,
        additional_context=one.additional_context,
        delivered=one.delivered,
        error_code=one.error.code if one.error else "",
        error_message=one.error.message if one.error else "",
        fail_mode_applied=one.fail_mode_applied,
        exit_code=one.exit_code,
        signal=one.signal,
        stdout=one.stdout,
        stderr=one.stderr,
        model_call=_model_call(one.model_call),
        started_at=one.started_at,
        duration_ms=one.duration_ms,
        warnings=list(one.warnings),
        kind=evaluation.kind,
        created_at=now,
    )


def _model_call(call: ModelCall | None) -> dict[str, Any] | None:
    if call is None:
        return None
    return {
        "tier": call.tier,
        "deployment": call.deployment,
        "promptTokens": call.prompt_tokens,
        "completionTokens": call.completion_tokens,
        "costUsd": call.cost_usd,
        "toolCalls": call.tool_calls,
        "raw": call.raw,
    }


def describe(record: Record) -> dict[str, Any]:
    """Show an evaluation as the answer to an evaluate call."""
    evaluation = record.evaluation
    return {
        "id": evaluation.id,
        "event": evaluation.event,
        "decision": evaluation.decision,
        "reason": evaluation.reason,
        "additionalContext": evaluation.additional_context,
        "truncated": evaluation.truncated,
        "forcedStop": evaluation.forced_stop,
        "durationMs": evaluation.duration_ms,
        "warnings": evaluation.warnings,
        "hooks": [describe_result(result) for result in record.results],
    }


def describe_result(result: HookResult) -> dict[str, Any]:
    """Show what one hook did."""
    return {
        "name": result.name,
        "level": result.level,
        "position": result.position,
        "type": result.type or None,
        "version": result.version,
        "contentHash": result.content_hash or None,
        "outcome": result.outcome,
        "reason": result.reason,
        "additionalContext": result.additional_context,
        "delivered": result.delivered,
        "error": {"code": result.error_code, "message": result.error_message} if result.error_code else None,
        "failModeApplied": result.fail_mode_applied,
        "exitCode": result.exit_code,
        "signal": result.signal,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "modelCall": result.model_call,
        "startedAt": timestamp(result.started_at),
        "durationMs": result.duration_ms,
        "warnings": result.warnings,
    }


def summarise(evaluation: Evaluation) -> dict[str, Any]:
    """Show an evaluation as a list does, without its hooks, context and transcript."""
    return {
        "id": evaluation.id,
        "kind": evaluation.kind,
        "event": evaluation.event,
        "customAgent": evaluation.custom_agent or None,
        "toolName": evaluation.tool_name or None,
        "threadId": evaluation.thread_key or None,
        "decision": evaluation.decision,
        "reason": evaluation.reason,
        "forcedStop": evaluation.forced_stop,
        "hooksOff": evaluation.hooks_off,
        "source": describe_source(evaluation),
        "durationMs": evaluation.duration_ms,
        "createdAt": timestamp(evaluation.created_at),
    }


def describe_whole(record: Record) -> dict[str, Any]:
    """Show all that is kept of an evaluation."""
    evaluation = record.evaluation
    return {
        **describe(record),
        **summarise(evaluation),
        "context": evaluation.context,
        "transcript": evaluation.transcript,
        "sample": evaluation.sample or None,
        "expected": evaluation.expected,
        "passed": evaluation.passed,
        "stages": evaluation.stages,
        "replayOf": evaluation.replay_of or None,
        "testRun": evaluation.test_run_id,
        "requestId": evaluation.request_id or None,
        "by": evaluation.by or None,
    }


def describe_source(evaluation: Evaluation) -> dict[str, Any] | None:
    """Show what made the decision; None where that was not recorded yet."""
    if not evaluation.source:
        return None
    return {
        "kind": evaluation.source,
        "hook": evaluation.source_hook or None,
        "error": evaluation.source_error or None,
    }


def timestamp(moment: datetime | None) -> str | None:
    """Write a time as RFC 3339 in UTC."""
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
