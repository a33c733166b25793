"""A save is in force for the next evaluation in every process, without a restart (R11); a killed worker's run ends."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stack import Stack

pytestmark = pytest.mark.xdist_group("in force")
CONTEXT = {"hook_event_name": "Stop", "agent_name": "sre-agent", "final_output": "4"}


class Door:
    """The API of one web process."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.loads(answer.read() or "{}"))

    def save(self, command: str, timeout: int = 30) -> None:
        hook = {"type": "command", "command": command, "timeout": timeout}
        body = {"properties": {"eventType": "Stop", "hook": hook}}
        self.call("PUT", "/api/v2/extendedAgent/hooks/changing", body)

    def decision(self) -> str:
        return str(self.call("POST", "/api/v2/hooks/evaluate", {"context": CONTEXT})["reason"])

    def test_run(self) -> str:
        body = {"hook": "changing", "context": CONTEXT}
        return str(self.call("POST", "/api/v2/testRuns", body)["id"])

    def ended(self, run: str, seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while (found := self.call("GET", f"/api/v2/testRuns/{run}"))["status"] in ("queued", "running"):
            assert time.monotonic() < deadline, found
            time.sleep(0.1)
        return found


@pytest.fixture(scope="module")
def running() -> Iterator[Stack]:
    with Stack("--no-demo") as one:
        yield one


@pytest.fixture(scope="module")
def doors(running: Stack) -> Iterator[tuple[Door, Door]]:
    """Two web processes of one portal, beside its worker."""
    scopes = ("--scope", "read", "--scope", "evaluate", "--scope", "write", "--scope", "admin")
    token = running.manage("create_token", "--agent", "sre-agent", "--name", "doors", *scopes)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    python = str(running.root / ".venv" / "bin" / "python")
    command = [python, "-m", "gunicorn", "portal.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "4"]
    env = {**running.env, "PORTAL_DATA": str(running.data)}
    log = (running.data / "second.log").open("wb")
    with log, subprocess.Popen([*command, "--no-control-socket"], cwd=running.root, env=env, stderr=log) as second:
        try:
            url = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + 60
            while not answers(url):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            yield Door(running.url, token), Door(url, token)
        finally:
            second.terminate()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url + "/healthz", timeout=5):
            return True
    except OSError:  # not there yet, or too slow
        return False


def test_a_save_is_in_force_in_every_process(doors: tuple[Door, Door]) -> None:
    """R11, with two web processes and a worker."""
    for number in range(6):
        first, second = doors if number % 2 else reversed(doors)
        first.save(f"echo version {number} >&2; exit 2")
        assert second.decision() == first.decision() == f"version {number}"
        (result,) = first.ended(second.test_run(), 30)["results"]
        assert result["reason"] == f"version {number}"


def test_the_kill_switch_is_in_force_in_every_process(doors: tuple[Door, Door]) -> None:
    first, second = doors
    first.save("echo stop >&2; exit 2")
    for turning, other in ((first, second), (second, first)):
        turning.call("PUT", "/api/v2/killSwitch", {"reason": "x"})
        assert other.decision() == turning.decision() == "None"
        other.call("DELETE", "/api/v2/killSwitch")
        assert other.decision() == turning.decision() == "stop"


def test_the_run_of_a_killed_worker_fails_with_the_reason_and_the_next_one_works(
    running: Stack, doors: tuple[Door, Door]
) -> None:
    door = doors[0]
    door.save("exec -a left-behind-by-a-worker sleep 250", timeout=290)
    run = door.test_run()
    deadline = time.monotonic() + 30
    while not sleepers():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(running.pids()["worker"], signal.SIGKILL)
    killed = time.monotonic()
    found = door.ended(run, 60)
    assert found["status"] == "failed"
    assert "worker" in found["error"]
    assert time.monotonic() - killed < 60
    assert not sleepers()
    door.save("echo fine >&2; exit 2")
    assert door.ended(door.test_run(), 60)["results"][0]["reason"] == "fine"


def sleepers() -> list[str]:
    """Find the hook's own process among all of the machine's."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes()
        except OSError:
            continue
        if command.startswith(b"left-behind-by-a-worker"):
            found.append(entry.parent.name)
    return found
