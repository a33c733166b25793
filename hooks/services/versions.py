"""What agent-level hooks were, and how that comes back."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from hooks.engine.envelope import parse_agent_hook
from hooks.engine.errors import Invalid
from hooks.models import HookVersion
from hooks.services.configuration import Saved, check_precondition, lock, save_hook
from portal.access.actors import Actor
from portal.audit.verbs import Verb
from portal.errors import NotFound


def versions_of(*, agent: Any, name: str) -> QuerySet[HookVersion]:
    """List what a hook was, the newest first, also after it was deleted. Raises NotFound."""
    named: QuerySet[HookVersion] = agent.hook_versions.filter(name__iexact=name).order_by("-version")
    if "\x00" in name or not named.exists():
        raise NotFound(f"There is no agent-level hook {name[:64]!r} on the agent {agent.name!r}.")
    return named


def find_version(*, agent: Any, name: str, version: int) -> HookVersion:
    """Find one version of a hook. Raises NotFound."""
    found = versions_of(agent=agent, name=name).filter(version=version).first()
    if found is None:
        raise NotFound(f"There is no version {version} of the hook {name[:64]!r}.")
    return found


def restore_hook(
    *, agent: Any, name: str, version: int, expected: str | None = None, dry_run: bool = False, by: Actor
) -> Saved:
    """Store an earlier version again, as a new one; a deleted hook comes back. Raises NotFound, Invalid."""
    kept = find_version(agent=agent, name=name, version=version)
    parsed = parse_agent_hook(kept.document)
    if parsed.spec is None:
        raise Invalid(parsed.faults)
    with transaction.atomic():
        lock(agent)
        found = agent.hooks.filter(custom_agent=None, name__iexact=name).first()
        check_precondition(found, expected=expected)
        return save_hook(
            agent=agent,
            spec=parsed.spec,
            tags=parsed.tags,
            owner=parsed.owner,
            hook=found,
            dry_run=dry_run,
            verb=Verb.HOOK_RESTORED,
            by=by,
        )
