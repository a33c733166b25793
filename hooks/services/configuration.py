"""Agent-level hooks: saved, switched, deleted. Each change is one version, one audit event."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from hooks.engine.errors import Fault, Invalid
from hooks.engine.parsing import HOOKS_LIMIT
from hooks.engine.spec import HookSpec
from hooks.models import Hook, HookVersion
from hooks.services import stored
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import Conflict, NotFound, PreconditionFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What a save did. `before` and `after` are envelopes; `before` is None where it was created."""

    hook: Hook
    before: dict[str, Any] | None
    after: dict[str, Any]

    @property
    def created(self) -> bool:
        return self.before is None

    @property
    def changed(self) -> bool:
        return self.before != self.after


def find_hook(*, agent: Any, name: str) -> Hook:
    """Find an agent-level hook by its name, in any case. Raises NotFound."""
    found: Hook | None = None if "\x00" in name else agent.hooks.filter(custom_agent=None, name__iexact=name).first()
    if found is None:
        raise NotFound(f"There is no agent-level hook {name[:64]!r} on the agent {agent.name!r}.")
    return found


@transaction.atomic
def save_hook(
    *,
    agent: Any,
    spec: HookSpec,
    tags: Sequence[str] = (),
    owner: str = "",
    hook: Hook | None = None,
    expected_version: int | None = None,
    dry_run: bool = False,
    verb: Verb | None = None,
    by: Actor,
) -> Saved:
    """Store `spec` as a new agent-level hook, or in place of `hook`, which may get another name or event.

    What is equal to what stands there changes nothing. `dry_run` tells what would be stored and stores nothing.
    Raises Conflict (the name is taken, the hook is gone), PreconditionFailed (another version), Invalid (too many).
    """
    lock(agent)
    row = _current(agent, hook, expected_version)
    _name_is_free(agent, spec, row)
    before = stored.envelope(row) if row.pk else None
    old_event = row.event if row.pk else None
    stored.apply(row, spec)
    row.tags, row.owner = list(tags), owner
    if old_event != row.event:
        row.position = _next_position(agent, row.event)
    if before is None or not _same(before, stored.envelope(row)):
        row.version = _next_version(agent, row)
        row.save()
        if old_event not in (None, row.event):
            renumber(agent.hooks.filter(custom_agent=None, event=old_event))
        _remember(row, verb or (Verb.HOOK_CREATED if before is None else Verb.HOOK_UPDATED), before, by)
    if dry_run:
        transaction.set_rollback(True)
    return Saved(hook=row, before=before, after=stored.envelope(row))


@transaction.atomic
def put_hook(
    *,
    agent: Any,
    spec: HookSpec,
    tags: Sequence[str] = (),
    owner: str = "",
    expected: str | None = None,
    create_only: bool = False,
    dry_run: bool = False,
    by: Actor,
) -> Saved:
    """Store `spec` under its name, whether there is one or not. `expected` is the entity tag that must still hold."""
    lock(agent)
    found = agent.hooks.filter(custom_agent=None, name__iexact=spec.name).first()
    check_precondition(found, expected=expected, create_only=create_only)
    return save_hook(agent=agent, spec=spec, tags=tags, owner=owner, hook=found, dry_run=dry_run, by=by)


@transaction.atomic
def delete_hook(*, hook: Hook, expected: str | None = None, dry_run: bool = False, by: Actor) -> None:
    """Delete an agent-level hook. Its versions and results stay."""
    lock(hook.agent)
    row = Hook.objects.filter(pk=hook.pk).first()
    if row is None:
        raise NotFound(f"The hook {hook.name!r} is gone already.")
    check_precondition(row, expected=expected)
    before, event, agent, key = stored.envelope(row), row.event, hook.agent, row.pk
    row.delete()
    renumber(agent.hooks.filter(custom_agent=None, event=event))
    audit(Verb.HOOK_DELETED, agent, key, hook.name, by, before=before)
    if dry_run:
        transaction.set_rollback(True)


@transaction.atomic
def set_enabled(*, agent: Any, names: Sequence[str], enabled: bool, by: Actor) -> list[Hook]:
    """Switch agent-level hooks on or off, all or none of them; return those that changed. Raises NotFound."""
    lock(agent)
    changed = []
    for hook in [find_hook(agent=agent, name=name) for name in names]:
        if hook.enabled is enabled:
            continue
        before = stored.envelope(hook)
        hook.enabled = enabled
        _rehash(hook)
        hook.version = _next_version(agent, hook)
        hook.save()
        _remember(hook, Verb.HOOK_ENABLED if enabled else Verb.HOOK_DISABLED, before, by)
        changed.append(hook)
    return changed


def lock(agent: Any) -> None:
    """Let one change at a time be made to an agent's configuration. Evaluations do not wait for it."""
    type(agent).objects.select_for_update(no_key=True).get(pk=agent.pk)


def etag(row: Any) -> str:
    """Name this state of a resource; the key is in it, so that one made anew is another."""
    return f'"{row.pk}.{row.version}"'


def check_precondition(row: Any, *, expected: str | None = None, create_only: bool = False, tag: str = "") -> None:
    """Hold what If-Match and If-None-Match: * ask for; `tag` is where it has one of its own. Raises PreconditionFailed."""
    if create_only and row is not None:
        raise PreconditionFailed("There is one already, and If-None-Match: * asks for a new one only.")
    if expected is None:
        return
    if row is None:
        raise PreconditionFailed("There is none, and If-Match asks for a change of one that exists.")
    tags = [tag.strip().removeprefix("W/") for tag in expected.split(",")]
    now = tag or etag(row)
    if "*" not in tags and now not in tags:
        raise PreconditionFailed(f"It was changed in between: its entity tag is now {now}.", current=row)


def renumber(hooks: Any) -> None:
    """Close the gaps in the positions of one level and event."""
    rows = list(hooks.order_by("position", "pk"))
    moved = [row for place, row in enumerate(rows) if row.position != place]
    for place, row in enumerate(rows):
        row.position = place
    Hook.objects.bulk_update(moved, ["position"])


def _current(agent: Any, hook: Hook | None, expected_version: int | None) -> Hook:
    if hook is None:
        return Hook(agent=agent)
    row = Hook.objects.filter(pk=hook.pk, agent=agent, custom_agent=None).first()
    if row is None:
        raise Conflict(f"The hook {hook.name!r} was deleted in between.")
    if expected_version is not None and row.version != expected_version:
        raise PreconditionFailed(
            f"The hook {row.name!r} was changed in between: it is at version {row.version}.", current=row
        )
    return row


def _name_is_free(agent: Any, spec: HookSpec, row: Hook) -> None:
    if not spec.name:
        raise Invalid([Fault("name", "required", "is required: an agent-level hook has a name.")])
    other = agent.hooks.filter(custom_agent=None, name__iexact=spec.name).exclude(pk=row.pk).first()
    if other is not None:
        raise Conflict(f"The name {spec.name!r} is taken by the hook {other.name!r}.", target="name")


def _next_position(agent: Any, event: str) -> int:
    count: int = agent.hooks.filter(custom_agent=None, event=event).count()
    if count >= HOOKS_LIMIT:
        message = f"has {HOOKS_LIMIT} agent-level hooks already, which is the most that one event may have."
        raise Invalid([Fault("properties.eventType", "too_many", message)])
    return count


def _next_version(agent: Any, hook: Hook) -> int:
    """Count on, also past a deleted hook of the same name, so that name and version name one document for ever."""
    last = agent.hook_versions.filter(name__iexact=hook.name).aggregate(last=Max("version"))["last"] or 0
    return max(last, hook.version if hook.pk else 0) + 1


def _same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    return {**before, "version": 0} == {**after, "version": 0}


def _rehash(hook: Hook) -> None:
    spec = stored.parse_stored(hook).spec
    if spec is not None:
        hook.content_hash = spec.content_hash


def _remember(hook: Hook, verb: Verb, before: dict[str, Any] | None, by: Actor) -> None:
    HookVersion.objects.create(
        agent_id=hook.agent_id,
        hook=hook,
        name=hook.name,
        version=hook.version,
        verb=verb,
        document=stored.document(hook),
        content_hash=hook.content_hash,
        by=by.text[:200],
    )
    audit(verb, hook.agent, hook.pk, hook.name, by, before=before, after=stored.envelope(hook))


def audit(
    verb: Verb, agent: Any, key: int | str, text: str, by: Actor, *, before: Any = None, after: Any = None
) -> None:
    record(
        verb,
        by=by,
        object_type="hook",
        object_key=key,
        object_text=text,
        agent_name=agent.name,
        before=before,
        after=after,
    )
