"""From a hook of a product to a hook of the portal, with notes on what became of it."""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from hooks.engine.envelope import KIND, parse_agent_hook
from hooks.engine.fields import DESCRIPTION_LIMIT
from hooks.imports import adapter, translation
from hooks.imports.reading import Level, Reading
from hooks.imports.source import EVERY, Entry, Product, SourceEvent

NAME_LIMIT = 64
OFF = "The file turns it off."
WRAPPED = (
    "Each command stands in a small script that hands it the product's own fields and translates its answer. "
    "It runs in the sandbox: no project, network or environment; what it writes is gone afterwards."
)


class Builder:
    """Makes the hooks of one source. Their names are unique, whatever their case."""

    def __init__(self, product: Product, off: Collection[str], reading: Reading) -> None:
        self._product = product
        self._off = off
        self._reading = reading
        self._names: set[str] = set()
        self._told_default = False
        self._counts: dict[str, int] = {}

    def build(self, entry: Entry) -> dict[str, Any] | None:
        """Return the envelope; None where no valid hook could be made of it, which is noted."""
        source = self._product.events[entry.source_event]
        name = self._name(entry)
        entry, matcher = self._matched(entry, source, name)
        if {EVERY, entry.name or entry.command} & set(self._off):
            entry = replace(entry, disabled=(*entry.disabled, OFF))
        hook = self._hook(entry, source, name)
        if matcher is not None:
            hook["matcher"] = matcher
        envelope = {
            "name": name,
            "type": KIND,
            "properties": {
                "eventType": source.event,
                "activationMode": "always",
                "description": self._description(entry),
                "enabled": not entry.disabled,
                "hook": hook,
            },
        }
        faults = parse_agent_hook(envelope).faults
        if faults:
            told = " ".join(f"{fault.target.removeprefix('properties.')} {fault.message}" for fault in faults)
            self._note(entry, "no_equal", f"It cannot be a hook here, and was left out: {told}")
            return None
        self._note_disabled(entry, name)
        return envelope

    def _hook(self, entry: Entry, source: SourceEvent, name: str) -> dict[str, Any]:
        hook: dict[str, Any] = {"type": entry.type, "timeout": self._timeout(entry, name)}
        if entry.fail_mode == "block":
            hook["failMode"] = "block"
        if entry.type == "prompt":
            hook["prompt"] = entry.prompt
            self._prompt(entry, source, hook, name)
        else:
            hook["script"] = adapter.script(self._product, source, entry)
            for level, message in adapter.outputs_without_equal(entry.command, source):
                self._note(entry, level, message, name)
        return hook

    def _prompt(self, entry: Entry, source: SourceEvent, hook: dict[str, Any], name: str) -> None:
        if source.event == "Stop":
            hook["maxRejections"] = min(max(entry.limit or 3, 1), 25)
            message = f"It is asked at most until {hook['maxRejections']} rejections in a row (maxRejections)."
            self._note(entry, "translated", message, name)
        elif source.event == "PostToolUse" and source.when and not entry.disabled:
            self._note(entry, "check", "Here it also judges tools that failed: tool_succeeded tells.", name)
        if entry.matcher:
            self._note(entry, "no_equal", f"Its matcher is left out: {source.event} has none for prompts.", name)
        renamed = [f"{old} is {new}" for old, new in self._product.renamed.items() if old in entry.prompt]
        if renamed:
            self._note(entry, "check", f"Its prompt names fields that differ here: {', '.join(renamed)}.", name)

    def _matched(self, entry: Entry, source: SourceEvent, name: str) -> tuple[Entry, str | None]:
        """Find the matcher, and the pattern that the script checks, which the entry then holds."""
        given = (entry.matcher or "").strip()
        named_by_tool = source.event in ("PreToolUse", "PostToolUse")
        found = (translation.anywhere if source.filters else translation.whole)(given, self._product)
        if not source.matcher:
            if given not in ("", "*"):
                self._note(entry, "no_equal", f"Its matcher is left out: {entry.source_event} has none.", name)
            return replace(entry, matcher=None), None
        # A pattern such as `a)|(.*` compiles only once there is something around it (R3).
        if why := translation.unusable(given or "*") or translation.unusable(found, in_script=bool(source.filters)):
            message = f"Its matcher {given[:200]!r} cannot be used. {why} Set another, then enable the hook."
            entry = replace(entry, disabled=(*entry.disabled, message))
            found = "*"
        elif found not in (given, "*") and not source.filters:
            self._note(
                entry, "translated", f"The matcher {given!r} is {found!r} here: it must match whole names.", name
            )
        elif found == given and not source.filters and translation.is_wider_there(given, self._product):
            message = f"The matcher {given!r} names whole tools here; there it also matched within longer names."
            self._note(entry, "check", message, name)
        if source.filters:
            return replace(entry, matcher=None if found == "*" else found), source.tools or None
        matcher = source.tools if source.tools and found == "*" else found
        return replace(entry, matcher=None), matcher if named_by_tool else None

    def _timeout(self, entry: Entry, name: str) -> int:
        given = self._product.seconds if entry.timeout is None else entry.timeout
        seconds = translation.seconds(given)
        if seconds != given:
            bounds = f"of {given:,.15g} s is {seconds} s here (whole seconds, 1 to 300)"
            if entry.timeout is not None:
                self._note(entry, "translated", f"Its timeout {bounds}.", name)
            elif not self._told_default:
                self._told_default = True
                message = f"{self._product.title}'s timeout {bounds}, for every hook that sets none."
                self._reading.note("hooks", "translated", message)
        return seconds

    def _name(self, entry: Entry) -> str:
        key = f"{self._product.key}-{entry.source_event.lower()}"
        self._counts[key] = self._counts.get(key, 0) + 1
        slug = re.sub(r"[^A-Za-z0-9_-]+", "-", entry.name).strip("-")[:NAME_LIMIT]
        if not slug or slug.lower().startswith("system__"):
            slug = f"{key}-{self._counts[key]}"
        name, number = slug, 1
        while name.lower() in self._names:
            number += 1
            name = f"{slug[: NAME_LIMIT - len(str(number)) - 1]}-{number}"
        self._names.add(name.lower())
        if entry.name and name != entry.name:
            self._note(entry, "translated", f"Its name {entry.name[:100]!r} is {name} here.", name)
        return name

    def _description(self, entry: Entry) -> str:
        origin = f"Imported from {self._product.title}: {entry.path}."
        return f"{entry.description.strip()} {origin}".strip() if _fits(entry.description) else origin

    def _note_disabled(self, entry: Entry, name: str) -> None:
        for reason in entry.disabled:
            self._note(entry, "check", f"Imported disabled. {reason}", name)

    def _note(self, entry: Entry, level: Level, message: str, name: str | None = None) -> None:
        self._reading.note(entry.path, level, message, name)


def _fits(description: str) -> bool:
    return len(description) < DESCRIPTION_LIMIT - 200
