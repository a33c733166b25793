"""What callers send to evaluate, check and test: read whole, so that all faults are told at once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hooks import runtime
from hooks.engine import transcript as transcripts
from hooks.engine.errors import Fault, Invalid, Notice
from hooks.engine.events import prepare, suggestion
from hooks.engine.parsing import parse_lists
from hooks.engine.spec import HookSpec
from portal.errors import TooLarge

CONTEXT_LIMIT = 8 * 1024 * 1024
TRANSCRIPT_LIMIT = transcripts.LIMIT
KEY_LIMIT = 200
COMMON = ("context", "threadId", "transcript", "idempotencyKey")


@dataclass(slots=True, kw_only=True)
class EventRequest:
    """An event to evaluate. `given` are the fields of its context that the caller sent.

    `stages`: milliseconds that went by already, by what they went into.
    """

    event: str
    context: dict[str, Any]
    transcript: str
    thread_key: str = ""
    idempotency_key: str | None = None
    given: frozenset[str] = frozenset()
    stages: dict[str, float] = field(default_factory=dict)

    @property
    def counted(self) -> bool:
        """Whether the caller leaves the count of rejections to the portal (R35)."""
        return self.event == "Stop" and bool(self.thread_key) and "stop_rejection_count" not in self.given

    def set_rejections(self, count: int) -> None:
        """Fill in how often this Stop was rejected before."""
        self.context["stop_rejection_count"] = count
        if "stop_hook_active" not in self.given:
            self.context["stop_hook_active"] = count > 0


@dataclass(slots=True, kw_only=True)
class CheckRequest(EventRequest):
    """An event with the hooks to put it through."""

    agent: Sequence[HookSpec] = ()
    custom_agent: Sequence[HookSpec] = ()
    activate: frozenset[str] = frozenset()
    warnings: list[Notice] = field(default_factory=list)


def read_event(body: object, *, also: Sequence[str] = ()) -> EventRequest:
    """Read the body of an evaluate call. Raises Invalid, TooLarge."""
    request, faults = _event(body, also)
    if faults:
        raise Invalid(faults)
    return request


def read_check(body: object) -> CheckRequest:
    """Read the body of a check: an event, and the hooks under `hooks.agent` and `hooks.customAgent`. Raises Invalid, TooLarge."""
    request, faults = _event(body, ("hooks", "activate"))
    raw = body if isinstance(body, Mapping) else {}
    levels, more = _levels(raw.get("hooks"))
    syntax = runtime.syntax()
    agent = parse_lists(levels.get("agent"), path="hooks.agent", level="agent", syntax=syntax)
    custom = parse_lists(levels.get("customAgent"), path="hooks.customAgent", level="customAgent", syntax=syntax)
    activate, odd = _activate(raw.get("activate"))
    faults = more + agent.faults + custom.faults + odd + faults
    if faults:
        raise Invalid(faults)
    return CheckRequest(
        event=request.event,
        context=request.context,
        transcript=request.transcript,
        thread_key=request.thread_key,
        idempotency_key=request.idempotency_key,
        given=request.given,
        agent=agent.hooks.get(request.event, []),
        custom_agent=custom.hooks.get(request.event, []),
        activate=activate,
        warnings=agent.warnings + custom.warnings,
    )


def read_context(raw: object, transcript: object = None, *, path: str = "context") -> EventRequest:
    """Check a context with its transcript by themselves. Raises Invalid, TooLarge."""
    check_size(raw)
    prepared = prepare(raw, path=path)
    text, faults = _transcript(transcript)
    if prepared.faults or faults:
        raise Invalid(prepared.faults + faults)
    return EventRequest(event=prepared.event, context=prepared.context, transcript=text)


def check_size(context: object) -> None:
    """Refuse a context of more than 8 MiB, as a hook would get it. Raises TooLarge."""
    size = len(json.dumps(context, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
    if size > CONTEXT_LIMIT:
        raise TooLarge(f"The context has {size:,} bytes; at most {CONTEXT_LIMIT:,} are allowed.", "context")


def _event(body: object, also: Sequence[str]) -> tuple[EventRequest, list[Fault]]:
    if not isinstance(body, Mapping):
        raise Invalid([Fault("", "invalid_type", "The body must be an object with the event's context.")])
    allowed = dict.fromkeys((*COMMON, *also))
    faults = [
        Fault(str(key)[:100], "unknown_field", f"{str(key)[:100]!r} is no field here{suggestion(str(key), allowed)}")
        for key in body
        if key not in allowed
    ]
    raw = body.get("context")
    check_size(raw)
    thread_key, odd = _thread(body)
    faults += odd
    if isinstance(raw, Mapping) and thread_key and "thread_id" not in raw:
        raw = {**raw, "thread_id": thread_key}
    prepared = prepare(raw)
    text, more = _transcript(body.get("transcript"))
    key = body.get("idempotencyKey")
    if key is not None and not is_key(key):
        faults.append(
            Fault("idempotencyKey", "invalid", f"must be a text of 1 to {KEY_LIMIT} characters, without NUL.")
        )
    request = EventRequest(
        event=prepared.event,
        context=prepared.context,
        transcript=text,
        thread_key=thread_key,
        idempotency_key=key if isinstance(key, str) else None,
        given=frozenset(map(str, raw)) if isinstance(raw, Mapping) else frozenset(),
    )
    return request, prepared.faults + more + faults


def _thread(body: Mapping[str, Any]) -> tuple[str, list[Fault]]:
    """Find the thread's key, in `threadId` or in the context's `thread_id`."""
    context = body.get("context")
    inner = context.get("thread_id") if isinstance(context, Mapping) else None
    outer = body.get("threadId")
    faults = [
        Fault(target, "invalid", f"must be a text of 1 to {KEY_LIMIT} characters, without NUL.")
        for target, value in (("threadId", outer), ("context.thread_id", inner))
        if value not in (None, "") and not is_key(value)
    ]
    if not faults and outer and inner and outer != inner:
        faults.append(Fault("threadId", "contradiction", "differs from context.thread_id."))
    return ("" if faults else str(outer or inner or "")), faults


def is_key(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= KEY_LIMIT and "\x00" not in value


def _transcript(raw: object) -> tuple[str, list[Fault]]:
    try:
        text = transcripts.render(raw)
    except Invalid as invalid:
        return "", invalid.faults
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    if size > TRANSCRIPT_LIMIT:
        raise TooLarge(f"The transcript has {size:,} bytes; at most {TRANSCRIPT_LIMIT:,} are allowed.", "transcript")
    return text, []


def _levels(raw: object) -> tuple[Mapping[str, Any], list[Fault]]:
    if raw is None:
        return {}, [Fault("hooks", "required", "is required: an object with agent, customAgent or both.")]
    if not isinstance(raw, Mapping):
        return {}, [Fault("hooks", "invalid_type", "must be an object with agent, customAgent or both.")]
    known = {"agent": None, "customAgent": None}
    faults = [
        Fault(
            f"hooks.{str(key)[:100]}", "unknown_field", f"{str(key)[:100]!r} is no level{suggestion(str(key), known)}"
        )
        for key in raw
        if key not in known
    ]
    return raw, faults


def _activate(raw: object) -> tuple[frozenset[str], list[Fault]]:
    if raw is None:
        return frozenset(), []
    if not isinstance(raw, list) or not all(isinstance(name, str) for name in raw):
        return frozenset(), [Fault("activate", "invalid_type", "must be a list of names of hooks.")]
    return frozenset(raw), []
