"""What an audit event changed, as lines to look at: short values together, each longer text by itself."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from portal.audit.diff import diff
from portal.audit.lines import Line, compare
from portal.shown import visible

SHOWN, SHORT = 200, 300
LINES, LINE = 400, 600  # of a text that is new or gone
VALUES = "values"


@dataclass(frozen=True, slots=True)
class Change:
    label: str
    lines: list[Line]


def changes(before: Any, after: Any) -> tuple[list[Change], int]:
    """Compare what was before and after, field by field; tell also how many fields are left out."""
    found = list(_fields(before, after))
    short: list[Line] = []
    long: list[Change] = []
    for path, old, new in found[:SHOWN]:
        if all(len(side) <= SHORT and "\n" not in side for side in (old or "", new or "")):
            short += _values(path, old, new)
        else:
            long.append(Change(_field(path) or VALUES, _compared(old, new)))
    return ([Change(VALUES, short)] if short else []) + long, max(0, len(found) - SHOWN)


def _fields(before: Any, after: Any) -> Iterator[tuple[str, str | None, str | None]]:
    for one in diff(before if before is not None else {}, after if after is not None else {}):
        old, new = one["before"], one["after"]
        if isinstance(old, Mapping) and new is None:
            yield from ((path, value, None) for path, value in _leaves(one["path"], old))
        elif isinstance(new, Mapping) and old is None:
            yield from ((path, None, value) for path, value in _leaves(one["path"], new))
        else:
            yield one["path"], _text(old), _text(new)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}" if path else str(key), inner)
    elif value not in (None, ""):
        yield path, _text(value) or ""


def _compared(old: str | None, new: str | None) -> list[Line]:
    if old is not None and new is not None:
        return compare(old, new)
    lines = (new or "").split("\n") if old is None else old.split("\n")
    parts = [(visible(line[:LINE]), False) for line in lines[:LINES]]
    shown = [
        Line("+", None, place, [part]) if old is None else Line("-", place, None, [part])
        for place, part in enumerate(parts, 1)
    ]
    return shown + ([Line("…", parts=[(f"{len(lines) - LINES:,} more lines", False)])] if len(lines) > LINES else [])


def _values(path: str, old: str | None, new: str | None) -> Iterator[Line]:
    label = (f"{_field(path)}: " if path else "", False)
    if old is not None:
        yield Line("-", parts=[label, (visible(old), new is not None)])
    if new is not None:
        yield Line("+", parts=[label, (visible(new), old is not None)])


def _field(path: str) -> str:
    return visible(path.removeprefix("properties.").removeprefix("hook."))[:SHORT]


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    indent = 2 if isinstance(value, (Mapping, list)) and value else None
    return json.dumps(value, ensure_ascii=False, indent=indent)
