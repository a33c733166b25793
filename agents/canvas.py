"""Where the cards of the canvas stand: layers from left to right, by who hands over to whom. Pure geometry."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt

WIDTH, GAP_X, GAP_Y, EDGE = 284, 110, 26, 24
HEAD, ROW, INNER = 62, 25, 262
TALL = 9  # cards of a layer that stand in one column; more make further columns
UNKNOWN_LIMIT = 60
WIRES_LIMIT = 2_000
HANDOFFS_LIMIT = 200  # of one custom agent


@dataclass(slots=True)
class Card:
    """`key` is "" for the agent itself. An `unknown` one is only named in handoffs. `chips` are estimated widths of badges."""

    key: str
    name: str
    chips: Sequence[int] = ()
    handoffs: list[str] = field(default_factory=list)
    unknown: bool = False
    layer: int = 0
    x: int = 0
    y: int = 0

    @property
    def height(self) -> int:
        rows, left = 1, INNER
        for chip in self.chips:
            if chip > left:
                rows, left = rows + 1, INNER
            left -= chip
        return HEAD + (ROW * rows if self.chips else 0)


@dataclass(frozen=True, slots=True)
class Wire:
    source: str
    target: str
    path: str


@dataclass(frozen=True, slots=True)
class Layout:
    cards: list[Card]
    wires: list[Wire]
    width: int
    height: int
    unknown: int


def handoffs_of(spec: object) -> list[str]:
    """The names that a custom agent hands over to, each once."""
    given = spec.get("handoffs") if isinstance(spec, Mapping) else None
    names = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
    return list({name.lower(): name for name in names[:HANDOFFS_LIMIT]}.values())


def lay_out(agent: Card, custom_agents: Iterable[Card]) -> Layout:
    """Place the agent left, then the custom agents that nobody hands over to, then those that these hand over to."""
    cards = {card.key: card for card in custom_agents}
    unknown = _add_unknown(cards)
    entries = _layers(cards)
    agent.handoffs = entries
    columns = [[agent]]
    for layer in range(1, max((card.layer for card in cards.values()), default=0) + 1):
        columns += _columns([card for card in cards.values() if card.layer == layer])
    height = _place(columns)
    ordered = [card for column in columns for card in column]
    known = {"": agent, **cards}
    pairs = [(card, known[key]) for card in ordered for key in card.handoffs if key in known and key != card.key]
    wires = [Wire(one.key, other.key, _path(one, other)) for one, other in pairs[:WIRES_LIMIT]]
    width = max(card.x for card in ordered) + WIDTH + EDGE + GAP_X // 2
    return Layout(ordered, wires, width, height, unknown)


def _add_unknown(cards: dict[str, Card]) -> int:
    """Turn handoffs into keys, with a card for each name that no custom agent has; return how many there are."""
    missing: dict[str, str] = {}
    for card in cards.values():
        for name in card.handoffs:
            if name.lower() not in cards:
                missing.setdefault(name.lower(), name)
        card.handoffs = [name.lower() for name in card.handoffs]
    for key in sorted(missing)[:UNKNOWN_LIMIT]:
        cards[key] = Card(key, missing[key], unknown=True)
    return len(missing)


def _layers(cards: Mapping[str, Card]) -> list[str]:
    """Give each card its layer; return those of the first, which the agent reaches itself. A circle is entered by name."""
    reached_by_others = {key for card in cards.values() for key in card.handoffs if key != card.key}
    entries = [key for key in cards if key not in reached_by_others]
    waiting = [key for key in cards if key in reached_by_others]
    front, layer = entries, 1
    while front or waiting:
        if not front:
            first = next(key for key in waiting)
            entries = [*entries, first]
            front, layer = [first], 1
        for key in front:
            cards[key].layer = layer
        done = set(front)
        waiting = [key for key in waiting if key not in done]
        open_keys = set(waiting)
        front = list(dict.fromkeys(next_ for key in front for next_ in cards[key].handoffs if next_ in open_keys))
        layer += 1
    return entries


def _columns(cards: list[Card]) -> list[list[Card]]:
    tall = max(TALL, ceil(sqrt(len(cards) * 2)))
    return [cards[start : start + tall] for start in range(0, len(cards), tall)]


def _place(columns: list[list[Card]]) -> int:
    """Stack each column in the middle; return the height of the whole."""
    heights = [sum(card.height + GAP_Y for card in column) - GAP_Y for column in columns]
    tallest = max(heights)
    for index, (column, height) in enumerate(zip(columns, heights, strict=True)):
        y = EDGE + (tallest - height) // 2
        for card in column:
            card.x, card.y = EDGE + index * (WIDTH + GAP_X), y
            y += card.height + GAP_Y
    return tallest + 2 * EDGE


def _path(one: Card, other: Card) -> str:
    """A curve from the right edge of one card to the left edge of the other; back or down goes round on the right."""
    y1, y2 = one.y + one.height // 2, other.y + other.height // 2
    right = one.x + WIDTH
    if other.x > one.x:
        bend = (other.x - right) // 2
        return f"M{right} {y1}C{right + bend} {y1} {other.x - 5 - bend} {y2} {other.x - 5} {y2}"
    out = max(right, other.x + WIDTH) + 52
    return f"M{right} {y1 + 6}C{out} {y1} {out} {y2} {other.x + WIDTH + 5} {y2 + 6}"
