"""What is down, in words for the banner of every page. The checks are those of /readyz."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.utils.module_loading import import_string

from portal.health import ask
from portal.translated import _

KEPT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Trouble:
    what: str
    meaning: str


QUEUED = _("Tests stay queued until it is back. Hooks of live agents still run.")
QUEUED_WORKER = _("Tests stay queued until one is back. Hooks of live agents still run.")
MEANINGS = {
    "broker": Trouble(_("The message broker cannot be reached."), QUEUED),
    "worker": Trouble(_("No worker is running."), QUEUED_WORKER),
    "sandbox": Trouble(
        _("The sandbox is not available."),
        _(
            "Until it is back command hooks cannot run: each is an error, and its fail mode says what becomes of the event."
        ),
    ),
}


class Watch:
    """Looks at most every ten seconds, so that a page costs nothing."""

    def __init__(self, look: Callable[[], list[Trouble]]) -> None:
        self._look, self._lock = look, threading.Lock()
        self._until = 0.0
        self._found: list[Trouble] = []

    def troubles(self) -> list[Trouble]:
        with self._lock:
            if time.monotonic() >= self._until:
                self._found = self._look()
                self._until = time.monotonic() + KEPT_SECONDS
            return self._found

    def forget(self) -> None:
        self._until = 0.0


def look() -> list[Trouble]:
    down = [name for name in MEANINGS if not ask(import_string(settings.READINESS_CHECKS[name])).ok]
    # Without a broker nobody can tell whether there is a worker.
    return [MEANINGS[name] for name in down if not (name == "worker" and "broker" in down)]


watch = Watch(look)
