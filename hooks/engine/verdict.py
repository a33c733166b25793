"""What one hook says: its answer as a JSON object, read into a verdict (R24 to R28)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hooks.engine.errors import HookError
from hooks.engine.events import EVENTS, Event

Outcome = Literal["allow", "block", "deny", "ask", "none", "error", "skipped"]

KNOWN = {"ok", "decision", "reason", "hookSpecificOutput"}
KNOWN_SPECIFIC = {"hookEventName", "additionalContext"}
KNOWN_PERMISSION = {"permissionDecision", "permissionDecisionReason"}
SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`outcome` is one of the event's own words: allow or block; on PreToolUse allow, deny, ask or none."""

    outcome: Outcome
    reason: str | None = None
    additional_context: str | None = None
    warnings: tuple[str, ...] = ()


Answer = Verdict | HookError


class _Wrong(Exception):
    """A field of the answer cannot be read; the text names it."""


def decide(event: str, found: Mapping[str, Any], *, source: Literal["command", "judge"], name: str) -> Answer:
    """Read a hook's JSON object (R24, R25). `name` is the hook's, for the reason of a block that gives none (R26)."""
    entry = EVENTS[event]
    try:
        return _read(entry, found, source, name)
    except _Wrong as wrong:
        return HookError("invalid_decision", str(wrong))


def refuse(event: str, reason: str | None, *, name: str, warnings: tuple[str, ...] = ()) -> Verdict:
    """Make the verdict of an objection: exit 2, `ok: false` or a blocking decision (R20, R25 to R27)."""
    entry = EVENTS[event]
    if not entry.can_refuse:
        return Verdict(
            outcome="allow", reason=reason, warnings=(*warnings, f"{event} cannot block: the block is ignored.")
        )
    if reason is None or not reason.strip():
        if entry.blank_refusal_allows:
            note = f"The rejection has no reason, so it counts as approval: a {event} hook must always give a reason."
            return Verdict(outcome="allow", warnings=(*warnings, note))
        reason = f"Blocked by hook '{name}'"
    return Verdict(outcome=entry.refusal, reason=reason, warnings=warnings)


def _read(entry: Event, found: Mapping[str, Any], source: str, name: str) -> Verdict:
    specific = found.get("hookSpecificOutput")
    if specific is None:
        specific = {}
    if not isinstance(specific, Mapping):
        raise _Wrong(f"hookSpecificOutput must be an object, not {_kind(specific)}.")
    warnings = _unknown_keys(entry, found, specific)
    reason = _text(found, "reason", "reason")
    added = _text(specific, "additionalContext", "hookSpecificOutput.additionalContext")
    if added is not None and not added.strip():
        added = None
    outcome, reason = _outcome(entry, found, specific, reason)
    if outcome is None and source == "judge" and entry.can_refuse:
        raise _Wrong('The answer decides nothing: it has neither "ok" nor "decision".')
    if outcome == entry.refusal:
        verdict = refuse(entry.name, reason, name=name, warnings=warnings)
    else:
        verdict = Verdict(outcome=outcome or entry.silent, reason=reason, warnings=warnings)
    return _with_context(entry, verdict, added)


def _with_context(entry: Event, verdict: Verdict, added: str | None) -> Verdict:
    warnings = verdict.warnings
    if added is not None and not entry.context:
        warnings += (f"additionalContext is not delivered on {entry.name}.",)
    return Verdict(
        outcome=verdict.outcome,
        reason=verdict.reason,
        additional_context=added if entry.context else None,
        warnings=warnings,
    )


def _outcome(
    entry: Event, found: Mapping[str, Any], specific: Mapping[str, Any], reason: str | None
) -> tuple[Outcome | None, str | None]:
    """Find the one outcome that all deciding fields agree on, and its reason; None where none of them is there."""
    said: dict[str, Outcome] = {}
    if "ok" in found:
        if not isinstance(found["ok"], bool):
            raise _Wrong(f"ok must be true or false, not {_shown(found['ok'])}.")
        said["ok"] = entry.silent if found["ok"] else entry.refusal
    if "decision" in found:
        said["decision"] = _word(entry, found["decision"], "decision")
    if entry.name == "PreToolUse":
        field = "hookSpecificOutput.permissionDecision"
        if "permissionDecision" in specific:
            said[field] = _word(entry, specific["permissionDecision"], field)
        own = _text(specific, "permissionDecisionReason", f"{field}Reason")
        reason = own if own is not None and own.strip() else reason
    return _agreed(entry, said), reason


def _agreed(entry: Event, said: Mapping[str, Outcome]) -> Outcome | None:
    words = set(said.values())
    # On PreToolUse `ok: true` is no opinion, so it contradicts a refusal only.
    if entry.silent == "none" and len(words) > 1 and entry.refusal not in words:
        words.discard("none")
    if len(words) > 1:
        raise _Wrong(f"{' and '.join(said)} contradict each other.")
    return words.pop() if words else None


def _word(entry: Event, word: object, field: str) -> Outcome:
    if not isinstance(word, str) or word not in entry.verdicts:
        allowed = ", ".join(f'"{known}"' for known in entry.verdicts)
        raise _Wrong(f"{field} must be one of {allowed} on {entry.name}, not {_shown(word)}.")
    return entry.verdicts[word]


def _text(found: Mapping[str, Any], key: str, field: str) -> str | None:
    value = found.get(key)
    if value is not None and not isinstance(value, str):
        raise _Wrong(f"{field} must be a text, not {_kind(value)}.")
    return value


def _unknown_keys(entry: Event, found: Mapping[str, Any], specific: Mapping[str, Any]) -> tuple[str, ...]:
    """Warn of keys that nobody reads (R24, R28)."""
    inner = KNOWN_SPECIFIC | (KNOWN_PERMISSION if entry.name == "PreToolUse" else set())
    odd = [key for key in found if key not in KNOWN and key != "additionalContext"]
    odd += [f"hookSpecificOutput.{key}" for key in specific if key not in inner]
    warnings = []
    if found.get("additionalContext") is not None:
        warnings.append("additionalContext at the top level is not delivered: put it under hookSpecificOutput.")
    if odd:
        named = ", ".join(key[:SHOWN] for key in odd[:10]) + (" and more" if len(odd) > 10 else "")
        warnings.append(f"Unknown keys in the answer are ignored: {named}.")
    return tuple(warnings)


def _shown(value: object) -> str:
    return f'"{value[:SHOWN]}"' if isinstance(value, str) else _kind(value)


def _kind(value: object) -> str:
    kinds = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "an object")
