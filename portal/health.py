"""Whether the portal works: /healthz for the process itself, /readyz for all that it needs."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from portal import workers
from portal.logs import redacted


@dataclass(frozen=True, slots=True)
class Check:
    """What one part says. One that is not `needed` may be down while the portal is ready."""

    ok: bool
    detail: str
    needed: bool = True


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Ask every part; 503 where a needed one is down."""
    checks = {name: ask(import_string(place)) for name, place in settings.READINESS_CHECKS.items()}
    ready = all(check.ok for check in checks.values() if check.needed)
    body = {
        "status": "ready" if ready else "not ready",
        "checks": {
            name: {"ok": check.ok, "needed": check.needed, "detail": redacted(check.detail)}
            for name, check in checks.items()
        },
    }
    return JsonResponse(body, status=200 if ready else 503)


def ask(check: Callable[[], Check]) -> Check:
    try:
        return check()
    except Exception as error:  # noqa: BLE001 - whatever a part raises, it is down, and the probe says so
        return Check(False, f"{type(error).__name__}: {error}")


def database() -> Check:
    start = time.perf_counter()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return Check(False, f"The database cannot be reached: {error}")
    return Check(True, f"{connection.vendor}, {_since(start)}")


def broker() -> Check:
    start = time.perf_counter()
    try:
        with workers.client() as server:
            server.ping()
    except (redis.RedisError, OSError) as error:
        return Check(False, f"Redis cannot be reached: {error}")
    return Check(True, f"Redis, {_since(start)}")


def worker() -> Check:
    try:
        count = workers.count_workers()
    except (redis.RedisError, OSError):
        return Check(False, "Unknown, since the broker cannot be reached.")
    if not count:
        return Check(
            False, "No worker has shown itself for ten seconds. Start one: bin/up, or celery -A portal worker."
        )
    return Check(True, f"{count} running")


def _since(start: float) -> str:
    return f"{(time.perf_counter() - start) * 1000:.1f} ms"
