"""What the scripts of a test print, seen while they run."""

import time
from collections.abc import Iterator

import pytest
import redis

from hooks.engine.results import Candidate
from hooks.services import liveoutput
from hooks.services.liveoutput import KEPT, LiveOutput, printed
from tests.sandbox_fixture import eventually

ONE = Candidate(name="one", level="agent", position=0, spec=None)


@pytest.fixture
def server(redis_url: str, settings: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    settings.REDIS_URL = redis_url  # type: ignore[attr-defined]
    monkeypatch.setattr(liveoutput, "_silent_until", 0.0)
    with redis.Redis.from_url(redis_url) as open_server:
        yield open_server
    liveoutput._server(redis_url).close()
    liveoutput._server.cache_clear()


def test_it_works(server: redis.Redis) -> None:
    with LiveOutput("run") as live:
        live.begin("first-sample")
        live.take(ONE, "stdout", b"one\n")
        assert eventually(lambda: printed("run") is not None)
        live.take(ONE, "stderr", "zwei \u00fc\n".encode())
        assert eventually(lambda: printed("run").stderr != "")  # type: ignore[union-attr]
        found = printed("run")
        assert found is not None
        assert (found.item, found.name, found.stdout, found.stderr) == (1, "first-sample", "one\n", "zwei \u00fc\n")
        assert 0 < server.ttl("portal:test-run:run:printed") <= liveoutput.EXPIRES
    assert eventually(lambda: printed("run") is None)


def test_only_the_newest_is_kept(server: redis.Redis) -> None:
    with LiveOutput("run") as live:
        live.begin("a")
        live.take(ONE, "stdout", b"x" * 5 * KEPT + b"end")
        assert eventually(lambda: printed("run") is not None)
        found = printed("run")
        assert found is not None and found.cut and len(found.stdout) == KEPT and found.stdout.endswith("end")
        live.begin("b")
        live.take(ONE, "stdout", b"new")
        assert eventually(lambda: printed("run").stdout == "new")  # type: ignore[union-attr]


def test_without_redis_nothing_is_shown_and_nothing_waits(settings: object, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1"  # type: ignore[attr-defined]
    monkeypatch.setattr(liveoutput, "_silent_until", 0.0)
    begun = time.monotonic()
    with LiveOutput("run") as live:
        live.begin("a")
        for _ in range(1000):
            live.take(ONE, "stdout", b"x")
        assert printed("run") is None
    assert time.monotonic() - begun < 2
    liveoutput._server.cache_clear()
