"""The envelope of an agent-level hook, as the REST API carries it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.engine import fields
from hooks.engine.errors import Fault, Notice
from hooks.engine.parsing import join, normalise, parse
from hooks.engine.spec import OPTIONS, HookSpec, SyntaxCheck

KIND = "GlobalHook"
BESIDE = ("activationMode", "description", "enabled")
# What the portal adds when it answers, so that an answer may be sent back as it is.
READ_ONLY = ("version", "contentHash", "warnings", "diff", "id", "createdAt", "updatedAt")
TAGS_LIMIT = 50


@dataclass(slots=True)
class ParsedEnvelope:
    """An agent-level hook with what stands around it, or the faults that it has."""

    spec: HookSpec | None = None
    tags: list[str] = field(default_factory=list)
    owner: str = ""
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)


def parse_agent_hook(
    raw: object,
    *,
    name: str | None = None,
    path: str = "",
    syntax: SyntaxCheck | None = None,
    known_tools: Collection[str] = (),
) -> ParsedEnvelope:
    """Read `{name, type, tags, owner, properties: {eventType, …, hook: {…}}}`.

    `name`, from the URL, serves where the body has none.
    """
    if not isinstance(raw, Mapping):
        return ParsedEnvelope(faults=[Fault(path, "invalid_type", "must be an object: name, type, properties.")])
    values, faults = normalise(raw, ["name", "type", "tags", "owner", "properties", *READ_ONLY], path)
    inner = join(path, "properties")
    properties, more = _part(
        values, "properties", path, ["eventType", "activationMode", "description", "enabled", "hook"]
    )
    faults += more
    hook, more = _part(properties, "hook", inner, list(OPTIONS)) if "properties" in values else ({}, [])
    faults += more
    flat = {**hook, **{key: value for key, value in properties.items() if key not in ("hook", "eventType")}}
    flat |= {"name": values.get("name", name) or "", "event": properties.get("eventType")}
    parsed = parse(flat, syntax=syntax, known_tools=known_tools)
    faults += [_moved(fault, path) for fault in parsed.faults]
    warnings = [Notice(_place(notice.target, path), notice.code, notice.message) for notice in parsed.warnings]
    tags, owner, more = labels(values, path)
    faults += more
    if values.get("type", KIND) != KIND:
        faults.append(Fault(join(path, "type"), "invalid_choice", f"must be {KIND}."))
    # What is missing as a whole is named once, not again for each thing that it would hold.
    whole = {fault.target for fault in faults if fault.code in ("required", "invalid_type")}
    faults = [fault for fault in faults if not any(fault.target.startswith(f"{part}.") for part in whole)]
    return ParsedEnvelope(parsed.spec if not faults else None, tags, owner, faults, warnings)


def _part(values: Mapping[str, Any], key: str, path: str, allowed: list[str]) -> tuple[dict[str, Any], list[Fault]]:
    where = join(path, key)
    if key not in values:
        return {}, [Fault(where, "required", "is required.")]
    if not isinstance(values[key], Mapping):
        return {}, [Fault(where, "invalid_type", "must be an object.")]
    return normalise(values[key], allowed, where)


def _moved(fault: Fault, path: str) -> Fault:
    return Fault(_place(fault.target, path), fault.code, fault.message)


def _place(target: str, path: str) -> str:
    """Find where an option of the flat form stands in the envelope."""
    if target == "name":
        return join(path, "name")
    if target == "event":
        return join(path, "properties.eventType")
    return join(path, f"properties.{target}" if target in BESIDE else f"properties.hook.{target}")


def labels(values: Mapping[str, Any], path: str) -> tuple[list[str], str, list[Fault]]:
    """Read `tags` and `owner`, which every resource has."""
    faults = []
    tags, owner = values.get("tags", []), values.get("owner", "")
    if not isinstance(tags, list) or len(tags) > TAGS_LIMIT or not all(_is_label(tag) for tag in tags):
        faults.append(Fault(join(path, "tags"), "invalid_type", f"must be a list of at most {TAGS_LIMIT} short texts."))
        tags = []
    if not _is_label(owner):
        faults.append(Fault(join(path, "owner"), "invalid_type", f"must be a short text, not {fields.shown(owner)}."))
        owner = ""
    return tags, owner, faults


def _is_label(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 200 and "\x00" not in value
