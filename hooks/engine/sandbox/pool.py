"""Sandboxes made in advance. Each is used once; what the next costs is paid while nobody waits for it."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hooks.engine.sandbox import prepared, usage
from hooks.engine.sandbox.blanks import Blanks
from hooks.engine.sandbox.box import Box
from hooks.engine.sandbox.protocol import LANGUAGES, Language
from hooks.engine.sandbox.spawn import Spawned

LONGEST_AGE = 300.0  # seconds: what it holds open may have been replaced since, by an update of the machine
BUILD_SECONDS = 10.0
RETRY_SECONDS = 5.0  # after one that came to nothing

Warm = Callable[[Language], Spawned]
Build = Callable[[Language], Box]


class Waiting:
    """The user of a sandbox that has no job yet. Tells `changed` once it is ready, and once it is dead."""

    def __init__(self, language: Language, build: Build, changed: Callable[["Waiting"], None]) -> None:
        self.language = language
        self.born = time.monotonic()
        self.ready = self.dead = self.discarded = False
        self.fault = ""
        self._changed = changed
        self.box = build(language)
        self.box.user = self

    def discard(self, fault: str = "") -> None:
        """`fault`: what is wrong with it."""
        self.ready, self.discarded, self.fault = False, True, fault
        self._unlink()
        self.box.kill()

    def on_limited(self) -> None:
        control = self._lacks.control
        if control is None:
            self._is_ready()
        else:
            self.box.watch(control, lambda: self._on_word(control))

    def _on_word(self, control: int) -> None:
        self.box.unwatch(control)
        if os.read(control, 16) == prepared.READY:
            self._is_ready()

    def _is_ready(self) -> None:
        with self.box.slot.identity.assumed():
            self._lacks.mounted()
        self.ready = True
        self._changed(self)

    def _unlink(self) -> None:
        with self.box.slot.identity.assumed():
            self._lacks.unlink()

    @property
    def _lacks(self) -> Blanks:
        assert self.box.blanks is not None  # noqa: S101
        return self.box.blanks

    def on_exit(self, code: int) -> None:
        self._at_fault(f"ended with {code}")

    def on_end(self) -> None:
        self.ready = False
        with suppress(OSError):
            if said := os.read(self.box.stderr, 4096).decode(errors="replace").strip():
                self._at_fault(said)
        self._at_fault(self.fault or "ended")
        self.box.kill()

    def _at_fault(self, fault: str) -> None:
        if not self.discarded:
            self.fault = fault

    def on_dead(self) -> None:
        self._unlink()
        self.dead = True
        self._changed(self)


class Pool:
    """`size` per language. `build` raises OSError; `ready` is told of each that can be had, `free` of the box of each dead."""

    def __init__(self, size: int, build: Build, ready: Callable[[], None], free: Callable[[Box], None]) -> None:
        self._size = size
        self._build = build
        self._on_ready = ready
        self._on_free = free
        self._all: dict[Language, list[Waiting]] = {language: [] for language in LANGUAGES}
        self._hits = dict.fromkeys(LANGUAGES, 0)
        self._misses = dict.fromkeys(LANGUAGES, 0)
        self._not_before = 0.0
        self._fault = ""

    def take(self, language: Language) -> Waiting | None:
        """Return one that is ready and alive; the caller says `used`, or discards it."""
        for one in self._ready(language):
            if one.box.alive():
                return one
            one.discard()
        self._misses[language] += bool(self._size)
        return None

    def used(self, one: Waiting) -> None:
        self._all[one.language].remove(one)
        self._hits[one.language] += 1

    def promises(self, language: Language) -> bool:
        """Is there none to take now, but will be?"""
        return self._size > 0 and not self._ready(language)

    def _ready(self, language: Language) -> list[Waiting]:
        return [one for one in self._all[language] if one.ready]

    def refill(self, now: float) -> None:
        """Begin one more where one is missing, unless one is under way or the last one failed just now."""
        alive = [one for ones in self._all.values() for one in ones]
        if now < self._not_before or any(not one.ready for one in alive):
            return
        language = min(LANGUAGES, key=lambda language: len(self._all[language]))
        if len(self._all[language]) < self._size:
            try:
                self._all[language].append(Waiting(language, self._build, self._changed))
            except OSError as error:
                self._failed(str(error))

    def tick(self, now: float) -> None:
        """Discard what is too old, or takes too long to be built."""
        for one in [one for ones in self._all.values() for one in ones]:
            if now - one.born > (LONGEST_AGE if one.ready else BUILD_SECONDS):
                one.discard("" if one.ready else f"not ready after {BUILD_SECONDS:g} s")

    def close(self) -> bool:
        """Discard all, and make no more. Return whether some still live."""
        self._size = 0
        for one in [one for ones in self._all.values() for one in ones]:
            one.discard()
        return any(self._all.values())

    def report(self) -> dict[str, Any]:
        return {language: self._shelf(language) for language in LANGUAGES} | {"fault": self._fault}

    def _shelf(self, language: Language) -> dict[str, int]:
        ready = self._ready(language)
        return {
            "size": self._size,
            "ready": len(ready),
            "building": len(self._all[language]) - len(ready),
            "hits": self._hits[language],
            "misses": self._misses[language],
            # They are all alike, and looking at each would hold up the hooks that run.
            "bytes": usage.held(ready[0].box.init) * len(ready) if ready else 0,
        }

    def _failed(self, fault: str) -> None:
        self._fault = fault
        self._not_before = time.monotonic() + RETRY_SECONDS

    def _changed(self, one: Waiting) -> None:
        if one.dead:
            self._all[one.language].remove(one)
            if one.fault:
                self._failed(one.fault)
            self._on_free(one.box)
        else:
            self._on_ready()
