"""While Redis is away, agents are still answered, /readyz names it, and all is well when it comes back."""

import json
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stack import redis
from stack.options import ROOT
from tests import servers
from tests.stack import Stack

pytestmark = pytest.mark.xdist_group("recovery")

HOOK = {"type": "command", "matcher": "*", "command": "echo no >&2; exit 2"}
CONTEXT = {
    "hook_event_name": "PostToolUse",
    "agent_name": "sre-agent",
    "current_turn": 1,
    "max_turns": 2,
    "tool_name": "Bash",
    "tool_input": {},
    "tool_result": "",
    "tool_succeeded": True,
}


class Portal:
    """A portal whose Redis the test starts, stops and freezes."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.stack = Stack("--no-demo", data=place / "var", env={"REDIS_URL": f"unix://{place}/redis.sock"})

    def start(self) -> None:
        self.start_redis()
        self.stack.start()
        scopes = ("--scope", "read", "--scope", "evaluate", "--scope", "write")
        self.token = self.stack.manage("create_token", "--agent", "sre-agent", "--name", "one", *scopes)

    def start_redis(self) -> None:
        address, log = self.place / "redis.sock", self.place / "redis.log"
        command = redis.command(redis.find(ROOT / ".venv"), self.place, address)
        self.redis = servers.start(command, log, signal.SIGKILL)
        redis.wait(address, log)

    def stop_redis(self) -> None:
        self.redis.kill()
        self.redis.wait()

    def ask(self, path: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.stack.url + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def failing(self) -> set[str]:
        return {name for name, check in self.ask("/readyz")[1]["checks"].items() if check["needed"] and not check["ok"]}

    def decides(self) -> bool:
        body = {"context": CONTEXT, "hooks": {"agent": {"PostToolUse": [HOOK]}}}
        return self.ask("/api/v2/hooks/check", body)[1].get("decision") == "block"

    def recovers(self, seconds: float = 30) -> bool:
        deadline = time.monotonic() + seconds
        while self.failing():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.2)
        return True

    def runs_a_test(self, seconds: float = 30) -> str:
        body = {"definition": {"event": "PostToolUse", **HOOK}, "context": CONTEXT}
        status, run = self.ask("/api/v2/testRuns", body)
        deadline = time.monotonic() + seconds
        while status < 400 and run["status"] in {"queued", "running"} and time.monotonic() < deadline:
            time.sleep(0.1)
            _, run = self.ask(f"/api/v2/testRuns/{run['id']}")
        return str(run.get("status") or run)


@pytest.fixture(scope="module")
def portal_with_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    one = Portal(tmp_path_factory.mktemp("redis"))
    try:
        one.start()
        yield one
    finally:
        one.stack.__exit__()
        one.stop_redis()


def test_it_works(portal_with_redis: Portal) -> None:
    assert not portal_with_redis.failing()
    assert portal_with_redis.runs_a_test() == "succeeded"


def test_while_it_is_stopped(portal_with_redis: Portal) -> None:
    portal_with_redis.stop_redis()
    try:
        assert {"broker", "worker"} <= portal_with_redis.failing()
        assert portal_with_redis.decides()
    finally:
        portal_with_redis.start_redis()
    assert portal_with_redis.recovers()
    assert portal_with_redis.runs_a_test() == "succeeded"


def test_while_it_hangs(portal_with_redis: Portal) -> None:
    portal_with_redis.redis.send_signal(signal.SIGSTOP)
    try:
        assert {"broker", "worker"} <= portal_with_redis.failing()
        begun = time.monotonic()
        assert portal_with_redis.decides()
        assert time.monotonic() - begun < 5
    finally:
        portal_with_redis.redis.send_signal(signal.SIGCONT)
    assert portal_with_redis.recovers()
    assert portal_with_redis.runs_a_test() == "succeeded"
