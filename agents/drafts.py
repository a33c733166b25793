"""The hooks of a custom agent while they are edited: a document of lists that travels in the form until it is saved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.engine import strictjson
from hooks.engine.events import EVENTS
from hooks.engine.parsing import HOOKS_LIMIT
from hooks.words import type_of
from portal.errors import Malformed
from portal.translated import _

Lists = dict[str, list[Any]]
BROKEN = _("The page sent a draft that cannot be read. Load the page again.")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a hook stands: `Stop:0`; `index` None is a new one at the end."""

    event: str
    index: int | None

    def __str__(self) -> str:
        return f"{self.event}:{'new' if self.index is None else self.index}"

    @classmethod
    def read(cls, text: str) -> "Place | None":
        event, _, index = text.partition(":")
        if event not in EVENTS:
            return None
        return cls(event, int(index) if index.isdecimal() and len(index) < 4 else None)


@dataclass(slots=True)
class Draft:
    lists: Lists = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> "Draft":
        """Read what the form carried. Raises Malformed."""
        try:
            raw = strictjson.loads(text)
        except ValueError:
            raise Malformed(str(BROKEN)) from None
        sound = isinstance(raw, Mapping) and all(
            event in EVENTS and isinstance(items, list) and len(items) <= HOOKS_LIMIT for event, items in raw.items()
        )
        if not sound or not all(isinstance(item, Mapping) for items in raw.values() for item in items):
            raise Malformed(str(BROKEN))
        return cls({event: [dict(item) for item in items] for event, items in raw.items()})

    def dump(self) -> str:
        return strictjson.dumps(self.lists)

    def of(self, event: str) -> list[Any]:
        return self.lists.get(event, [])

    def at(self, place: Place) -> dict[str, Any] | None:
        items = self.of(place.event)
        return items[place.index] if place.index is not None and place.index < len(items) else None

    def put(self, place: Place, item: dict[str, Any]) -> Place:
        items = self.lists.setdefault(place.event, [])
        if place.index is None or place.index >= len(items):
            items.append(item)
            return Place(place.event, len(items) - 1)
        items[place.index] = item
        return place

    def move(self, place: Place, step: int) -> Place:
        """Swap a hook with its neighbour; at either end it stays."""
        items, index = self.of(place.event), place.index or 0
        if not (0 <= index < len(items) and 0 <= index + step < len(items)):
            return place
        items[index], items[index + step] = items[index + step], items[index]
        return Place(place.event, index + step)

    def move_to(self, place: Place, index: int) -> Place:
        """Put a hook at another place of its list."""
        items = self.of(place.event)
        if self.at(place) is None or place.index is None:
            return place
        item = items.pop(place.index)
        wanted = min(index, len(items))
        items.insert(wanted, item)
        return Place(place.event, wanted)

    def clone(self, place: Place) -> Place:
        item = self.at(place)
        if item is None or len(self.of(place.event)) >= HOOKS_LIMIT:
            return place
        copy = dict(item)
        if copy.get("name"):
            copy["name"] = self._free(str(copy["name"]))
        self.lists[place.event].insert((place.index or 0) + 1, copy)
        return Place(place.event, (place.index or 0) + 1)

    def delete(self, place: Place) -> None:
        if self.at(place) is not None:
            self.lists[place.event].pop(place.index or 0)

    def toggle(self, place: Place) -> None:
        item = self.at(place)
        if item is not None:
            on = item.pop("enabled", True) is not False
            # As it is written: `enabled` stands only where it is false, after the name and the description.
            own = {key: item.pop(key) for key in ("name", "description") if key in item}
            rest = dict(item)
            item.clear()
            item.update(own | ({"enabled": False} if on else {}) | rest)

    def _free(self, name: str) -> str:
        taken = {str(item.get("name", "")).lower() for items in self.lists.values() for item in items}
        number = 2
        while (found := f"{name[:58]}-{number}").lower() in taken:
            number += 1
        return found


def changes(before: Mapping[str, list[Any]], after: Mapping[str, list[Any]]) -> int:
    """Count the hooks that were added, removed, changed or moved."""
    return sum(_changes(before.get(event, []), after.get(event, [])) for event in EVENTS)


def _changes(old: list[Any], new: list[Any]) -> int:
    free, places = list(range(len(old))), []
    for item in new:
        same = next((index for index in free if old[index] == item), None)
        if same is not None:
            free.remove(same)
            places.append(same)
    return max(len(free), len(new) - len(places)) + len(places) - _longest_rise(places)


def _longest_rise(places: list[int]) -> int:
    best: list[int] = []
    for index, place in enumerate(places):
        best.append(1 + max((best[before] for before in range(index) if places[before] < place), default=0))
    return max(best, default=0)


@dataclass(frozen=True, slots=True)
class Item:
    """One hook of the draft, as the page shows it."""

    place: Place
    number: int
    item: dict[str, Any]
    last: bool

    @property
    def key(self) -> str:
        return f"{self.place.event}-{self.place.index}"

    @property
    def label(self) -> str:
        return str(self.item.get("name") or f"{self.place.event}[{self.place.index}]")

    @property
    def enabled(self) -> bool:
        return self.item.get("enabled", True) is not False

    @property
    def type(self) -> str:
        return "command" if self.item.get("type") == "command" else "prompt"

    @property
    def kind(self) -> str:
        return type_of(self.item, self.type)

    @property
    def matcher(self) -> str:
        return str(self.item.get("matcher") or "") if EVENTS[self.place.event].tool else ""


def items_of(draft: Draft, event: str, before: int) -> list[Item]:
    """The hooks of an event, numbered after the `before` hooks of the agent level."""
    items = draft.of(event)
    return [
        Item(Place(event, index), before + index + 1, item, index == len(items) - 1) for index, item in enumerate(items)
    ]
