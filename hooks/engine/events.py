"""The events, one declarative entry each. Adding an event means adding an entry here."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hooks.engine.errors import Fault
from hooks.engine.transcript import TRANSCRIPT_PATH

REQUIRED: Any = object()
TOOL_NAME_LIMIT = 1000
WORD_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a context. `kind` is what the message calls its type, `schema` what JSON Schema calls it.

    Without a `default` the caller must send it.
    """

    kind: str
    accepts: Callable[[object], bool]
    schema: Mapping[str, Any]
    default: Any = REQUIRED


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_tool_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= TOOL_NAME_LIMIT


SOME = r"\S"  # a pattern for a text that is not blank
TEXT = Field("a text", lambda value: isinstance(value, str), {"type": "string"})
NAME = Field(
    "a text that is not blank",
    lambda value: isinstance(value, str) and bool(value.strip()),
    {"type": "string", "pattern": SOME},
)
BOOLEAN = Field("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
OBJECT = Field("an object", lambda value: isinstance(value, Mapping), {"type": "object"})
ANYTHING = Field("a text or any JSON", lambda value: True, {})
TOOL_NAME = Field(
    f"a text of 1 to {TOOL_NAME_LIMIT:,} characters that is not blank",
    _is_tool_name,
    {"type": "string", "pattern": SOME, "maxLength": TOOL_NAME_LIMIT},
)
COUNT = Field("a whole number, 0 or more", _is_count, {"type": "integer", "minimum": 0}, 0)
FLAG = replace(BOOLEAN, default=False)

COMMON = {"hook_event_name": NAME, "agent_name": NAME, "current_turn": COUNT, "max_turns": COUNT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What is true of one event.

    fields     what its context has beyond the common fields (R12)
    tool       whether it concerns a tool, and so has a matcher
    verdicts   the words a hook's `decision` may be, each with the outcome that it means
    silent     the outcome of a hook that has no objection (R18, R25)
    refusal    the outcome of an objection: exit 2, `ok: false`, an error with failMode block
    context    whether `additionalContext` reaches the agent (R28)
    blank_refusal_allows   whether an objection without a reason counts as none (R26)
    can_refuse whether an objection counts at all (R27)
    """

    name: str
    summary: str
    fields: Mapping[str, Field]
    tool: bool = False
    verdicts: Mapping[str, Literal["allow", "block", "deny", "ask"]] = field(
        default_factory=lambda: {"allow": "allow", "block": "block"}
    )
    silent: Literal["allow", "none"] = "allow"
    refusal: Literal["block", "deny"] = "block"
    context: bool = True
    blank_refusal_allows: bool = False
    can_refuse: bool = True


_ALL = (
    Event(
        name="Start",
        summary="A thread begins. May add context, cannot block.",
        fields={"source": replace(TEXT, default="unknown")},
        can_refuse=False,
    ),
    Event(
        name="PreToolUse",
        summary="A tool is about to be called. May allow, deny or ask a person.",
        fields={"tool_name": TOOL_NAME, "tool_input": OBJECT},
        tool=True,
        verdicts={"allow": "allow", "deny": "deny", "block": "deny", "ask": "ask"},
        silent="none",
        refusal="deny",
    ),
    Event(
        name="PostToolUse",
        summary="A tool has finished. May block the result or add context; the tool has already run.",
        fields={"tool_name": TOOL_NAME, "tool_input": OBJECT, "tool_result": ANYTHING, "tool_succeeded": BOOLEAN},
        tool=True,
    ),
    Event(
        name="Stop",
        summary="The agent is about to answer. May reject with a reason; the agent then goes on.",
        fields={"final_output": TEXT, "stop_hook_active": FLAG, "stop_rejection_count": COUNT},
        context=False,
        blank_refusal_allows=True,
    ),
)
EVENTS: Mapping[str, Event] = {event.name: event for event in _ALL}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A context with the portal's own values filled in, or its faults. `event` is "" where it is unknown."""

    event: str
    context: dict[str, Any]
    faults: list[Fault]


def prepare(raw: object, *, path: str = "context") -> Prepared:
    """Check an event's context and complete it (R12). Fields beyond the known ones pass through untouched."""
    if not isinstance(raw, Mapping):
        code = "required" if raw is None else "invalid_type"
        return Prepared("", {}, [Fault(path, code, "must be an object with the fields of the event")])
    name = raw.get("hook_event_name")
    event = EVENTS.get(name) if isinstance(name, str) else None
    expected = {**COMMON, **(event.fields if event else {})}
    faults = [fault for key, want in expected.items() if (fault := _fault(raw, key, want, f"{path}.{key}"))]
    if event is None and isinstance(name, str) and name.strip():
        faults.insert(0, Fault(f"{path}.hook_event_name", "unknown_event", unknown_event(name)))
    if isinstance(raw.get("thread_id", ""), str) is False:
        faults.append(Fault(f"{path}.thread_id", "invalid_type", "must be a text"))
    defaults = {key: want.default for key, want in expected.items() if want.default is not REQUIRED and key not in raw}
    # A path of the caller's is never opened here: hooks read the file inside their own world (R13).
    context = {**raw, **defaults, "execution_summary": TRANSCRIPT_PATH}
    return Prepared(event.name if event else "", context, faults)


def _fault(raw: Mapping[str, Any], key: str, want: Field, path: str) -> Fault | None:
    if key not in raw:
        return Fault(path, "required", f"is required: {want.kind}") if want.default is REQUIRED else None
    return None if want.accepts(raw[key]) else Fault(path, "invalid_type", f"must be {want.kind}")


def unknown_event(name: str) -> str:
    """Say which events there are, and which one was meant where that can be guessed."""
    return f"{name[:100]!r} is no event{suggestion(name, EVENTS)} The events are {', '.join(EVENTS)}."


def suggestion(word: str, known: Mapping[str, object]) -> str:
    """End a sentence about an unknown word with the nearest known one, if one is near."""
    by_lower = {name.lower(): name for name in known}
    # What is too long for a typing error would only cost time.
    near = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.7) if len(word) <= WORD_LIMIT else []
    return f"; did you mean {by_lower[near[0]]!r}?" if near else "."
