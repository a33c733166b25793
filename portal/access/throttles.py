"""How many requests a minute each token and each signed-in user may make."""

import logging
import threading
import time
from functools import cache
from typing import Any

import redis
from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from portal.access.models import ApiToken

log = logging.getLogger(__name__)
WINDOW = 60
PATIENCE = 0.25  # s; a limit must not cost an agent more than the answer itself
AWAY_FOR = 10.0


class RateLimit(BaseThrottle):
    """Counts whole minutes in Redis, for all web processes together. Calls of live agents have a limit of their own.

    Each process tells Redis of a thousandth of the limit at a time, so one that is asked through several web processes may
    be passed by that much each; below a limit of 2,000 it is exact.

    Where Redis is away every request passes: a limit must not stop agents that the rest of the portal can answer.
    """

    waits: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        kind, limit = _limit(view.scopes.get(request.method))
        who = _who(request)
        if not limit or who is None:
            return True
        now = time.time()
        count = _counter.count(f"rate:{kind}:{who}", int(now // WINDOW), max(1, limit // 1000))
        if count is None or count <= limit:
            return True
        self.waits = WINDOW - now % WINDOW
        view.exceeded = limit
        return False

    def wait(self) -> float | None:
        return self.waits


def _limit(scope: str | None) -> tuple[str, int]:
    if scope == "evaluate":
        return "runtime", settings.RUNTIME_RATE_LIMIT
    return "api", settings.API_RATE_LIMIT


def _who(request: Request) -> str | None:
    """Name who is counted; None where an endpoint is open to anybody."""
    if isinstance(request.auth, ApiToken):
        return f"token:{request.auth.pk}"
    return f"user:{request.user.pk}" if request.user else None


@cache
def _client(url: str) -> "redis.Redis":
    return redis.Redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)


class _Counter:
    """Does not ask a Redis again for ten seconds after it did not answer, and logs that once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._away_until = 0.0
        self._minute = 0
        self._counts: dict[str, tuple[int, int]] = {}  # what Redis said, and how many it has not been told of

    def count(self, key: str, minute: int, step: int) -> int | None:
        """Count one more in this minute; None where nobody knows. Redis is told once there are `step` to tell of."""
        if time.monotonic() < self._away_until:
            return None
        with self._lock:
            if minute != self._minute:
                self._minute, self._counts = minute, {}
            known, untold = self._counts.get(key, (0, step - 1))
            told = untold + 1 >= step
            more = untold + 1 if key in self._counts else 1
            self._counts[key] = (known + more, 0) if told else (known, more)
        return self._tell(key, minute, more) if told else known + more

    def _tell(self, key: str, minute: int, more: int) -> int | None:
        try:
            with _client(settings.REDIS_URL).pipeline() as pipe:
                pipe.incrby(f"{key}:{minute}", more)
                pipe.expire(f"{key}:{minute}", 2 * WINDOW)
                found, _ = pipe.execute()
        except (redis.RedisError, OSError) as error:
            self._note_away(error)
            return None
        with self._lock:
            known, untold = self._counts.get(key, (0, 0))
            self._counts[key] = (max(known, int(found)), untold)
        return int(found)

    def _note_away(self, error: Exception) -> None:
        with self._lock:
            if time.monotonic() < self._away_until:
                return
            self._away_until = time.monotonic() + AWAY_FOR
        log.warning("Redis does not answer, so no rate limit holds for the next %.0f s: %s", AWAY_FOR, error)

    def forget(self) -> None:
        self._away_until, self._counts = 0.0, {}


_counter = _Counter()
