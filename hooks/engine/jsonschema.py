"""JSON Schema of hooks and of events' contexts, from the definitions that validate them.

Types, words and defaults are HookSpec's own; what its validators hold beyond them is added here from the same constants.
What no schema can say stands in `format`: `bash`, `script` and `matcher` are texts that must also parse.
"""

from collections.abc import Sequence
from typing import Any

from hooks.engine import fields, matcher
from hooks.engine.events import COMMON, EVENTS, REQUIRED, Event
from hooks.engine.parsing import IDENTITY
from hooks.engine.results import Level
from hooks.engine.spec import OPTIONS, HookSpec

Schema = dict[str, Any]
ANY_TEXT = r"^[^\u0000]*$"
SOME_TEXT = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
SHEBANG = rf"^({'|'.join(fields.SHEBANGS)})[ \t]*(\r?\n[^\u0000]*)?$"
PROGRAM = {"pattern": SOME_TEXT, "maxLength": fields.TEXT_BYTES}
NOTHING = {"type": "null"}
LIMITS: dict[str, Schema] = {
    "name": {"pattern": f"^{fields.NAME}$", "not": {"pattern": "^[Ss][Yy][Ss][Tt][Ee][Mm]__"}},
    "description": {"pattern": ANY_TEXT, "maxLength": fields.DESCRIPTION_LIMIT},
    "prompt": {**PROGRAM, "description": "What the model judges by; $ARGUMENTS is where the context goes."},
    "command": {**PROGRAM, "format": "bash", "description": "A line of bash, or more; its syntax is checked."},
    "script": {
        **PROGRAM,
        "format": "script",
        "pattern": SHEBANG,
        "description": "Bash or Python, as its first line says.",
    },
    "matcher": {"pattern": ANY_TEXT, "maxLength": matcher.PATTERN_LIMIT, "format": "matcher"},
    "timeout": {"minimum": fields.SECONDS[0], "maximum": fields.SECONDS[1], "description": "Seconds."},
    "failMode": {"description": "What a hook counts as that could not decide."},
    "model": {
        "pattern": r"\S",
        "maxLength": fields.MODEL_LIMIT,
        "description": f"A tier ({', '.join(fields.TIERS)}) or the name of a deployment.",
    },
    "maxRejections": {"minimum": fields.REJECTIONS[0], "maximum": fields.REJECTIONS[1]},
}


def option(name: str) -> Schema:
    """Describe one field of HookSpec that is given, under its canonical name."""
    found = HookSpec.model_json_schema(by_alias=True)["properties"][name]
    inner = next((one for one in found.get("anyOf", ()) if one != NOTHING), found)
    described = {key: inner[key] for key in ("type", "enum") if key in inner} | LIMITS.get(name, {})
    return described if found.get("default") is None else {**described, "default": found["default"]}


def _or_null(schema: Schema) -> Schema:
    wider = {**schema, "type": [schema["type"], "null"]}
    return wider | {"enum": [*schema["enum"], None]} if "enum" in schema else wider


def hook(names: Sequence[str], *, tool: bool, required: Sequence[str] = ()) -> Schema:
    """Describe an object with these options of a hook, for events with a tool or for those without."""
    common = {name: _or_null(option(name)) for name in names}
    needed = list(required)
    if tool:
        common["matcher"] = option("matcher") | {"pattern": SOME_TEXT, "description": "Over the tool's name; * is all."}
        needed.append("matcher")
    return {
        "oneOf": [
            _kind("A prompt hook", common, needed, "prompt", "prompt"),
            _kind("A command hook", common, needed, "command", "command"),
            _kind("A command hook with a script", common, needed, "command", "script"),
        ]
    }


def _kind(title: str, common: Schema, needed: list[str], kind: str, source: str) -> Schema:
    sources = dict.fromkeys(("prompt", "command", "script"), NOTHING) | {source: option(source)}
    which = {"enum": ["prompt", None], "default": "prompt"} if kind == "prompt" else {"const": kind}
    return {
        "title": title,
        "type": "object",
        "properties": {**common, **sources, "type": which},
        "required": [*needed, source] if kind == "prompt" else [*needed, "type", source],
        "additionalProperties": False,
    }


def options(*, tool: bool) -> Schema:
    """Describe what stands under `properties.hook` of an agent-level hook."""
    return hook(OPTIONS, tool=tool)


def item(*, tool: bool, level: Level) -> Schema:
    """Describe an item of `spec.hooks.{Event}`."""
    return hook([*IDENTITY, *OPTIONS, *(["activationMode"] if level == "agent" else [])], tool=tool)


def definition(*, tool: bool) -> Schema:
    """Describe a hook that names its event itself."""
    described = hook([*IDENTITY, "activationMode", *OPTIONS], tool=tool, required=["event"])
    events = [name for name, event in EVENTS.items() if event.tool is tool]
    for one in described["oneOf"]:
        one["properties"] = {"event": {"enum": events}, **one["properties"]}
    return described


def context(event: Event, *, optional: Sequence[str] = ()) -> Schema:
    """Describe an event's context (R12). `optional` names fields that are filled in where they are left out."""
    expected = {**COMMON, **event.fields}
    described = {name: {**want.schema, **_default(want.default)} for name, want in expected.items()}
    described["hook_event_name"] = {"const": event.name}
    required = [name for name, want in expected.items() if want.default is REQUIRED and name not in optional]
    return {
        "title": event.name,
        "description": f"{event.summary} Further fields, such as `thread_id`, are passed on to the hooks.",
        "type": "object",
        "properties": described,
        "required": required,
    }


def _default(value: Any) -> Schema:
    return {} if value is REQUIRED else {"default": value}
