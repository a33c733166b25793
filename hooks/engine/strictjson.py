"""JSON as RFC 8259 has it, from people and programs that may be hostile.

Refused, as ValueError: `NaN` and `Infinity`, numbers that are not finite or longer than 4,000 digits (R14), a key twice
in one object (R19), nesting deeper than NESTING_LIMIT. Lone surrogates (UTF-8 has none) become U+FFFD (R14).
"""

import json
import math
import re
from collections.abc import Iterable
from typing import Any

NUMBER_LIMIT = 4000
# Far below what Python's stack takes, so that whatever was read can be walked and written again from anywhere.
NESTING_LIMIT = 200
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL)


def loads(text: str | bytes, *, nesting: int = NESTING_LIMIT) -> Any:
    """Parse one JSON document. Raises ValueError with a sentence for people."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    if text.startswith("\ufeff"):
        raise ValueError("a byte-order mark stands before it")
    try:
        found = _DECODER.decode(_without_lone_escapes(clean(text)))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return _shallow(found, nesting)


def raw_decode(text: str, start: int = 0) -> tuple[Any, int]:
    """Parse the document that begins at `start`; return it and where it ends. Raises ValueError."""
    try:
        found, end = _DECODER.raw_decode(_without_lone_escapes(clean(text)), start)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return _shallow(found, NESTING_LIMIT), end


def dumps(value: Any, *, ascii_only: bool = True) -> str:
    """Write JSON that every database and pipe takes: in ASCII, NUL, U+2028 and the like are escaped."""
    return _without_lone_escapes(clean(json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)))


def clean(text: str) -> str:
    """Replace lone surrogates in `text`, so that it can be encoded (R14)."""
    return _SURROGATE.sub("\ufffd", text)


def _without_lone_escapes(text: str) -> str:
    """Replace the escapes of lone surrogates in a JSON document; its length stays the same."""
    if not _SURROGATE_ESCAPE.search(text):
        return text
    return _ESCAPE.sub(lambda escape: r"\ufffd" if escape[1] else escape[0], text)


def _shallow(value: Any, nesting: int) -> Any:
    level = [value]
    for _ in range(nesting):
        level = [inner for outer in level for inner in _within(outer) if isinstance(inner, (dict, list))]
        if not level:
            return value
    raise ValueError(f"nested too deeply: at most {nesting} levels are allowed")


def _within(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:100]!r} stands twice in one object")
        found[key] = value
    return found


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > NUMBER_LIMIT:
        raise ValueError(f"a number has more than {NUMBER_LIMIT:,} digits")
    return int(text)


def _real(text: str) -> float:
    number = float(text)
    if not math.isfinite(number) or len(text) > NUMBER_LIMIT:
        raise ValueError("a number is not finite, or too long")
    return number


def _constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_real, parse_constant=_constant)
