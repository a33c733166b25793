"""Schemas of what people configure: hooks in all their places, and sample contexts."""

from typing import Any

from hooks.engine import jsonschema
from hooks.engine.envelope import KIND, READ_ONLY, TAGS_LIMIT
from hooks.engine.events import EVENTS
from hooks.engine.parsing import HOOKS_LIMIT
from hooks.engine.spec import OPTIONS
from hooks.services import samples
from portal.openapi.operations import Schema, ref
from portal.openapi.shared import DIFF, LABEL, TEXT, TIME, WARNINGS, nullable, page_of, record

WITH_TOOL = [name for name, event in EVENTS.items() if event.tool]
WITHOUT_TOOL = [name for name, event in EVENTS.items() if not event.tool]
EVENT = {"type": "string", "enum": list(EVENTS)}
IGNORED = {"description": "Ignored, so that an answer can be sent back as it is."}
TAGS = {"type": "array", "items": LABEL, "maxItems": TAGS_LIMIT}
HASH = {"type": "string", "description": "sha-256 of the canonical configuration."}
VERSION = {"type": "integer", "minimum": 1, "description": "One more with every change."}
ANY_OBJECT = {"type": "object"}


def lists(tool: str, other: str) -> Schema:
    """Describe `{Event: [hook, …]}` by the names of the schemas of its items."""
    named = {event: ref(tool if EVENTS[event].tool else other) for event in EVENTS}
    return {
        "type": "object",
        "properties": {
            event: {"type": "array", "items": item, "maxItems": HOOKS_LIMIT} for event, item in named.items()
        },
        "additionalProperties": False,
    }


def _properties(events: list[str], options: str) -> dict[str, Any]:
    beside = {name: nullable(jsonschema.option(name)) for name in ("activationMode", "description", "enabled")}
    return {
        "type": "object",
        "properties": {"eventType": {"type": "string", "enum": events}, **beside, "hook": ref(options)},
        "required": ["eventType", "hook"],
        "additionalProperties": False,
    }


HOOK_ENVELOPE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": nullable(jsonschema.option("name")) | {"description": "As in the path, or left out."},
        "type": {"enum": [KIND, None]},
        "tags": nullable(TAGS),
        "owner": nullable(LABEL),
        "properties": {"oneOf": [_properties(WITH_TOOL, "ToolHook"), _properties(WITHOUT_TOOL, "PlainHook")]},
        **dict.fromkeys(READ_ONLY, IGNORED),
    },
    "required": ["properties"],
    "additionalProperties": False,
}


def _patched(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


HOOK_PATCH = _patched(
    {
        **{name: schema for name, schema in HOOK_ENVELOPE["properties"].items() if name != "properties"},
        "properties": _patched(
            {
                "eventType": EVENT,
                **{name: nullable(jsonschema.option(name)) for name in ("activationMode", "description", "enabled")},
                "hook": _patched({name: nullable(jsonschema.option(name)) for name in OPTIONS}),
            }
        ),
    }
)
REORDER = {
    "type": "object",
    "properties": {"event": EVENT, "names": {"type": "array", "items": {"type": "string", "format": "hook-name"}}},
    "required": ["event", "names"],
    "additionalProperties": False,
}
RESTORE = {
    "type": "object",
    "properties": {"version": {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}},
    "required": ["version"],
    "additionalProperties": False,
}
_FLAT = {"type": "object", "description": "The options; those that are not set have their default, or null."}
STORED_HOOK = record(
    {
        "name": TEXT,
        "type": {"const": KIND},
        "tags": TAGS,
        "owner": TEXT,
        "properties": record(
            {
                "eventType": EVENT,
                "activationMode": jsonschema.option("activationMode"),
                "description": TEXT,
                "enabled": {"type": "boolean"},
                "hook": _FLAT,
            }
        ),
        "version": VERSION,
        "contentHash": HASH,
    },
    optional={"warnings": WARNINGS, "diff": DIFF},
)
VERSION_KEPT = record({"version": VERSION, "change": TEXT, "by": TEXT, "at": TIME, "contentHash": HASH})
THREAD_HOOK = record(
    {
        "name": TEXT,
        "eventType": EVENT,
        "activationMode": jsonschema.option("activationMode"),
        "description": TEXT,
        **{name: {"type": "boolean"} for name in ("isActive", "isSystemHook", "canModify")},
    }
)

# --- samples

TURN = {"type": "object", "properties": {"role": TEXT, "text": TEXT}, "required": ["role", "text"]}
TRANSCRIPT = {
    "anyOf": [TEXT, {"type": "array", "items": TURN}, {"type": "null"}],
    "description": "The conversation so far; at most 32 MiB.",
}


def _sample(event: str) -> Schema:
    reason = {"type": ["string", "null"], "description": "What its reason must contain."}
    decision = {"type": "string", "enum": list(samples.decisions_of(event))}
    expected = {
        "type": ["object", "null"],
        "properties": {"decision": decision, "reasonContains": reason},
        "required": ["decision"],
        "additionalProperties": False,
    }
    described = nullable(jsonschema.option("description"))
    return {
        "title": event,
        "type": "object",
        "properties": {
            "event": {"const": event},
            "context": jsonschema.context(EVENTS[event], optional=("hook_event_name", "agent_name")),
            "transcript": TRANSCRIPT,
            "expected": expected,
            "description": described,
            "name": {"description": "As in the path, or left out."},
            "version": IGNORED,
        },
        "required": ["event", "context"],
        "additionalProperties": False,
    }


STORED_SAMPLE = record(
    {
        "name": TEXT,
        "event": EVENT,
        "context": ANY_OBJECT,
        "transcript": TRANSCRIPT,
        "expected": {"type": ["object", "null"]},
        "description": TEXT,
        "version": VERSION,
    },
    optional={"diff": DIFF},
)
SCHEMAS: dict[str, Schema] = {
    "ToolHook": jsonschema.options(tool=True),
    "PlainHook": jsonschema.options(tool=False),
    "ToolHookItem": jsonschema.item(tool=True, level="agent"),
    "PlainHookItem": jsonschema.item(tool=False, level="agent"),
    "CustomAgentToolHook": jsonschema.item(tool=True, level="customAgent"),
    "CustomAgentPlainHook": jsonschema.item(tool=False, level="customAgent"),
    "Hook": HOOK_ENVELOPE,
    "StoredHook": STORED_HOOK,
    "HookPage": page_of(ref("StoredHook")),
    "HookPatch": HOOK_PATCH,
    "HookOrder": record({"value": {"type": "array", "items": ref("StoredHook")}}),
    "Reorder": REORDER,
    "Restore": RESTORE,
    "HookVersionPage": page_of(VERSION_KEPT),
    "ThreadHook": THREAD_HOOK,
    "ThreadHooks": record({"hooks": {"type": "array", "items": ref("ThreadHook")}}),
    "Sample": {"oneOf": [_sample(event) for event in EVENTS]},
    "StoredSample": STORED_SAMPLE,
    "SamplePage": page_of(ref("StoredSample")),
}
