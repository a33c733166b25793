"""What the scripts of a test print, to be seen while they run: the newest of it, in Redis, for a while.

Without Redis nobody sees anything before the end, and nothing else changes.
"""

import json
import logging
import threading
import time
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any

import redis
from django.conf import settings

from hooks.engine.results import Candidate
from hooks.engine.sandbox.protocol import Stream

KEPT = 16 * 1024  # bytes of each stream, the last ones
EVERY = 0.1  # seconds between two writes
EXPIRES = 600
DEAF = 5.0  # seconds that a Redis which failed is not asked again
log = logging.getLogger(__name__)
_silent_until = 0.0


@dataclass(frozen=True, slots=True)
class Printed:
    """What has been printed so far. `item` counts the samples from 1; `cut`: there was more before."""

    item: int
    name: str
    stdout: str
    stderr: str
    cut: bool

    @property
    def size(self) -> int:
        return len(self.stdout) + len(self.stderr)


class LiveOutput:
    """Takes output from the threads of the hooks. A thread of its own writes it, so that no hook waits for Redis."""

    def __init__(self, run_id: str) -> None:
        self._key = _key(run_id)
        self._lock = threading.Lock()
        self._news, self._end = threading.Event(), threading.Event()
        self._writer: threading.Thread | None = None
        self._item, self._name = 0, ""
        self._kept: dict[Stream, bytes] = {}
        self._cut = False

    def __enter__(self) -> "LiveOutput":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._news.set()

    def begin(self, name: str) -> None:
        """Forget what the last one printed: the next one begins."""
        with self._lock:
            self._item, self._name, self._kept, self._cut = self._item + 1, name, {}, False

    def take(self, _one: Candidate, stream: Stream, data: bytes) -> None:
        with self._lock:
            whole = self._kept.get(stream, b"") + data
            self._cut = self._cut or len(whole) > KEPT
            self._kept[stream] = whole[-KEPT:]
            if self._writer is None:
                self._writer = threading.Thread(target=self._write, name=self._key, daemon=True)
                self._writer.start()
        self._news.set()

    def _write(self) -> None:
        try:
            with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as server:
                while self._news.wait() and not self._end.is_set():
                    self._news.clear()
                    server.set(self._key, json.dumps(self._now()), ex=EXPIRES)
                    self._end.wait(EVERY)
                server.delete(self._key)
        except (redis.RedisError, OSError) as error:
            log.debug("Output of a test cannot be shown while it runs: %s", error)

    def _now(self) -> dict[str, Any]:
        with self._lock:
            said: dict[str, Any] = {stream: data.decode("utf-8", "replace") for stream, data in self._kept.items()}
            return {"stdout": "", "stderr": "", **said, "item": self._item, "name": self._name, "cut": self._cut}


def printed(run_id: str) -> Printed | None:
    """Read what a run has printed so far; None where that is nothing, or Redis is away."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return None
    try:
        found = _server(settings.REDIS_URL).get(_key(run_id))
    except (redis.RedisError, OSError):
        _silent_until = time.monotonic() + DEAF
        return None
    return Printed(**json.loads(found)) if isinstance(found, bytes) else None


@cache
def _server(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)


def _key(run_id: str) -> str:
    return f"portal:test-run:{run_id}:printed"
