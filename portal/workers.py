"""How the portal knows that a worker is there: each worker renews its entry in the broker's Redis every two seconds."""

import logging
import os
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import redis
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings

KEY, PLAYERS = "portal:workers", "portal:players"
PLAYGROUND = "playground"
EVERY, GONE_AFTER = 2.0, 10
log = logging.getLogger(__name__)
_stop = threading.Event()


def client() -> redis.Redis:
    """Connect to the broker's Redis, with timeouts short enough for a probe."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2)


def show_heartbeat() -> None:
    """Have this process renew its entry once it is a worker. Call it where workers import their tasks."""
    worker_ready.connect(_start, dispatch_uid="portal.workers.start")
    worker_shutting_down.connect(_end, dispatch_uid="portal.workers.end")


def _start(sender: Any = None, **_: Any) -> None:
    queues = set(sender.app.amqp.queues.consume_from) if sender is not None else set()
    # A worker of the playground alone carries out no test, so it does not count as one that does.
    keys = [PLAYERS] * (PLAYGROUND in queues) + [KEY] * (queues != {PLAYGROUND})
    threading.Thread(target=_beat, args=(keys,), name="worker-heartbeat", daemon=True).start()


def _end(**_: Any) -> None:
    _stop.set()


def _beat(keys: Sequence[str]) -> None:
    name, server = f"{socket.gethostname()}:{os.getpid()}", client()
    while True:
        try:
            now = _now(server)
            for key in keys:
                server.zadd(key, {name: now})
                server.zremrangebyscore(key, 0, now - 60 * GONE_AFTER)
        except redis.RedisError as error:
            log.debug("The worker's heartbeat could not be written: %s", error)
        if _stop.wait(EVERY):
            break
    with suppress(redis.RedisError):
        for key in keys:
            server.zrem(key, name)


def _now(server: redis.Redis) -> float:
    # The server's clock, so that machines need not agree about the time.
    seconds, _ = server.time()
    return float(seconds)


def count_workers(key: str = KEY) -> int:
    """Count the workers that were alive within ten seconds, by default those of tests. Raises redis.RedisError."""
    with client() as server:
        return int(server.zcount(key, _now(server) - GONE_AFTER, "+inf"))


def worker_is_alive(key: str = KEY) -> bool:
    """Tell whether any worker is there; False also where the broker cannot be asked."""
    try:
        return count_workers(key) > 0
    except (redis.RedisError, OSError):
        return False
