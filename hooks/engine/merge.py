"""How the verdicts of all hooks become one decision (R29 to R32)."""

from collections.abc import Sequence
from dataclasses import dataclass

from hooks.engine.events import Event
from hooks.engine.results import Decision, HookResult

TEXT_LIMIT = 10_000
STRENGTH: tuple[Decision, ...] = ("block", "deny", "ask", "allow")
"""The first of these that any hook says is the decision; where none is said, it is the event's silence."""


@dataclass(frozen=True, slots=True)
class Merged:
    decision: Decision
    reason: str | None
    additional_context: str | None
    truncated: bool


def merge(event: Event, results: Sequence[HookResult]) -> Merged:
    """Merge `results`, which are in running order. Marks the one whose context is delivered (R31)."""
    said = [(effect(event, result), result) for result in results]
    decision = next((word for word in STRENGTH if any(word == one for one, _ in said)), event.silent)
    reasons = [_reason(result) for word, result in said if word == decision]
    silent = decision == "none" or (decision == "allow" and event.silent == "allow")
    reason = None if silent else "\n".join(text for text in reasons if text and text.strip()) or None
    context = _delivered(results)
    short_reason, short_context = _cut(reason), _cut(context)
    return Merged(decision, short_reason, short_context, (short_reason, short_context) != (reason, context))


def effect(event: Event, result: HookResult) -> Decision | None:
    """What a result counts for. An error is never an allow, which on PreToolUse would override tool policy (R22)."""
    if result.outcome == "error":
        return event.refusal if result.fail_mode == "block" and event.can_refuse else None
    return None if result.outcome == "skipped" else result.outcome


def _reason(result: HookResult) -> str | None:
    if result.error is not None:
        return f"Hook '{result.name}' failed: {result.error.message}"
    return result.reason


def _delivered(results: Sequence[HookResult]) -> str | None:
    for result in reversed(results):
        if result.additional_context is not None:
            result.delivered = True
            return result.additional_context
    return None


def _cut(text: str | None) -> str | None:
    return text[:TEXT_LIMIT] if text is not None else None
