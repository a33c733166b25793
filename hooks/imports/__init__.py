"""Hook configurations of other agent products, read into hooks of the portal. Pure Python.

The meaning is translated, not the text copied; what has no equal is noted, never dropped in silence.
"""

from dataclasses import replace

from hooks.engine.errors import Invalid
from hooks.imports import document
from hooks.imports.building import WRAPPED, Builder
from hooks.imports.products import PRODUCTS, detect, named
from hooks.imports.reading import Imported, Note, Reading
from hooks.imports.walk import handlers

__all__ = ["PRODUCTS", "Imported", "Note", "read"]


def read(source: str | bytes, *, product: str | None = None, filename: str | None = None) -> Imported:
    """Read a configuration file into hooks for the agent level.

    `product` is a key of PRODUCTS; without one it is told by `filename`, which may be a path, and by content.
    Raises Invalid with every fault. Hooks that cannot run here as they are come disabled, with a note.
    """
    root = document.load(source)
    events = document.hooks_of(root)
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    found = named(product) if product else detect(root, events, text, filename or "")
    reading = Reading()
    entries = [entry for one in handlers(found, events, reading) if (entry := found.entry(one)) is not None]
    if reading.faults:
        raise Invalid(reading.faults)
    if any(entry.type == "command" for entry in entries):
        reading.note("hooks", "translated", WRAPPED)
    builder = Builder(found, found.off(root), reading)
    built = [(entry.path, hook) for entry in entries if (hook := builder.build(entry)) is not None]
    names = {path: hook["name"] for path, hook in built}
    notes = [replace(note, hook=note.hook or names.get(note.path)) for note in reading.notes]
    return Imported(found.key, [hook for _, hook in built], notes)
