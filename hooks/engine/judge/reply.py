"""Find the verdict, or a tool call, in what a model wrote (R23)."""

import json
import re
from dataclasses import dataclass
from typing import Any

from hooks.engine import strictjson

EXCERPT = 300
BRACES_TRIED = 100
_FENCE = "```"
_FENCE_OPENED = re.compile(r"```[\w-]*\s*\Z")
_THOUGHT = ("<think>", "</think>")


@dataclass(frozen=True, slots=True)
class Found:
    """The one object of a reply. `alone` is true when no prose stood before it."""

    value: dict[str, Any]
    alone: bool


def only_object(text: str) -> Found:
    """Return the one JSON object that `text` must hold (R23). Raises ValueError with a sentence that shows the text."""
    said = _without_thought(text)
    start = said.find("{")
    if start < 0:
        what = "holds no JSON object" if said else "is empty"
        raise ValueError(f"the judge's answer {what}{_shown(text)}")
    try:
        value, end = strictjson.raw_decode(said, start)
    except ValueError as error:
        raise ValueError(f"the judge's answer is not JSON: {error}{_shown(text)}") from None
    before, after = said[:start], said[end:].strip()
    if after and not (after == _FENCE and before.count(_FENCE) == 1):
        raise ValueError(f"the judge's answer is not exactly one JSON object: more text follows it{_shown(text)}")
    return Found(value, alone=not _FENCE_OPENED.sub("", before).strip())


def holds_object(text: str) -> bool:
    """Tell whether an object stands anywhere in `text`, strict or not. Past BRACES_TRIED braces that open none: yes."""
    said, lenient = _without_thought(text), json.JSONDecoder(parse_int=str)
    start = said.find("{")
    for _ in range(BRACES_TRIED):
        if start < 0:
            return False
        try:
            lenient.raw_decode(said, start)
        except (ValueError, RecursionError):
            start = said.find("{", start + 1)
        else:
            return True
    return True


def call_in_text(text: str) -> tuple[str, dict[str, Any]] | None:
    """Return (tool, arguments) where `text` is exactly one object that calls a tool; servers without tools write so."""
    try:
        found = only_object(text)
    except ValueError:
        return None
    arguments = found.value.get("arguments")
    if not found.alone or len(found.value) != 2 or not isinstance(arguments, dict):
        return None
    name = found.value.get("tool", found.value.get("name"))
    return (name, arguments) if name in ("ReadFile", "GrepSearch") else None


def _without_thought(text: str) -> str:
    """Cut a leading <think>…</think>. A thought that never ends leaves nothing: what it weighs is no verdict."""
    text = text.strip().removeprefix("\ufeff").lstrip()
    if not text.startswith(_THOUGHT[0]):
        return text
    return text.partition(_THOUGHT[1])[2].strip()


def _shown(text: str) -> str:
    text = text.strip()
    if not text:
        return ""
    return f": {text}" if len(text) <= EXCERPT else f": {text[:EXCERPT]}…"
