"""The running order of an event's agent-level hooks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction

from hooks.engine.errors import Fault, Invalid
from hooks.engine.parsing import HOOKS_LIMIT
from hooks.models import Hook
from hooks.services.configuration import audit, lock
from portal.access.actors import Actor
from portal.audit.verbs import Verb


@transaction.atomic
def reorder_hooks(*, agent: Any, event: str, names: Sequence[str], dry_run: bool = False, by: Actor) -> list[Hook]:
    """Set the running order of an event's agent-level hooks; return them in it.

    `names` must hold each of them once, in any case. Raises Invalid.
    """
    lock(agent)
    hooks = {hook.name.lower(): hook for hook in agent.hooks.filter(custom_agent=None, event=event)}
    before = [hook.name for hook in hooks.values()]
    wanted = [name.lower() for name in names]
    if faults := list(_wrong_order(event, names, hooks)):
        raise Invalid(faults)
    for position, name in enumerate(wanted):
        hooks[name].position = position
    Hook.objects.bulk_update(hooks.values(), ["position"])
    after = [hooks[name].name for name in wanted]
    if after != before:
        audit(Verb.HOOKS_REORDERED, agent, event, event, by, before=before, after=after)
    if dry_run:
        transaction.set_rollback(True)
    return [hooks[name] for name in wanted]


def _wrong_order(event: str, names: Sequence[str], hooks: Mapping[str, Hook]) -> Iterator[Fault]:
    """Name what stands twice, is not there, or is missing."""
    seen: set[str] = set()
    for index, name in enumerate(names[: 2 * HOOKS_LIMIT]):
        if name.lower() in seen:
            yield Fault(f"names[{index}]", "twice", f"{name[:64]!r} stands twice.")
        elif name.lower() not in hooks:
            yield Fault(f"names[{index}]", "unknown", f"There is no agent-level hook {name[:64]!r} on {event}.")
        seen.add(name.lower())
    if missing := [hook.name for key, hook in hooks.items() if key not in seen]:
        yield Fault("names", "missing", f"must hold each hook of {event} once. Missing: {', '.join(missing)}.")
