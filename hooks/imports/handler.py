"""One hook as it stands in a source: its options by type, and what of it nobody asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.engine.fields import shown
from hooks.imports.reading import Reading

SHOWN = 10


@dataclass(slots=True)
class Handler:
    """`group` holds what its group says for all of it; `event` is the product's name."""

    path: str
    event: str
    values: Mapping[str, Any]
    group: Mapping[str, Any]
    reading: Reading
    _read: set[str] = field(default_factory=set)

    def text(self, *keys: str) -> str:
        """Return the first of these options that is there; "" where none is."""
        for key in keys:
            self._read.add(key)
            value = self.values.get(key)
            if value is None or value == "":
                continue
            if isinstance(value, str) and "\x00" not in value:
                return value
            self._wrong(key, "must be a text" if not isinstance(value, str) else "must not contain a NUL character")
        return ""

    def number(self, *keys: str) -> float | None:
        for key in keys:
            self._read.add(key)
            value = self.values.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool):
                # A number that no float holds is as good as infinite here: it is cut to the longest time anyway.
                return float(value) if abs(value) < 1e15 else (1e15 if value > 0 else -1e15)
            if value is not None:
                self._wrong(key, "must be a number")
        return None

    def flag(self, key: str) -> bool:
        self._read.add(key)
        value = self.values.get(key)
        if value is not None and not isinstance(value, bool):
            self._wrong(key, "must be true or false")
        return value is True

    def texts(self, key: str) -> list[str]:
        self._read.add(key)
        value = self.values.get(key)
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(item, str) and "\x00" not in item for item in value):
            return value
        self._wrong(key, "must be a list of texts")
        return []

    def matcher(self) -> str | None:
        """Return the matcher, the group's where the hook has none of its own."""
        self._read.add("matcher")
        value, path = self.values.get("matcher"), f"{self.path}.matcher"
        if value is None and self.group is not self.values:
            value, path = self.group.get("matcher"), f"{self.path.rsplit('.hooks[', 1)[0]}.matcher"
        if value is not None and not isinstance(value, str):
            self.reading.fault(path, "invalid_type", f"must be a text, not {shown(value)}.")
            return None
        return value

    def kind(self) -> str:
        """Return the type: a command where none is named."""
        return self.text("type") or "command"

    def needs(self, key: str) -> None:
        if not any(fault.target == f"{self.path}.{key}" for fault in self.reading.faults):
            self.reading.fault(f"{self.path}.{key}", "required", "is required, and must not be blank.")

    def without_equal(self, message: str) -> None:
        self.reading.note(self.path, "no_equal", message)

    def note_rest(self) -> None:
        """Name the options that were not read."""
        rest = [key[:100] for key in self.values if key not in self._read and self.values[key] not in (None, False)]
        if rest:
            more = f" and {len(rest) - SHOWN} more" if len(rest) > SHOWN else ""
            named = ", ".join(rest[:SHOWN]) + more
            self.without_equal(f"Without an equal here, and left out: {named}.")

    def _wrong(self, key: str, message: str) -> None:
        value = self.values[key]
        told = "" if isinstance(value, str) and "NUL" in message else f", not {shown(value)}"
        self.reading.fault(f"{self.path}.{key}", "invalid_type", f"{message}{told}.")
