"""A bundle: all hooks of an agent and of its custom agents, as one YAML document for git."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from agents.documents import ParsedAgent
from agents.models import Agent, CustomAgent
from agents.services.bundle_reading import KIND, VERSION, Bundle, read_bundle
from agents.services.custom import delete_custom_agent, document_of, envelope_of, is_same, save_custom_agent
from hooks import services as hooks
from hooks.engine import strictjson
from hooks.engine.envelope import ParsedEnvelope
from hooks.engine.errors import Fault, Invalid, Notice
from hooks.models import Hook
from hooks.services import stored
from hooks.services.configuration import lock
from portal.access.actors import Actor
from portal.audit.diff import diff
from portal.errors import PreconditionFailed


@dataclass(slots=True)
class Loaded:
    """What a load did, or would do: a difference per resource, `{"resource", "action", "changes"}`; `bundle` is the result."""

    changes: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)
    bundle: dict[str, Any] = field(default_factory=dict)

    @property
    def differences(self) -> list[dict[str, Any]]:
        return [change for change in self.changes if change["action"] != "unchanged"]

    def note(self, resource: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
        action = "unchanged" if before == after else "created" if before is None else "changed" if after else "deleted"
        changes = diff(before or {}, after or {}) if action != "unchanged" else []
        self.changes.append({"resource": resource, "action": action, "changes": changes})


def dump_bundle(*, agent: Agent) -> dict[str, Any]:
    """Write all hooks and custom agents of `agent`, in running order."""
    own = agent.hooks.filter(custom_agent=None).order_by("event", "position", "pk")
    custom = agent.custom_agents.prefetch_related("hooks").order_by("name")
    return {
        "api_version": VERSION,
        "kind": KIND,
        "metadata": {"agent": agent.name},
        "hooks": [stored.document(hook) for hook in own],
        "agents": [document_of(one) for one in custom],
    }


def etag_of(bundle: dict[str, Any]) -> str:
    """Name this state of all hooks and custom agents."""
    return f'"{hashlib.sha256(strictjson.dumps(bundle).encode()).hexdigest()[:32]}"'


def load_bundle(
    *,
    agent: Agent,
    bundle: object,
    prune: bool = False,
    expected: str | None = None,
    dry_run: bool = False,
    by: Actor,
) -> Loaded:
    """Store all that a bundle holds, in its order, or nothing of it; what it lacks stays, or goes if `prune`.

    What is equal to what stands there changes nothing. `expected` is the entity tag that must still hold.
    Raises Invalid with every fault, PreconditionFailed.
    """
    read = read_bundle(agent, bundle, prune=prune)  # outside the transaction: sources are parsed in the sandbox
    loaded = Loaded(warnings=read.warnings)
    with transaction.atomic():
        lock(agent)
        if expected is not None:
            _check(agent, expected)
        if prune:
            _prune(agent, read, loaded, by)
        _store_hooks(agent, read.hooks, loaded, by)
        _store_agents(agent, read.agents, loaded, by)
        _order(agent, read.hooks, loaded, by)
        loaded.bundle = dump_bundle(agent=agent)
        if dry_run:
            transaction.set_rollback(True)
    return loaded


def _check(agent: Agent, expected: str) -> None:
    now = etag_of(dump_bundle(agent=agent))
    tags = [tag.strip().removeprefix("W/") for tag in expected.split(",")]
    if "*" not in tags and now not in tags:
        raise PreconditionFailed(f"The configuration was changed in between: its entity tag is now {now}.")


def _prune(agent: Agent, read: Bundle, loaded: Loaded, by: Actor) -> None:
    kept = {one.spec.name.lower() for one in read.hooks if one.spec and one.spec.name}
    for hook in agent.hooks.filter(custom_agent=None):
        if hook.name.lower() not in kept:
            loaded.note(f"hook {hook.name}", stored.envelope(hook), None)
            hooks.delete_hook(hook=hook, by=by)
    named = {one.name.lower() for one in read.agents if one.name}
    for custom in agent.custom_agents.select_related("agent").prefetch_related("hooks"):
        if custom.name.lower() not in named:
            loaded.note(f"custom agent {custom.name}", envelope_of(custom), None)
            delete_custom_agent(custom_agent=custom, by=by)


def _store_hooks(agent: Agent, wanted: Sequence[ParsedEnvelope], loaded: Loaded, by: Actor) -> None:
    rows = {hook.name.lower(): hook for hook in agent.hooks.filter(custom_agent=None)}
    faults: list[Fault] = []
    for index, parsed in enumerate(wanted):
        spec = parsed.spec
        assert spec is not None and spec.name  # noqa: S101 - it has no faults
        row = rows.get(spec.name.lower())
        if row is not None and _is_same(row, parsed):
            loaded.note(f"hook {spec.name}", {}, {})
            continue
        try:
            saved = hooks.put_hook(agent=agent, spec=spec, tags=parsed.tags, owner=parsed.owner, by=by)
        except Invalid as invalid:
            faults += [Fault(f"hooks[{index}].{one.target}", one.code, one.message) for one in invalid.faults]
        else:
            loaded.note(f"hook {spec.name}", saved.before, saved.after)
    if faults:
        raise Invalid(faults)


def _is_same(row: Hook, parsed: ParsedEnvelope) -> bool:
    spec = parsed.spec
    assert spec is not None  # noqa: S101 - it has no faults
    own = (row.name, row.content_hash, row.options, row.tags, row.owner)
    return own == (spec.name, spec.content_hash, spec.options(), parsed.tags, parsed.owner)


def _store_agents(agent: Agent, wanted: Sequence[ParsedAgent], loaded: Loaded, by: Actor) -> None:
    rows: dict[str, CustomAgent] = {one.name.lower(): one for one in agent.custom_agents.prefetch_related("hooks")}
    for document in wanted:
        name = document.name or ""
        row = rows.get(name.lower())
        if row is not None and is_same(row, document):
            loaded.note(f"custom agent {name}", {}, {})
            continue
        done = save_custom_agent(agent=agent, name=name, parsed=document, by=by)
        loaded.note(f"custom agent {name}", done.before, done.after)


def _order(agent: Agent, wanted: Sequence[ParsedEnvelope], loaded: Loaded, by: Actor) -> None:
    """Give the bundle's hooks of each event the bundle's order, in the places that they hold among the others."""
    places: dict[str, list[str]] = {}
    for event, name in agent.hooks.filter(custom_agent=None).values_list("event", "name"):
        places.setdefault(event, []).append(name)
    for event, now in places.items():
        named = [one.spec.name for one in wanted if one.spec and one.spec.name and one.spec.event == event]
        in_order = iter(named)
        after = [next(in_order) if name in named else name for name in now]
        if after != now:
            hooks.reorder_hooks(agent=agent, event=event, names=after, by=by)
            loaded.note(f"order of {event}", {"names": now}, {"names": after})
