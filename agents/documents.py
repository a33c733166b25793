"""A custom agent's document: read from either shape and either version, written as the v2 document or the JSON envelope."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.engine.envelope import READ_ONLY, labels
from hooks.engine.errors import Fault, Notice
from hooks.engine.events import suggestion
from hooks.engine.fields import shown
from hooks.engine.parsing import parse_lists
from hooks.engine.spec import HookSpec, SyntaxCheck

V1, V2 = "azuresre.ai/v1", "azuresre.ai/v2"
KIND, KIND_V1 = "ExtendedAgent", "AgentConfiguration"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
NAME_RULE = "must have 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit"
TEXTS = ("instructions", "handoffDescription")
LISTS = ("handoffs", "tools")
V1_NAMES = {
    "system_prompt": "instructions",
    "handoff_description": "handoffDescription",
    "enable_vanilla_mode": "enableVanillaMode",
}
HOOKS_KEPT = (
    "The document is of azuresre.ai/v1, which has no hooks: the hooks of the custom agent were kept as they are."
)


@dataclass(slots=True)
class ParsedAgent:
    """A custom agent as a document has it, or the faults of the document.

    `spec` keeps the document's order; in it `hooks` is a skeleton `{event: []}`. `hooks` is None where the document is of
    v1 and so says nothing about hooks.
    """

    name: str | None = None
    tags: list[str] = field(default_factory=list)
    owner: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    spec: dict[str, Any] = field(default_factory=dict)
    hooks: dict[str, list[HookSpec]] | None = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)

    def fault(self, target: str, code: str, message: str) -> None:
        self.faults.append(Fault(target, code, message))


def parse_agent(raw: object, *, syntax: SyntaxCheck | None = None, tools: tuple[str, ...] = ()) -> ParsedAgent:
    """Read `{api_version, kind, metadata, spec}` or `{name, type, tags, owner, properties}`, told apart by their keys."""
    parsed = ParsedAgent()
    if not isinstance(raw, Mapping):
        parsed.fault(
            "", "invalid_type", "must be an object: api_version, kind, metadata, spec; or name, type, properties."
        )
        return parsed
    if "properties" in raw or ("spec" not in raw and "kind" not in raw and "api_version" not in raw):
        path, body = "properties", _envelope(raw, parsed)
    else:
        path, body = "spec", _document(raw, parsed)
    if body is None:
        return parsed
    _spec(body, path, parsed)
    if parsed.hooks is not None:
        own = body.get("tools")
        known = (*tools, *(tool for tool in own if isinstance(tool, str))) if isinstance(own, list) else tools
        lists = parse_lists(
            body.get("hooks"), path=f"{path}.hooks", level="customAgent", syntax=syntax, known_tools=known
        )
        parsed.hooks = lists.hooks
        parsed.faults += lists.faults
        parsed.warnings += lists.warnings
    return parsed


def _envelope(raw: Mapping[str, Any], parsed: ParsedAgent) -> Mapping[str, Any] | None:
    allowed = ("name", "type", "tags", "owner", "properties", *READ_ONLY, "apiVersion", "metadata")
    _only(raw, allowed, "", parsed)
    if raw.get("type", KIND) != KIND:
        parsed.fault("type", "invalid_choice", f"must be {KIND}, not {shown(raw['type'])}.")
    parsed.tags, parsed.owner, faults = labels(
        {key: raw[key] for key in ("tags", "owner") if raw.get(key) is not None}, ""
    )
    parsed.faults += faults
    _name(raw.get("name"), "name", parsed)
    _metadata(raw.get("metadata"), parsed)
    return _object(raw, "properties", parsed)


def _document(raw: Mapping[str, Any], parsed: ParsedAgent) -> Mapping[str, Any] | None:
    _only(raw, ("api_version", "apiVersion", "kind", "metadata", "spec", "warnings", "diff"), "", parsed)
    kind, version = raw.get("kind", KIND), raw.get("api_version", raw.get("apiVersion"))
    if kind not in (KIND, KIND_V1):
        parsed.fault("kind", "invalid_choice", f"must be {KIND} (or {KIND_V1}, of v1), not {shown(kind)}.")
    wanted = V1 if kind == KIND_V1 else V2
    if version is not None and version != wanted:
        parsed.fault("api_version", "invalid_choice", f"must be {wanted} for the kind {kind}, not {shown(version)}.")
    metadata = raw.get("metadata")
    inner = metadata if isinstance(metadata, Mapping) else {}
    parsed.tags, parsed.owner, faults = labels(
        {key: inner[key] for key in ("tags", "owner") if inner.get(key) is not None}, "metadata"
    )
    parsed.faults += faults
    _metadata(metadata, parsed)
    spec = _object(raw, "spec", parsed)
    if kind == KIND_V1:
        spec = _from_v1(spec, parsed, inner)
    elif "name" in inner or "spec" in raw:
        _name(inner.get("name"), "metadata.name", parsed)
    return spec


def _from_v1(
    spec: Mapping[str, Any] | None, parsed: ParsedAgent, metadata: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Give a v1 spec the names of v2. Its name may stand in the spec."""
    parsed.hooks = None
    if spec is None:
        return None
    parsed.warnings.append(Notice("kind", "hooks_kept", HOOKS_KEPT))
    if "hooks" in spec:
        parsed.fault("spec.hooks", "not_allowed", f"{V1} has no hooks: send the document as kind {KIND} of {V2}.")
    target, name = (
        ("metadata.name", metadata["name"]) if metadata.get("name") is not None else ("spec.name", spec.get("name"))
    )
    _name(name, target, parsed)
    return {V1_NAMES.get(key, key): value for key, value in spec.items() if key not in ("name", "hooks")}


def _only(raw: Mapping[str, Any], allowed: tuple[str, ...], path: str, parsed: ParsedAgent) -> None:
    for key in raw:
        if key not in allowed:
            known = dict.fromkeys(allowed)
            parsed.fault(
                str(key)[:100], "unknown_field", f"{str(key)[:100]!r} is no field here{suggestion(str(key), known)}"
            )


def _name(value: object, target: str, parsed: ParsedAgent) -> None:
    if value is None:
        return  # the path names it
    if not isinstance(value, str) or not NAME.fullmatch(value):
        parsed.fault(target, "invalid_name", f"{NAME_RULE}, not {shown(value)}.")
    else:
        parsed.name = value


def _metadata(raw: object, parsed: ParsedAgent) -> None:
    if raw is None:
        return
    if not isinstance(raw, Mapping):
        parsed.fault("metadata", "invalid_type", "must be an object with the name.")
        return
    parsed.metadata = {key: value for key, value in raw.items() if key not in ("name", "tags", "owner")}


def _object(raw: Mapping[str, Any], key: str, parsed: ParsedAgent) -> Mapping[str, Any] | None:
    value = raw.get(key)
    if isinstance(value, Mapping):
        return value
    parsed.fault(
        key, "required" if value is None else "invalid_type", "is required." if value is None else "must be an object."
    )
    return None


def _spec(body: Mapping[str, Any], path: str, parsed: ParsedAgent) -> None:
    """Check the fields that the portal knows; the others are kept as they are."""
    for key in TEXTS:
        if body.get(key) is not None and not isinstance(body[key], str):
            parsed.fault(f"{path}.{key}", "invalid_type", f"must be a text, not {shown(body[key])}.")
    for key in LISTS:
        _list(body, key, f"{path}.{key}", parsed)
    vanilla = body.get("enableVanillaMode")
    if vanilla is not None and not isinstance(vanilla, bool):
        parsed.fault(f"{path}.enableVanillaMode", "invalid_type", f"must be true or false, not {shown(vanilla)}.")
    hooks = body.get("hooks")
    skeleton: dict[str, list[Any]] = {event: [] for event in hooks} if isinstance(hooks, Mapping) else {}
    parsed.spec = {key: skeleton if key == "hooks" else value for key, value in body.items()}


def _list(body: Mapping[str, Any], key: str, target: str, parsed: ParsedAgent) -> None:
    if key not in body:
        return
    value = body[key]
    if value is None:
        parsed.fault(target, "invalid_type", "must not be null: send [] for none.")
    elif not isinstance(value, list):
        parsed.fault(target, "invalid_type", f"must be a list, not {shown(value)}.")
    elif key == "handoffs" and not all(isinstance(one, str) and one for one in value):
        parsed.fault(target, "invalid_type", "must be a list of names of custom agents.")


def write_document(agent: Any, lists: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Write the v2 document, with the hooks in their place."""
    metadata: dict[str, Any] = {"name": agent.name}
    metadata |= {"tags": agent.tags} if agent.tags else {}
    metadata |= {"owner": agent.owner} if agent.owner else {}
    return {
        "api_version": V2,
        "kind": KIND,
        "metadata": metadata | agent.metadata,
        "spec": with_hooks(agent.spec, lists),
    }


def write_envelope(agent: Any, lists: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Write the JSON envelope."""
    shown_as = {
        "name": agent.name,
        "type": KIND,
        "tags": agent.tags,
        "owner": agent.owner,
        "properties": with_hooks(agent.spec, lists),
        "version": agent.version,
    }
    return shown_as | ({"metadata": agent.metadata} if agent.metadata else {})


def with_hooks(spec: Mapping[str, Any], lists: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Put the hooks into the skeleton: events in the document's order, new ones after them."""
    skeleton = spec.get("hooks") or {}
    events = [*skeleton, *(event for event in lists if event not in skeleton)]
    hooks = {event: lists.get(event, []) for event in events}
    if "hooks" not in spec and not hooks:
        return dict(spec)
    return {**spec, "hooks": hooks}
