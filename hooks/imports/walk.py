"""Walk through the events of a source, and hand out its hooks one by one."""

from collections.abc import Iterator, Mapping
from typing import Any

from hooks.engine.events import suggestion
from hooks.engine.parsing import HOOKS_LIMIT
from hooks.imports.handler import Handler
from hooks.imports.reading import Reading
from hooks.imports.source import Product


def handlers(product: Product, events: Mapping[str, Any], reading: Reading) -> Iterator[Handler]:
    """Yield the hooks whose event has an equal here. What has none is noted, what is malformed is a fault."""
    counts: dict[str, int] = {}
    known = [event for event in events if event not in product.beside]
    if len(known) > HOOKS_LIMIT:
        reading.fault("hooks", "too_many", f"has {len(known):,} events; at most {HOOKS_LIMIT} are read.")
        return
    for event in known:
        source = product.events.get(event)
        if source is None:
            _note_event(product, event, events[event], reading)
            continue
        found = list(_of_event(product, event, events[event], reading))
        counts[source.event] = counts.get(source.event, 0) + len(found)
        if counts[source.event] > HOOKS_LIMIT:
            message = f"makes {counts[source.event]:,} hooks on {source.event}; at most {HOOKS_LIMIT} are allowed."
            reading.fault(f"hooks.{event}", "too_many", message)
            continue
        if source.note and found:
            reading.note(f"hooks.{event}", "translated", source.note)
        yield from found


def _note_event(product: Product, event: str, items: object, reading: Reading) -> None:
    path = f"hooks.{event[:100]}"
    count = len(items) if isinstance(items, list) else 0
    if event in product.others:
        lost = f" ({count:,} left out)" if count else ""
        reading.note(path, "no_equal", f"{event} of {product.title} has no equal here{lost}.")
        return
    near = suggestion(event, dict.fromkeys([*product.events, *product.others]))
    reading.note(path, "no_equal", f"{event[:100]!r} is no event of {product.title} that is known here{near}")


def _of_event(product: Product, event: str, items: object, reading: Reading) -> Iterator[Handler]:
    path = f"hooks.{event}"
    if not isinstance(items, list):
        reading.fault(path, "invalid_type", "must be a list.")
        return
    if len(items) > HOOKS_LIMIT:
        reading.fault(path, "too_many", f"has {len(items):,} entries; at most {HOOKS_LIMIT} are allowed.")
        return
    for index, item in enumerate(items):
        where = f"{path}[{index}]"
        if not isinstance(item, Mapping):
            reading.fault(where, "invalid_type", "must be an object.")
        elif product.grouped or "hooks" in item:
            yield from _of_group(event, item, where, reading)
        else:
            yield Handler(where, event, item, item, reading)


def _of_group(event: str, group: Mapping[str, Any], path: str, reading: Reading) -> Iterator[Handler]:
    items = group.get("hooks")
    if not isinstance(items, list):
        reading.fault(f"{path}.hooks", "required" if items is None else "invalid_type", "must be a list of hooks.")
        return
    if len(items) > HOOKS_LIMIT:
        reading.fault(
            f"{path}.hooks", "too_many", f"has {len(items):,} hooks; at most {HOOKS_LIMIT} are allowed on an event."
        )
        return
    _note_group(group, path, reading)
    for index, item in enumerate(items):
        where = f"{path}.hooks[{index}]"
        if isinstance(item, Mapping):
            yield Handler(where, event, item, group, reading)
        else:
            reading.fault(where, "invalid_type", "must be an object.")


def _note_group(group: Mapping[str, Any], path: str, reading: Reading) -> None:
    if group.get("sequential") is True:
        message = "sequential has no equal: the hooks of one level run at the same time here."
        reading.note(f"{path}.sequential", "no_equal", message)
    rest = [key[:100] for key in group if key not in ("matcher", "hooks", "sequential", "description")]
    if rest:
        reading.note(path, "no_equal", f"Without an equal here, and left out: {', '.join(rest[:10])}.")
