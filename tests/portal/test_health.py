"""/healthz and /readyz."""

from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from hooks import runtime
from portal import health, workers

pytestmark = pytest.mark.django_db


@pytest.fixture
def whole(settings: Any, redis_url: str, sandboxed: None) -> None:
    settings.REDIS_URL = redis_url
    server = workers.client()
    server.zadd(workers.KEY, {"test": server.time()[0]})
    server.close()


def asked() -> tuple[int, dict[str, Any]]:
    response = Client().get("/readyz")
    return response.status_code, response.json()


def test_it_works(whole: None) -> None:
    status, body = asked()
    assert (status, body["status"]) == (200, "ready")
    assert {name: (check["ok"], check["needed"]) for name, check in body["checks"].items()} == {
        "database": (True, True),
        "broker": (True, True),
        "worker": (True, True),
        "sandbox": (True, True),
        "model": (False, False),
    }
    assert "OPENAI_API_KEY" in body["checks"]["model"]["detail"]


def test_the_process_is_up() -> None:
    response = Client().get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_polling_is_cheap(whole: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked()
    monkeypatch.setattr(runtime, "run_selftest", lambda sandbox: pytest.fail("it ran again"))
    assert asked()[0] == 200


def down(body: dict[str, Any]) -> set[str]:
    return {name for name, check in body["checks"].items() if check["needed"] and not check["ok"]}


def test_a_worker_that_fell_silent(whole: None) -> None:
    with workers.client() as server:
        server.zadd(workers.KEY, {"test": server.time()[0] - 11})
    status, body = asked()
    assert (status, down(body)) == (503, {"worker"})
    assert not workers.worker_is_alive()


def test_a_broker_that_is_gone(whole: None, settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    status, body = asked()
    assert (status, down(body)) == (503, {"broker", "worker"})
    assert not workers.worker_is_alive()


def test_a_sandbox_that_is_gone(whole: None, settings: Any) -> None:
    asked()
    settings.SANDBOX_SOCKET = settings.SANDBOX_SOCKET.with_name("gone.sock")
    status, body = asked()
    assert (status, down(body)) == (503, {"sandbox"})
    assert "gone.sock" in body["checks"]["sandbox"]["detail"]


def test_a_sandbox_that_does_not_hold(whole: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from hooks.engine.sandbox.selftest import Check

    monkeypatch.setattr(
        runtime, "run_selftest", lambda sandbox: [Check("no network", False, "lo, eth0"), Check("x", False, "")]
    )
    runtime.selftest.forget()
    _, body = asked()
    assert body["checks"]["sandbox"]["detail"] == "no network: lo, eth0; x"


def test_a_database_that_is_gone(whole: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        vendor = "sqlite"

        def cursor(self) -> None:
            raise DatabaseError("no such file")

    monkeypatch.setattr(health, "connection", Gone())
    status, body = asked()
    assert (status, down(body)) == (503, {"database"})


def test_a_check_that_fails_itself(whole: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(health, "database", fail)
    assert asked()[1]["checks"]["database"]["detail"] == "ZeroDivisionError: oops"


def test_a_model_that_is_configured(whole: None, settings: Any) -> None:
    settings.OPENAI_BASE_URL = "http://me:password-1@127.0.0.1:9/v1"
    assert asked()[1]["checks"]["model"] == {"ok": True, "needed": False, "detail": "http://127.0.0.1:9"}


def test_what_anybody_may_ask_holds_no_secret(whole: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("cannot connect to postgres://portal:s3cret-word@db/portal")

    monkeypatch.setattr(health, "database", fail)
    assert "s3cret-word" not in str(asked()[1])


def test_a_worker_shows_itself(whole: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.sandbox_fixture import eventually

    with workers.client() as server:
        server.delete(workers.KEY)
    monkeypatch.setattr(workers, "EVERY", 0.05)
    workers._stop.clear()
    workers._start()
    assert eventually(workers.worker_is_alive)
    workers._end()
    assert eventually(lambda: not workers.worker_is_alive())
