"""Custom agents: each save writes the whole document, its hooks included, as one change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from agents.documents import NAME, NAME_RULE, ParsedAgent, write_document, write_envelope
from agents.models import Agent, CustomAgent
from hooks import services as hooks
from hooks.engine import strictjson
from hooks.engine.errors import Fault, Invalid
from hooks.engine.spec import HookSpec
from hooks.services.configuration import lock
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import Conflict, NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedAgent:
    """What a save did. `before` and `after` are envelopes; `before` is None where it was created."""

    custom_agent: CustomAgent
    before: dict[str, Any] | None
    after: dict[str, Any]
    document: dict[str, Any]

    @property
    def created(self) -> bool:
        return self.before is None


def find_custom_agent(*, agent: Agent, name: str) -> CustomAgent:
    """Find a custom agent by its name, in any case. Raises NotFound."""
    found = None if "\x00" in name else agent.custom_agents.filter(name__iexact=name).first()
    if found is None:
        raise NotFound(f"There is no custom agent {name[:64]!r} on the agent {agent.name!r}.")
    return found


def envelope_of(custom_agent: CustomAgent) -> dict[str, Any]:
    """Show a custom agent as JSON, hooks included."""
    return write_envelope(custom_agent, hooks.hook_lists(custom_agent))


def document_of(custom_agent: CustomAgent) -> dict[str, Any]:
    """Show a custom agent as its v2 document, hooks included."""
    return write_document(custom_agent, hooks.hook_lists(custom_agent))


@transaction.atomic
def save_custom_agent(
    *,
    agent: Agent,
    name: str,
    parsed: ParsedAgent,
    expected: str | None = None,
    create_only: bool = False,
    dry_run: bool = False,
    by: Actor,
) -> SavedAgent:
    """Store what a document says in place of all that was there; a v1 document keeps the hooks.

    What is equal to what stands there changes nothing. `expected` is the entity tag that must still hold.
    Raises Invalid (the document's faults), Conflict (another name inside), PreconditionFailed.
    """
    _sound(agent, name, parsed)
    lock(agent)
    row = agent.custom_agents.filter(name__iexact=name).first()
    hooks.check_precondition(row, expected=expected, create_only=create_only)
    before = envelope_of(row) if row else None
    row = row or CustomAgent(agent=agent, version=0)
    row.name, row.tags, row.owner, row.metadata = name, parsed.tags, parsed.owner, parsed.metadata
    skeleton = (row.spec or {}).get("hooks")
    row.spec = parsed.spec
    if parsed.hooks is None and skeleton is not None:
        row.spec = {**parsed.spec, "hooks": skeleton}
    saved = _store(row, parsed.hooks, before, by)
    if dry_run:
        transaction.set_rollback(True)
    return saved


@transaction.atomic
def set_hooks(
    *,
    custom_agent: CustomAgent,
    lists: Mapping[str, Sequence[HookSpec]],
    expected_version: int | None = None,
    by: Actor,
) -> SavedAgent:
    """Store these as all hooks of a custom agent, the rest of it as it is. Raises PreconditionFailed, NotFound."""
    lock(custom_agent.agent)
    row = CustomAgent.objects.filter(pk=custom_agent.pk).first()
    if row is None:
        raise NotFound(f"The custom agent {custom_agent.name!r} is gone.")
    if expected_version is not None:
        hooks.check_precondition(row, expected=f'"{row.pk}.{expected_version}"')
    before = envelope_of(row)
    row.spec = {**row.spec, "hooks": {event: [] for event in lists}}
    return _store(row, lists, before, by)


@transaction.atomic
def delete_custom_agent(
    *, custom_agent: CustomAgent, expected: str | None = None, dry_run: bool = False, by: Actor
) -> None:
    """Delete a custom agent with its hooks. Raises PreconditionFailed, NotFound."""
    agent = custom_agent.agent
    lock(agent)
    row = CustomAgent.objects.filter(pk=custom_agent.pk).first()
    if row is None:
        raise NotFound(f"The custom agent {custom_agent.name!r} is gone already.")
    hooks.check_precondition(row, expected=expected)
    before, key = envelope_of(row), row.pk
    row.delete()
    _audit(Verb.CUSTOM_AGENT_DELETED, agent, key, custom_agent.name, by, before=before)
    if dry_run:
        transaction.set_rollback(True)


def _sound(agent: Agent, name: str, parsed: ParsedAgent) -> None:
    if parsed.name is not None and parsed.name != name:
        raise Conflict(f"The document names {parsed.name!r}, the path {name[:64]!r}: they must be equal.", "name")
    faults = list(parsed.faults)
    if not NAME.fullmatch(name):
        faults.insert(0, Fault("name", "invalid_name", f"{NAME_RULE}."))
    faults += reserved(agent, name)
    if faults:
        raise Invalid(faults)


def reserved(agent: Agent, name: str) -> list[Fault]:
    """Say that a name is the agent's own, where it is."""
    if name.lower() != agent.name.lower():
        return []
    return [Fault("name", "reserved_name", f"{name!r} is the agent's own name; a custom agent needs another.")]


def is_same(row: CustomAgent, parsed: ParsedAgent) -> bool:
    """Whether a document says what is stored to the letter; where not, a save still finds what it means to be equal."""
    own = (row.name, row.tags, row.owner, row.metadata)
    return (
        parsed.hooks is not None
        and own == (parsed.name, parsed.tags, parsed.owner, parsed.metadata)
        and strictjson.dumps(row.spec) == strictjson.dumps(parsed.spec)
        and hooks.are_same(row, parsed.hooks)
    )


def _store(
    row: CustomAgent, lists: Mapping[str, Sequence[HookSpec]] | None, before: dict[str, Any] | None, by: Actor
) -> SavedAgent:
    if row.pk is None:
        row.save()
    if lists is not None:
        hooks.replace_lists(custom_agent=row, lists=lists)
    if (
        before is None
        or write_envelope(row, hooks.hook_lists(row)) != before
        or list(row.spec) != list(before["properties"])
    ):
        row.version += 1
        row.save()
        verb = Verb.CUSTOM_AGENT_UPDATED if before else Verb.CUSTOM_AGENT_CREATED
        _audit(verb, row.agent, row.pk, row.name, by, before=before, after=envelope_of(row))
    return SavedAgent(custom_agent=row, before=before, after=envelope_of(row), document=document_of(row))


def _audit(verb: Verb, agent: Agent, key: int, name: str, by: Actor, *, before: Any = None, after: Any = None) -> None:
    record(
        verb,
        by=by,
        object_type="custom agent",
        object_key=key,
        object_text=name,
        agent_name=agent.name,
        before=before,
        after=after,
    )
