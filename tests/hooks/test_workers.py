"""Test runs on real workers, with a real broker, in the portal that bin/up starts."""

import http.client
import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.stack import Stack

pytestmark = pytest.mark.xdist_group("workers")
SLOW = {"event": "Stop", "type": "command", "command": "sleep 50", "timeout": 60}
CONTEXT = {"final_output": "x"}


@pytest.fixture(scope="module")
def own() -> Iterator[Stack]:
    """A portal of this module's own, since its programs are killed."""
    with Stack("--no-demo") as running:
        yield running


@pytest.fixture(scope="module")
def call(own: Stack) -> Callable[..., Any]:
    token = own.manage("create_token", "--agent", "sre-agent", "--name", "t", "--scope", "read", "--scope", "evaluate")
    host = urlsplit(own.url).netloc

    def ask(method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection(host, timeout=30)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        found = json.loads(response.read())
        connection.close()
        assert response.status < 300, found
        return found

    return ask


def until(call: Callable[..., Any], run: str, statuses: set[str], seconds: float) -> Any:
    deadline = time.monotonic() + seconds
    while (found := call("GET", f"/api/v2/testRuns/{run}"))["status"] not in statuses:
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
    return found


def start(call: Callable[..., Any], **definition: Any) -> str:
    return str(call("POST", "/api/v2/testRuns", {"definition": {**SLOW, **definition}, "context": CONTEXT})["id"])


def test_it_works(call: Callable[..., Any]) -> None:
    run = until(call, start(call, command="echo no >&2; exit 2"), {"succeeded"}, 10)
    assert run["results"][0]["reason"] == "no"


def test_a_running_hook_is_stopped(call: Callable[..., Any]) -> None:
    run = start(call)
    until(call, run, {"running"}, 10)
    call("POST", f"/api/v2/testRuns/{run}:cancel", {})
    assert until(call, run, {"cancelled"}, 5)["results"] == []


def test_a_run_asked_for_without_a_broker_is_made_up_for(own: Stack, call: Callable[..., Any]) -> None:
    own.kill("redis")
    made = call("POST", "/api/v2/testRuns", {"definition": {**SLOW, "command": "true"}, "context": CONTEXT})
    assert made["status"] == "queued"
    until(call, made["id"], {"succeeded"}, 90)
