"""A bundle: all hooks of an agent and of its custom agents, as one YAML document for git."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from agents.documents import ParsedAgent, parse_agent
from agents.models import Agent
from agents.services.custom import document_of, save_custom_agent
from hooks import runtime
from hooks import services as hooks
from hooks.engine.envelope import ParsedEnvelope, parse_agent_hook
from hooks.engine.errors import Fault, Invalid, Notice
from hooks.services import stored
from portal.access.actors import Actor
from portal.audit.diff import diff

VERSION, KIND = "hook-portal/v1", "HookBundle"


@dataclass(slots=True)
class Loaded:
    """What a load did, or would do: a difference per resource, `{"resource", "action", "changes"}`."""

    changes: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)


def dump_bundle(*, agent: Agent) -> dict[str, Any]:
    """Write all hooks and custom agents of `agent`, in running order."""
    own = agent.hooks.filter(custom_agent=None).order_by("event", "position", "pk")
    return {
        "api_version": VERSION,
        "kind": KIND,
        "metadata": {"agent": agent.name},
        "hooks": [stored.document(hook) for hook in own],
        "agents": [document_of(one) for one in agent.custom_agents.order_by("name")],
    }


@transaction.atomic
def load_bundle(*, agent: Agent, bundle: object, dry_run: bool = False, by: Actor) -> Loaded:
    """Store all that a bundle holds, or nothing of it; what it lacks stays. Raises Invalid with every fault."""
    own, custom, faults = _read(agent, bundle)
    if faults:
        raise Invalid(faults)
    loaded = Loaded()
    for parsed in own:
        assert parsed.spec is not None and parsed.spec.name  # noqa: S101 - it has no faults
        loaded.warnings += parsed.warnings
        saved = hooks.put_hook(agent=agent, spec=parsed.spec, tags=parsed.tags, owner=parsed.owner, by=by)
        _note(loaded, f"hook {parsed.spec.name}", saved.before, saved.after)
    for document in custom:
        assert document.name  # noqa: S101 - read made sure
        loaded.warnings += document.warnings
        done = save_custom_agent(agent=agent, name=document.name, parsed=document, by=by)
        _note(loaded, f"custom agent {document.name}", done.before, done.after)
    if dry_run:
        transaction.set_rollback(True)
    return loaded


def _note(loaded: Loaded, resource: str, before: dict[str, Any] | None, after: dict[str, Any]) -> None:
    action = "created" if before is None else "changed" if before != after else "unchanged"
    changes = diff(before or {}, after) if action != "unchanged" else []
    loaded.changes.append({"resource": resource, "action": action, "changes": changes})


def _read(agent: Agent, bundle: object) -> tuple[list[ParsedEnvelope], list[ParsedAgent], list[Fault]]:
    if not isinstance(bundle, Mapping):
        return [], [], [Fault("", "invalid_type", "must be an object: api_version, kind, hooks, agents.")]
    faults = [
        Fault(str(key)[:100], "unknown_field", "is no field of a bundle.")
        for key in bundle
        if key not in ("api_version", "kind", "metadata", "hooks", "agents")
    ]
    if bundle.get("kind", KIND) != KIND:
        faults.append(Fault("kind", "invalid_choice", f"must be {KIND}."))
    syntax, tools = runtime.syntax(), tuple(hooks.known_tools(agent))
    own, custom = [], []
    for index, raw in enumerate(_items(bundle, "hooks", faults)):
        parsed = parse_agent_hook(raw, path=f"hooks[{index}]", syntax=syntax, known_tools=tools)
        faults += parsed.faults
        own.append(parsed)
    for index, raw in enumerate(_items(bundle, "agents", faults)):
        document = parse_agent(raw, syntax=syntax, tools=tools)
        faults += [Fault(f"agents[{index}].{fault.target}", fault.code, fault.message) for fault in document.faults]
        if document.name is None:
            faults.append(Fault(f"agents[{index}].metadata.name", "required", "is required."))
        custom.append(document)
    return own, custom, faults + _twice(own, custom)


def _items(bundle: Mapping[str, Any], key: str, faults: list[Fault]) -> list[Any]:
    value = bundle.get(key)
    if isinstance(value, list):
        return value
    if value is not None:
        faults.append(Fault(key, "invalid_type", "must be a list."))
    return []


def _twice(own: list[ParsedEnvelope], custom: list[ParsedAgent]) -> list[Fault]:
    faults, seen = [], set()
    names = [(f"hooks[{place}].name", (one.spec.name or "") if one.spec else "") for place, one in enumerate(own)]
    names += [(f"agents[{place}].metadata.name", one.name or "") for place, one in enumerate(custom)]
    for target, name in names:
        key = (target[:5], name.lower())
        if name and key in seen:
            faults.append(Fault(target, "twice", f"The name {name!r} stands twice in the bundle."))
        seen.add(key)
    return faults
