"""From a bundle as people wrote it to what it says, with every fault at its path."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.documents import ParsedAgent, parse_agent
from agents.models import Agent
from agents.services.custom import reserved
from hooks import runtime
from hooks import services as hooks
from hooks.engine.envelope import ParsedEnvelope, parse_agent_hook
from hooks.engine.errors import Fault, Invalid, Notice
from hooks.engine.fields import shown

VERSION, KIND = "hook-portal/v1", "HookBundle"
FIELDS = ("api_version", "kind", "metadata", "hooks", "agents", "warnings", "diff")
BOTH = "is required with prune, which deletes what is not in it: send [] to delete all of them."


@dataclass(slots=True)
class Bundle:
    """What a bundle holds. Only to be used when there are no faults; then every hook has a spec, every agent a name."""

    hooks: list[ParsedEnvelope] = field(default_factory=list)
    agents: list[ParsedAgent] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)


def read_bundle(agent: Agent, raw: object, *, prune: bool = False) -> Bundle:
    """Read `{api_version, kind, metadata, hooks, agents}`. Raises Invalid with every fault."""
    if not isinstance(raw, Mapping):
        raise Invalid([Fault("", "invalid_type", "must be an object: api_version, kind, hooks, agents.")])
    bundle = Bundle(faults=list(_envelope(raw, prune)))
    syntax, tools = runtime.syntax(), tuple(hooks.known_tools(agent))
    for index, item in enumerate(_items(raw, "hooks", bundle.faults)):
        parsed = parse_agent_hook(item, path=f"hooks[{index}]", syntax=syntax, known_tools=tools)
        bundle.hooks.append(parsed)
        bundle.faults += parsed.faults
        bundle.warnings += parsed.warnings
    for index, item in enumerate(_items(raw, "agents", bundle.faults)):
        document = parse_agent(item, syntax=syntax, tools=tools)
        bundle.agents.append(document)
        bundle.faults += _faults_of_agent(agent, document, f"agents[{index}]")
        bundle.warnings += [Notice(f"agents[{index}].{one.target}", one.code, one.message) for one in document.warnings]
    bundle.faults += _twice(bundle)
    if bundle.faults:
        raise Invalid(bundle.faults)
    return bundle


def _envelope(raw: Mapping[str, Any], prune: bool) -> Iterator[Fault]:
    for key in [key for key in raw if key not in FIELDS][:100]:
        yield Fault(str(key)[:100], "unknown_field", "is no field of a bundle.")
    for key, wanted in (("api_version", VERSION), ("kind", KIND)):
        if raw.get(key, wanted) != wanted:
            yield Fault(key, "invalid_choice", f"must be {wanted}, not {shown(raw[key])}.")
    for key in ("hooks", "agents") if prune else ():
        if raw.get(key) is None:
            yield Fault(key, "required", BOTH)


def _items(raw: Mapping[str, Any], key: str, faults: list[Fault]) -> list[Any]:
    value = raw.get(key)
    if isinstance(value, list):
        return value
    if value is not None:
        faults.append(Fault(key, "invalid_type", "must be a list."))
    return []


def _faults_of_agent(agent: Agent, document: ParsedAgent, path: str) -> Iterator[Fault]:
    for fault in document.faults:
        yield Fault(f"{path}.{fault.target}".rstrip("."), fault.code, fault.message)
    where = f"{path}.metadata.name"
    if document.name is not None:
        for fault in reserved(agent, document.name):
            yield Fault(where, fault.code, fault.message)
    elif not any(fault.code == "invalid_name" or not fault.target for fault in document.faults):
        yield Fault(where, "required", "is required.")


def _twice(bundle: Bundle) -> Iterator[Fault]:
    names = [(f"hooks[{place}].name", one.spec.name or "") for place, one in enumerate(bundle.hooks) if one.spec]
    names += [(f"agents[{place}].metadata.name", one.name or "") for place, one in enumerate(bundle.agents)]
    seen = set()
    for target, name in names:
        key = (target[:5], name.lower())
        if name and key in seen:
            yield Fault(target, "twice", f"The name {name!r} stands twice in the bundle.")
        seen.add(key)
