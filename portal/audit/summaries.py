"""What a change was, in one line: the fields that differ, or what was made."""

from collections.abc import Iterator, Mapping
from typing import Any

from portal.audit.diff import diff
from portal.shown import visible

LIMIT, VALUE, NAMED = 300, 60, 6
ASIDE = {"version", "contentHash"}  # they change with every change


def summary_of(before: Any, after: Any) -> str:
    """Say what differs; of something new what it is. "" where there is nothing to say."""
    if after is None:
        return ""
    if isinstance(before, list) and isinstance(after, list):
        said = list(_moved(before, after))
    elif before is None:
        said = list(_made(after))
    else:
        said = _changed(before, after)
    shown = ", ".join(said[:NAMED]) + (f" and {len(said) - NAMED} more" if len(said) > NAMED else "")
    return visible(shown)[:LIMIT].replace("\n", " ")


def _changed(before: Any, after: Any) -> list[str]:
    changes = [one for one in diff(before, after) if _last(one["path"]) not in ASIDE]
    return [_told(one, alone=len(changes) < 3) for one in changes]


def _told(one: Mapping[str, Any], *, alone: bool) -> str:
    name, old, new = _last(one["path"]), one["before"], one["after"]
    if any(isinstance(side, str) and "\n" in side for side in (old, new)):
        return f"{name} ({_lines(old, new)})"
    if alone and all(_is_short(side) for side in (old, new)):
        return f"{name}: {_word(old)} to {_word(new)}"
    return name


def _lines(old: Any, new: Any) -> str:
    sides = [set(side.split("\n")) if isinstance(side, str) else set() for side in (old, new)]
    count = max(len(sides[0] - sides[1]), len(sides[1] - sides[0]), 1)
    return f"{count} line{'' if count == 1 else 's'}"


def _made(after: Any, path: str = "") -> Iterator[str]:
    """Name the short values of something new; of a whole document those that it gives."""
    if isinstance(after, Mapping):
        for key, value in after.items():
            if key not in ASIDE and key not in {"name", "type"}:
                yield from _made(value, str(key))
    elif path and after not in (None, "", [], {}) and _is_short(after):
        yield f"{path}: {_word(after)}"


def _moved(before: list[Any], after: list[Any]) -> Iterator[str]:
    """Name what stands elsewhere now; of two that changed places the first."""
    places = {str(one): place for place, one in enumerate(before)}
    moved = [(str(one), places.get(str(one)), place) for place, one in enumerate(after)]
    moved = [one for one in moved if one[1] != one[2]]
    for name, old, new in moved[:1] if len(moved) == 2 else moved:
        yield f"{name} {'new' if old is None else old + 1} to {new + 1}"


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value) and len(", ".join(value)) <= VALUE
    return not isinstance(value, Mapping) and len(str(value)) <= VALUE


def _word(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) or "none" if isinstance(value, list) else str(value) or "none"


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1] or "all"
