"""Writes YAML as PyYAML would, some ten times as fast: maps and lists by hand, scalars that need a thought by PyYAML."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

# What no reader of YAML takes for anything but a text, and no quotes are needed for.
_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./ -]*[A-Za-z0-9_./-])?", re.ASCII)
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
BLOCK = re.compile(r"[\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
KEY_LIMIT = 100
STEP = "  "


class Writer:
    """`scalar` writes one text or number on one line; `quoted` a text in double quotes."""

    def __init__(self, scalar: Callable[[Any], str], quoted: Callable[[str], str]) -> None:
        self._scalar, self._quoted = scalar, quoted
        self._text = lru_cache(4096)(scalar)

    def write(self, value: Any) -> str:
        """Write a whole document."""
        if isinstance(value, Mapping | list | tuple):
            return "".join(self._node(value, "")).lstrip("\n ") + "\n"
        return self._scalar(value) + "\n"

    def _node(self, value: Any, indent: str) -> Iterator[str]:
        """Write what stands after `key:` or `-`, from the blank or line end on; `indent` is that of what is inside."""
        if isinstance(value, Mapping) and value:
            yield "\n"
            yield from self._map(value, indent)
        elif isinstance(value, list | tuple) and value:
            yield "\n"
            yield from self._list(value, indent)
        else:
            yield " "
            yield self._leaf(value, indent)

    def _map(self, value: Mapping[Any, Any], indent: str) -> Iterator[str]:
        before = indent
        for key, inner in value.items():
            text = str(key)
            yield before
            if len(text) > KEY_LIMIT or "\n" in text:
                yield f"? {self._quoted(text)}\n{indent}:"
            else:
                yield f"{self._line(text)}:"
            yield from self._node(inner, indent + STEP)
            before = f"\n{indent}"

    def _list(self, value: list[Any] | tuple[Any, ...], indent: str) -> Iterator[str]:
        before = indent
        for inner in value:
            yield f"{before}-"
            inside = "".join(self._node(inner, indent + STEP))
            # The first line of what is inside stands beside the dash.
            yield f" {inside[1 + len(indent) + len(STEP) :]}" if inside.startswith("\n") else inside
            before = f"\n{indent}"

    def _leaf(self, value: Any, indent: str) -> str:
        if isinstance(value, str):
            return self._block(value, indent) if "\n" in value and BLOCK.fullmatch(value) else self._line(value)
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, Mapping):
            return "{}"
        if isinstance(value, list | tuple):
            return "[]"
        return str(value) if isinstance(value, int) else self._scalar(value)

    def _line(self, text: str) -> str:
        if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
            return text
        return self._text(text)

    def _block(self, text: str, indent: str) -> str:
        """Write lines as they are. The sign says what their first blanks and last line ends are."""
        first = "2" if text[0] in " \n" else ""
        last = "-" if text[-1] != "\n" else "+" if text[-2:] in ("\n", "\n\n") else ""
        lines = text.removesuffix("\n").split("\n")
        return f"|{first}{last}\n" + "\n".join(f"{indent}{line}" if line else "" for line in lines)
