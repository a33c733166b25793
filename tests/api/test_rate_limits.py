"""Rate limits, counted in a real Redis."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from portal.access import throttles
from tests.shell import STOP, Caller

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counting")]
LIST, CHECK = "/api/v2/evaluations", "/api/v2/hooks/check"


@pytest.fixture
def counting(redis_url: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three requests a minute, in a minute that does not end."""
    settings.REDIS_URL, settings.API_RATE_LIMIT, settings.RUNTIME_RATE_LIMIT = redis_url, 3, 5
    now = time.time() // 60 * 60 + 20.5
    monkeypatch.setattr(throttles.time, "time", lambda: now)
    throttles._client(redis_url).flushall()
    throttles._counter.forget()
    yield
    throttles._counter.forget()


def statuses(caller: Caller, count: int) -> list[int]:
    return [caller.get(LIST).status for _ in range(count)]


def test_it_works(api: Caller) -> None:
    assert statuses(api, 3) == [200] * 3
    answer = api.get(LIST)
    assert (answer.status, answer.code) == (429, "TooManyRequests")
    assert answer.message == "Too many requests: at most 3 requests a minute are allowed here. Try again in 40 s."
    assert answer.headers["Retry-After"] == "40"
    assert answer.headers["X-Request-Id"]


def test_the_next_minute_begins_anew(api: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert statuses(api, 4)[-1] == 429
    later = throttles.time.time() + 60
    monkeypatch.setattr(throttles.time, "time", lambda: later)
    assert api.get(LIST).status == 200


def test_each_token_counts_for_itself(api: Caller, caller: type[Caller]) -> None:
    assert statuses(api, 4)[-1] == 429
    assert statuses(caller("read"), 1) == [200]


def test_calls_of_live_agents_have_a_limit_of_their_own(api: Caller) -> None:
    assert statuses(api, 4)[-1] == 429
    body = {"context": STOP, "hooks": {}}
    assert [api.post(CHECK, body).status for _ in range(6)] == [200] * 5 + [429]


def test_sessions_count_too(api: Caller, alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert statuses(Caller(client=client), 4) == [200, 200, 200, 429]


def test_nobody_counts_where_nobody_is_known() -> None:
    assert statuses(Caller(), 5) == [401] * 5


def test_what_is_open_to_anybody_has_no_limit() -> None:
    assert [Caller().get("/api/schema/").status for _ in range(5)] == [200] * 5


def test_zero_is_without_limit(api: Caller, settings: Any) -> None:
    settings.API_RATE_LIMIT = 0
    assert statuses(api, 5) == [200] * 5


def test_counts_are_forgotten(api: Caller, redis_url: str) -> None:
    api.get(LIST)
    (key,) = throttles._client(redis_url).keys("rate:*")
    assert 0 < throttles._client(redis_url).ttl(key) <= 120


def test_redis_hears_of_a_large_limit_in_steps(api: Caller, redis_url: str, settings: Any) -> None:
    settings.API_RATE_LIMIT = 10_000
    counted = []
    for _ in range(21):
        api.get(LIST)
        (key,) = throttles._client(redis_url).keys("rate:*")
        counted.append(int(throttles._client(redis_url).get(key) or 0))
    assert counted == [1] * 10 + [11] * 10 + [21]


def test_what_other_processes_counted_counts_here(api: Caller, redis_url: str, settings: Any) -> None:
    settings.API_RATE_LIMIT = 10_000
    api.get(LIST)
    (key,) = throttles._client(redis_url).keys("rate:*")
    throttles._client(redis_url).incrby(key, 9_995)
    assert statuses(api, 12) == [200] * 9 + [429] * 3


def test_without_redis_every_request_passes_and_one_line_says_so(
    api: Caller, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    assert statuses(api, 6) == [200] * 6
    said = [record for record in caplog.records if record.name == "portal.access.throttles"]
    assert len(said) == 1
    assert "no rate limit holds" in said[0].getMessage()
