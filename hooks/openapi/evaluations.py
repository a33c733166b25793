"""Schemas of events that are sent and of what comes of them."""

from typing import get_args

from hooks.engine import jsonschema
from hooks.engine.errors import ErrorCode
from hooks.engine.events import EVENTS
from hooks.engine.results import Decision, Level
from hooks.engine.verdict import Outcome
from hooks.models import Kind, Source, TestRun
from hooks.openapi.configuration import ANY_OBJECT, EVENT, TRANSCRIPT, lists
from hooks.services.requests import KEY_LIMIT
from portal.openapi.operations import Schema, ref
from portal.openapi.shared import TEXT, TIME, WARNINGS, nullable, page_of, record

FLAG, NUMBER, WHOLE = {"type": "boolean"}, {"type": "number"}, {"type": "integer"}
TEXT_OR_NULL = nullable(TEXT)
CONTEXT = {"oneOf": [jsonschema.context(event) for event in EVENTS.values()]}
KEY = {"type": "string", "minLength": 1, "maxLength": KEY_LIMIT, "pattern": jsonschema.ANY_TEXT}
EVENT_FIELDS: dict[str, Schema] = {
    "context": ref("Context"),
    "threadId": {**KEY, "type": ["string", "null"], "minLength": 0},
    "transcript": TRANSCRIPT,
    "idempotencyKey": {
        **nullable(KEY),
        "description": "The same key within 24 hours answers what is stored, and runs nothing.",
    },
}
CHECKED_HOOKS = {
    "type": "object",
    "properties": {
        "agent": nullable(lists("ToolHookItem", "PlainHookItem")),
        "customAgent": nullable(lists("CustomAgentToolHook", "CustomAgentPlainHook")),
    },
    "additionalProperties": False,
}


def _event(more: dict[str, Schema], required: list[str]) -> Schema:
    properties = {**EVENT_FIELDS, **more}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


MODEL_CALL = record(
    {
        "tier": TEXT_OR_NULL,
        "deployment": TEXT,
        "promptTokens": WHOLE,
        "completionTokens": WHOLE,
        "costUsd": nullable(NUMBER),
        "toolCalls": {"type": "array", "items": ANY_OBJECT},
        "raw": TEXT_OR_NULL,
    }
)
RESULT = record(
    {
        "name": TEXT,
        "level": {"type": "string", "enum": list(get_args(Level))},
        "position": WHOLE,
        "type": nullable(jsonschema.option("type")),
        "version": nullable(WHOLE),
        "contentHash": TEXT_OR_NULL,
        "outcome": {"type": "string", "enum": list(get_args(Outcome))},
        "reason": TEXT_OR_NULL,
        "additionalContext": TEXT_OR_NULL,
        "delivered": FLAG,
        "error": nullable(record({"code": {"type": "string", "enum": list(get_args(ErrorCode))}, "message": TEXT})),
        "failModeApplied": FLAG,
        "exitCode": nullable(WHOLE),
        "signal": nullable(WHOLE),
        "stdout": TEXT,
        "stderr": TEXT,
        "modelCall": nullable(MODEL_CALL),
        "startedAt": nullable(TIME),
        "durationMs": NUMBER,
        "warnings": {"type": "array", "items": TEXT},
    }
)
DECISION = {"type": "string", "enum": list(get_args(Decision))}
OUTCOME = {"type": "string", "enum": list(get_args(Outcome))}
KIND = {"type": "string", "enum": Kind.values}
SOURCE = {"type": "string", "enum": Source.values}
_SUMMARY: dict[str, Schema] = {
    "id": TEXT,
    "event": EVENT,
    "decision": DECISION,
    "reason": TEXT_OR_NULL,
    "forcedStop": FLAG,
    "durationMs": NUMBER,
}
_SAID: dict[str, Schema] = {
    **_SUMMARY,
    "additionalContext": TEXT_OR_NULL,
    "truncated": FLAG,
    "warnings": WARNINGS,
    "hooks": {"type": "array", "items": ref("HookResult"), "description": "Those that matched, in running order."},
}
_LISTED: dict[str, Schema] = {
    "kind": KIND,
    "customAgent": TEXT_OR_NULL,
    "toolName": TEXT_OR_NULL,
    "threadId": TEXT_OR_NULL,
    "hooksOff": {"type": "boolean", "description": "Whether the kill switch answered, and no hook."},
    "source": {
        **nullable(record({"kind": SOURCE, "hook": TEXT_OR_NULL, "error": TEXT_OR_NULL})),
        "description": "What made the decision: a hook, a failed hook's fail mode with its error, or why no hook did.",
    },
    "createdAt": TIME,
}
_TESTED: dict[str, Schema] = {"sample": TEXT_OR_NULL, "expected": nullable(ANY_OBJECT), "passed": nullable(FLAG)}
_KEPT: dict[str, Schema] = {
    "context": ANY_OBJECT,
    "transcript": TEXT_OR_NULL,
    "stages": {
        "type": ["object", "null"],
        "additionalProperties": NUMBER,
        "description": "Milliseconds by what they went into: auth, read, load, match, hooks. Null where nobody measured.",
    },
    **dict.fromkeys(("replayOf", "testRun", "requestId", "by"), TEXT_OR_NULL),
}

# --- test runs

NAMED = {
    "hook": "hook-name",
    "customAgent": "custom-agent-name",
    "sample": "sample-name",
    "evaluation": "evaluation-id",
}
TEST_FIELDS: dict[str, Schema] = {
    name: {"type": ["string", "null"], "format": kind} for name, kind in NAMED.items()
} | {
    "event": nullable(EVENT),
    "index": {"type": ["integer", "null"], "minimum": 0, "maximum": 999},
    "definition": nullable({"oneOf": [ref("ToolHookDefinition"), ref("PlainHookDefinition")]}),
    "samples": {
        "anyOf": [
            {"const": "all"},
            {"type": "array", "items": {"type": "string", "format": "sample-name"}, "minItems": 1},
            {"type": "null"},
        ]
    },
    "context": {
        "anyOf": [jsonschema.context(event, optional=("hook_event_name", "agent_name")) for event in EVENTS.values()]
        + [{"type": "null"}]
    },
    "transcript": TRANSCRIPT,
}
TEST = {
    "type": "object",
    "description": (
        "What to test: `hook`, or `customAgent` with `event` and `index`, or `definition`, which `customAgent` beside it "
        "makes a hook of that custom agent, or with an `evaluation` or a `context` nothing, which is all hooks that apply. "
        "With what: one of `sample`, `samples` (names, or all that fit), `evaluation`, `context`."
    ),
    "properties": TEST_FIELDS,
    "additionalProperties": False,
}
TEST_RUN = record(
    {
        "id": TEXT,
        "status": {"type": "string", "enum": TestRun.Status.values},
        "progress": record({"done": WHOLE, "total": WHOLE}),
        "error": TEXT_OR_NULL,
        "warnings": WARNINGS,
        "target": ANY_OBJECT,
        "createdAt": TIME,
        "startedAt": nullable(TIME),
        "endedAt": nullable(TIME),
        "createdBy": TEXT,
        "results": {"type": "array", "items": record({**_SAID, "kind": KIND, **_TESTED, "fired": FLAG})},
    }
)
SCHEMAS: dict[str, Schema] = {
    "Context": CONTEXT,
    "Event": _event({}, ["context"]),
    "CheckedEvent": _event(
        {"hooks": CHECKED_HOOKS, "activate": {"type": ["array", "null"], "items": TEXT}}, ["context", "hooks"]
    ),
    "HookResult": RESULT,
    "Evaluation": record(_SAID),
    "KeptEvaluation": record({**_SAID, **_LISTED, **_KEPT, **_TESTED}),
    "EvaluationPage": page_of(record({**_SUMMARY, **_LISTED})),
    "ToolHookDefinition": jsonschema.definition(tool=True),
    "PlainHookDefinition": jsonschema.definition(tool=False),
    "Test": TEST,
    "TestRun": TEST_RUN,
}
