"""The hooks of one custom agent, which are written as a whole: `{Event: [item, …]}`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hooks.engine.spec import HookSpec
from hooks.models import Hook
from hooks.services import stored


def hook_lists(custom_agent: Any) -> dict[str, list[dict[str, Any]]]:
    """Read them in running order, as items of `spec.hooks.{Event}`."""
    found: dict[str, list[dict[str, Any]]] = {}
    for hook in custom_agent.hooks.all():  # the model orders them; read ahead where there are many
        found.setdefault(hook.event, []).append(stored.item(hook))
    return found


def are_same(custom_agent: Any, lists: Mapping[str, Sequence[HookSpec]]) -> bool:
    """Whether these are the hooks that a custom agent has, to the letter."""
    wanted = {event: [stored.item_of(spec) for spec in specs] for event, specs in lists.items() if specs}
    return hook_lists(custom_agent) == wanted


def replace_lists(*, custom_agent: Any, lists: Mapping[str, Sequence[HookSpec]]) -> None:
    """Make them these, in the caller's transaction; the caller locks the agent and writes the audit event.

    A hook that is recognisably the same keeps its row, and so its results; its version goes up when it changed.
    """
    kept: set[int] = set()
    rows = list(custom_agent.hooks.order_by("position", "pk"))
    wanted = [(position, spec) for specs in lists.values() for position, spec in enumerate(specs)]
    paired = _pair(wanted, rows)
    kept = {row.pk for row in paired.values()}
    custom_agent.hooks.exclude(pk__in=kept).delete()
    for place, (position, spec) in enumerate(wanted):
        row = paired.get(place) or Hook(agent_id=custom_agent.agent_id, custom_agent=custom_agent, version=0)
        old_hash, old_position = row.content_hash, row.position
        stored.apply(row, spec)
        row.position = position
        if row.content_hash != old_hash:
            row.version += 1
        if row.pk is None or (row.content_hash, row.position) != (old_hash, old_position):
            row.save()


def _pair(wanted: Sequence[tuple[int, HookSpec]], rows: Sequence[Hook]) -> dict[int, Hook]:
    """Find for each wanted hook the row that it was: by name, else by equal content, else by place."""
    paired: dict[int, Hook] = {}
    free = list(rows)
    tests: tuple[Callable[[Hook, int, HookSpec], bool], ...] = (
        lambda row, position, spec: bool(spec.name) and row.name == spec.name,
        lambda row, position, spec: row.content_hash == spec.content_hash,
        lambda row, position, spec: row.position == position and row.name == (spec.name or ""),
    )
    for test in tests:
        for place, (position, spec) in enumerate(wanted):
            if place in paired:
                continue
            same = (row for row in free if row.event == spec.event and test(row, position, spec))
            if row := next(same, None):
                paired[place] = row
                free.remove(row)
    return paired
