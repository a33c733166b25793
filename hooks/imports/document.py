"""The source as a JSON object, with faults that a person can act on."""

import re
from collections.abc import Mapping
from typing import Any

from hooks.engine import strictjson
from hooks.engine.errors import Fault, Invalid

LIMIT = 1024 * 1024
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)  # linear also where the quote never closes
_COMMENT = re.compile(r"//|/\*")
_TRAILING_COMMA = re.compile(r",\s*[}\]]")


def load(source: str | bytes) -> Mapping[str, Any]:
    """Read the source. Raises Invalid with one fault."""
    size = len(source) if isinstance(source, bytes) else len(source.encode("utf-8", "replace"))
    if size > LIMIT:
        raise _refused("too_large", f"The file has {size:,} bytes; at most {LIMIT:,} are allowed.")
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _refused("malformed", f"The file is not UTF-8 at byte {error.start}.") from None
    if not text.strip():
        raise _refused("malformed", "The file is empty.")
    try:
        root = strictjson.loads(text)
    except ValueError as error:
        raise _refused("malformed", f"The file is not JSON: {error}.{_advice(text)}") from None
    if not isinstance(root, Mapping):
        raise _refused("invalid_type", "The file must be a JSON object.")
    return root


def hooks_of(root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the events under `hooks`. Raises Invalid."""
    if "hooks" not in root:
        raise Invalid([Fault("hooks", "required", "The file has no hooks: they are read from its key hooks.")])
    if not isinstance(root["hooks"], Mapping):
        raise Invalid([Fault("hooks", "invalid_type", "must be an object of events, each with a list of hooks.")])
    return root["hooks"]


def _advice(text: str) -> str:
    """Name what editors allow in their settings and JSON does not."""
    rest = _STRING.sub('""', text)
    if _COMMENT.search(rest):
        return " It has comments, which neither JSON nor these products allow in this file: take them out."
    if _TRAILING_COMMA.search(rest):
        return " It has a comma before a closing bracket, which JSON does not allow: take it out."
    return ""


def _refused(code: str, message: str) -> Invalid:
    return Invalid([Fault("", code, message)])
