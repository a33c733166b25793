"""JSON as RFC 8259 has it, from people and programs that may be hostile.

Refused, as ValueError: `NaN` and `Infinity`, numbers that are not finite or longer than 4,000 digits (R14), a key twice
in one object (R19), nesting that the parser cannot take. Lone surrogates (UTF-8 has none) become U+FFFD (R14).
"""

import json
import math
import re
from typing import Any

NUMBER_LIMIT = 4000
_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(text: str | bytes) -> Any:
    """Parse one JSON document. Raises ValueError with a sentence for people."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        return _decoder.decode(clean(text))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None


def raw_decode(text: str, start: int = 0) -> tuple[Any, int]:
    """Parse the document that begins at `start`; return it and where it ends. Raises ValueError."""
    try:
        return _decoder.raw_decode(text, start)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def dumps(value: Any, *, ascii_only: bool = True) -> str:
    """Write JSON that every database and pipe takes: in ASCII, NUL, U+2028 and the like are escaped."""
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)


def clean(text: str) -> str:
    """Replace lone surrogates in `text`, so that it can be encoded (R14)."""
    return _SURROGATE.sub("\ufffd", text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        key = clean(key)
        if key in found:
            raise ValueError(f"the key {key[:100]!r} stands twice in one object")
        found[key] = _cleaned(value)
    return found


def _cleaned(value: Any) -> Any:
    # Objects were cleaned when they closed; what is left to clean is strings and the lists around them.
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return value


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


class _Decoder(json.JSONDecoder):
    def __init__(self) -> None:
        super().__init__(object_pairs_hook=_object, parse_int=_integer, parse_float=_real, parse_constant=_constant)

    def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
        value, end = super().raw_decode(s, idx)
        return _cleaned(value), end


_decoder = _Decoder()
