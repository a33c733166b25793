"""Two texts compared line by line, with what changed within a line marked."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

AROUND = 3
LONGEST = 20_000  # lines; past that there is no comparing in a page's time
SHOWN = 600
WORDS = 2_000  # characters of a line that is compared word by word
_WORD = re.compile(r"\w+|\W")


@dataclass(frozen=True, slots=True)
class Line:
    """`sign` is + - or a blank, or @ for a gap; `parts` are texts, each with whether it is marked."""

    sign: str
    old: int | None
    new: int | None
    parts: list[tuple[str, bool]]

    @property
    def look(self) -> str:
        return {"+": "add", "-": "del"}.get(self.sign, "")


def compare(before: str, after: str) -> list[Line]:
    """Return the changed lines with some around them; [] where nothing differs."""
    old, new = before.splitlines(), after.splitlines()
    if before == after:
        return []
    if len(old) + len(new) > LONGEST:
        return [Line("@", None, None, [("The texts are too long to be compared here.", False)])]
    found: list[Line] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(AROUND):
        first = group[0]
        found.append(Line("@", None, None, [(f"Line {first[1] + 1}", False)]))
        for tag, a, b, c, d in group:
            found += _same(old, a, b, c) if tag == "equal" else _changed(old[a:b], new[c:d], a, c)
        if len(found) > SHOWN:
            return [*found[:SHOWN], Line("@", None, None, [("… more changes follow", False)])]
    return found


def _same(old: list[str], a: int, b: int, c: int) -> list[Line]:
    return [Line(" ", index + 1, index - a + c + 1, [(old[index], False)]) for index in range(a, b)]


def _changed(old: list[str], new: list[str], a: int, c: int) -> list[Line]:
    pairs = [_words(one, other) for one, other in zip(old, new, strict=False)] if len(old) == len(new) else []
    gone = [pair[0] for pair in pairs] or [[(text, False)] for text in old]
    come = [pair[1] for pair in pairs] or [[(text, False)] for text in new]
    return [
        *(Line("-", a + index + 1, None, parts) for index, parts in enumerate(gone)),
        *(Line("+", None, c + index + 1, parts) for index, parts in enumerate(come)),
    ]


def _words(one: str, other: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    if len(one) + len(other) > WORDS:
        return [(one, False)], [(other, False)]
    old, new = _WORD.findall(one), _WORD.findall(other)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.4:
        return [(one, False)], [(other, False)]
    gone, come = [], []
    for tag, a, b, c, d in matcher.get_opcodes():
        if b > a:
            gone.append(("".join(old[a:b]), tag != "equal"))
        if d > c:
            come.append(("".join(new[c:d]), tag != "equal"))
    return gone, come
