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

    Where Redis is away every request passes: a limit must not stop agents that the rest of the portal can answer.
    """

    waits: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        kind, limit = _limit(view.scopes.get(request.method))
        who = _who(request)
        if not limit or who is None:
            return True
        now = time.time()
        count = _counter.count(f"rate:{kind}:{who}:{int(now // WINDOW)}")
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

    def count(self, key: str) -> int | None:
        """Count one more; None where nobody knows."""
        if time.monotonic() < self._away_until:
            return None
        try:
            with _client(settings.REDIS_URL).pipeline() as pipe:
                pipe.incr(key)
                pipe.expire(key, 2 * WINDOW)
                found, _ = pipe.execute()
        except (redis.RedisError, OSError) as error:
            self._note_away(error)
            return None
        return int(found)

    def _note_away(self, error: Exception) -> None:
        with self._lock:
            if time.monotonic() < self._away_until:
                return
            self._away_until = time.monotonic() + AWAY_FOR
        log.warning("Redis does not answer, so no rate limit holds for the next %.0f s: %s", AWAY_FOR, error)

    def forget(self) -> None:
        self._away_until = 0.0


_counter = _Counter()
