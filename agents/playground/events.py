"""One event of a thread put through the hooks, and what is kept of it in the thread."""

from collections.abc import Callable
from typing import Any

from agents.models import Thread, ThreadEntry
from agents.playground import conversation, entries
from hooks import services
from hooks.engine.pipeline import rejection_limit
from hooks.models import HookResult, Kind
from hooks.services import killswitch, loading
from hooks.services.records import Record
from portal.access.actors import Actor
from portal.redaction import redact

REASON = 2000


def evaluate(
    thread: Thread, event: str, *, about: ThreadEntry, by: Actor, cancelled: Callable[[], bool], **fields: Any
) -> Record:
    """Put `event` through the hooks as they are now (R11), and add the evaluation to the thread.

    One that was stored before the worker was lost is not run again. Raises Cancelled, and Refused or Invalid for an event that
    cannot be evaluated, such as one that is too large.
    """
    turns = conversation.transcript(conversation.said(thread.entries))
    context = {
        "hook_event_name": event,
        "agent_name": thread.who,
        "current_turn": thread.turn,
        "max_turns": thread.max_turns,
        **fields,
    }
    request = services.read_event(
        {
            "context": context,
            "threadId": thread.key,
            "transcript": turns,
            "idempotencyKey": f"playground:{about.pk}:{event}",
        }
    )
    limit = _limit(thread) if event == "Stop" else None
    thread.agent.refresh_from_db(fields=killswitch.FIELDS)  # a turn may take minutes, and the switch counts at once
    record = services.evaluate(agent=thread.agent, request=request, by=by, kind=Kind.PLAYGROUND, cancelled=cancelled)
    attempt = record.evaluation.context.get("stop_rejection_count", 0) + 1 if event == "Stop" else None
    shown = redact(snapshot(record, attempt=attempt, limit=limit))
    if not thread.entries.filter(evaluation=record.evaluation.pk).exists():
        entries.append(thread, entries.Kind.EVALUATION, evaluation=record.evaluation.pk, about=about.number, **shown)
    return record


def _limit(thread: Thread) -> int | None:
    """How many rejections the prompt hooks that apply may make (R33); None without any."""
    hooks = loading.load(thread.agent, "Stop", thread.who, thread.key)
    return rejection_limit([*hooks.agent, *hooks.custom])


def snapshot(record: Record, *, attempt: int | None, limit: int | None) -> dict[str, Any]:
    """Keep what the page shows, since the evaluation may be deleted before the thread is."""
    evaluation = record.evaluation
    return {
        "event": evaluation.event,
        "tool": evaluation.tool_name,
        "decision": evaluation.decision,
        "reason": (evaluation.reason or "")[:REASON],
        "context": bool(evaluation.additional_context),
        "forced": evaluation.forced_stop,
        "durationMs": evaluation.duration_ms,
        "attempt": attempt,
        "limit": limit,
        "warnings": [str(warning["message"])[:REASON] for warning in evaluation.warnings[:5]],
        "hooks": [_hook(result) for result in record.results],
    }


def _hook(result: HookResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "level": result.level,
        "type": result.type,
        "outcome": result.outcome,
        "reason": (result.reason or "")[:REASON],
        "error": str(result.error_message or "")[:REASON],
        "failModeApplied": result.fail_mode_applied,
        "delivered": result.delivered,
        "durationMs": result.duration_ms,
        "costUsd": (result.model_call or {}).get("costUsd"),
        "warnings": [str(text)[:300] for text in result.warnings[:3]],
    }
