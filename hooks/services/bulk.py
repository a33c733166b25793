"""Several agent-level hooks deleted at once, and brought back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from hooks.models import Hook
from hooks.services.configuration import delete_hook, find_hook, lock
from hooks.services.ordering import reorder_hooks
from hooks.services.versions import restore_hook
from portal.access.actors import Actor
from portal.errors import Conflict


@dataclass(frozen=True, slots=True)
class Deleted:
    """What brings them back: the last version of each by its name, and the running orders that they stood in."""

    versions: dict[str, int]
    orders: dict[str, list[str]]


@transaction.atomic
def delete_hooks(*, agent: Any, expected: Mapping[str, str], by: Actor) -> Deleted:
    """Delete these hooks, all or none; `expected` has the entity tag of each by its name.

    Raises NotFound, PreconditionFailed.
    """
    lock(agent)
    found = [(find_hook(agent=agent, name=name), tag) for name, tag in expected.items()]
    orders = {event: names_of(agent, event) for event in {hook.event for hook, _ in found}}
    versions = {hook.name: hook.version for hook, _ in found}
    for hook, tag in found:
        delete_hook(hook=hook, expected=tag, by=by)
    return Deleted(versions, orders)


@transaction.atomic
def restore_hooks(
    *, agent: Any, versions: Mapping[str, int], orders: Mapping[str, Sequence[str]], by: Actor
) -> list[Hook]:
    """Bring deleted hooks back to where they stood. Raises Conflict where a name is taken again, NotFound, Invalid."""
    lock(agent)
    lower = {name.lower(): name for name in versions}
    taken = [hook.name for hook in agent.hooks.filter(custom_agent=None).only("name") if hook.name.lower() in lower]
    if taken:
        raise Conflict(f"There is a hook {taken[0]!r} again, so that the deleted one cannot come back by that name.")
    restored = [restore_hook(agent=agent, name=name, version=version, by=by).hook for name, version in versions.items()]
    for event, names in orders.items():
        order_as_before(agent=agent, event=event, names=names, by=by)
    return restored


def order_as_before(*, agent: Any, event: str, names: Sequence[str], by: Actor) -> None:
    """Put the hooks of an event in the order of `names`; those that have come since stay behind."""
    now = names_of(agent, event)
    before = [name for name in names if name in now]
    reorder_hooks(agent=agent, event=event, names=[*before, *(name for name in now if name not in before)], by=by)


def names_of(agent: Any, event: str) -> list[str]:
    """The agent-level hooks of an event, in running order."""
    hooks = agent.hooks.filter(custom_agent=None, event=event).order_by("position", "pk")
    return list(hooks.values_list("name", flat=True))
