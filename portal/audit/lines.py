"""Two texts compared line by line, with the words that differ marked. Bounded, since texts may be anybody's."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from portal.shown import visible

LINES, SHOWN, LINE = 4_000, 400, 600
AROUND = 3
Part = tuple[str, bool]  # a piece of a line, and whether it is marked
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Line:
    """`sign` is "+", "-", " ", or "…" where lines are left out."""

    sign: str
    old: int | None = None
    new: int | None = None
    parts: Sequence[Part] = field(default_factory=list)

    @property
    def look(self) -> str:
        return {"+": "add", "-": "del", "…": "hunk"}.get(self.sign, "")


def compare(before: str, after: str) -> list[Line]:
    """List the lines that differ, each with three around it, at most SHOWN of them."""
    old, new = before.split("\n")[:LINES], after.split("\n")[:LINES]
    found: list[Line] = []
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(AROUND):
        if found:
            found.append(Line("…"))
        for opcode in group:
            found += _lines(old, new, opcode)
        if len(found) > SHOWN:
            return [*found[:SHOWN], Line("…", parts=[("more lines differ", False)])]
    return found


def _lines(old: list[str], new: list[str], opcode: tuple[str, int, int, int, int]) -> Iterator[Line]:
    kind, i1, i2, j1, j2 = opcode
    if kind == "equal":
        for ahead in range(i2 - i1):
            yield Line(" ", i1 + ahead + 1, j1 + ahead + 1, [(_shown(old[i1 + ahead]), False)])
        return
    pairs = [_words(old[i1 + ahead], new[j1 + ahead]) for ahead in range(min(i2 - i1, j2 - j1, SHOWN))]
    for ahead in range(i2 - i1):
        parts = pairs[ahead][0] if ahead < len(pairs) else [(_shown(old[i1 + ahead]), False)]
        yield Line("-", i1 + ahead + 1, None, parts)
    for ahead in range(j2 - j1):
        parts = pairs[ahead][1] if ahead < len(pairs) else [(_shown(new[j1 + ahead]), False)]
        yield Line("+", None, j1 + ahead + 1, parts)


def _words(before: str, after: str) -> tuple[list[Part], list[Part]]:
    """Mark what differs within one line; lines that have little in common are marked as a whole, that is not at all."""
    old, new = _WORDS.findall(before[:LINE]), _WORDS.findall(after[:LINE])
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if max(len(before), len(after)) > LINE or matcher.ratio() < 0.4:
        return [(_shown(before), False)], [(_shown(after), False)]
    left: list[Part] = []
    right: list[Part] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        left += [(visible("".join(old[i1:i2])), kind != "equal")] if i2 > i1 else []
        right += [(visible("".join(new[j1:j2])), kind != "equal")] if j2 > j1 else []
    return left, right


def _shown(line: str) -> str:
    return visible(line if len(line) <= LINE else f"{line[:LINE]}…")
