"""What dies is started again, and the portal is whole again by itself; two instances do not meet."""

import contextlib
import json
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.stack import Stack

Ask = Callable[[str, str, dict[str, Any]], dict[str, Any]]
HOOK = "/api/v2/extendedAgent/hooks/sleeping"
STOP = {"hook_event_name": "Stop", "agent_name": "sre-agent", "final_output": "4"}
pytestmark = pytest.mark.xdist_group("recovery")


@pytest.fixture(scope="module")
def running() -> Iterator[Stack]:
    with Stack("--no-demo") as one:
        yield one


@pytest.fixture(scope="module")
def ask(running: Stack) -> Ask:
    """Call the API."""
    scopes = ("--scope", "evaluate", "--scope", "write")
    token = running.manage("create_token", "--agent", "sre-agent", "--name", "recovery", *scopes)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        data = json.dumps(body).encode()
        request = urllib.request.Request(running.url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return dict(json.load(answer))

    return call


def ready(portal: Stack) -> bool:
    try:
        with urllib.request.urlopen(portal.url + "/readyz", timeout=10) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, TimeoutError):
        return False


def recovered(portal: Stack, name: str, old: int, seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while portal.pids().get(name, old) == old or not ready(portal):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def test_it_works(running: Stack) -> None:
    assert ready(running)
    assert running.pids().keys() == {"web", "worker", "player", "redis", "sandbox"}


@pytest.mark.parametrize("name", ["worker", "redis", "sandbox", "web"])
def test_a_killed_program_comes_back(running: Stack, name: str) -> None:
    old = running.kill(name)
    assert recovered(running, name, old), running.output()
    assert f"{name} ended (SIGKILL)" in running.output()


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.5])
def test_hooks_of_a_killed_runner_end_with_the_reason(running: Stack, ask: Ask, pause: float) -> None:
    """Whatever the moment: nothing hangs, nothing that ran in a sandbox survives, and the next event is decided again."""
    ask("PUT", HOOK, sleeping("exec -a left-behind-by-a-runner sleep 60"))
    with ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(ask, "POST", "/api/v2/hooks/evaluate", {"context": STOP}) for _ in range(6)]
        time.sleep(pause)
        old, killed = running.kill("sandbox"), time.monotonic()
        errors = [answer.result(timeout=30)["hooks"][0]["error"] for answer in answers]
        assert time.monotonic() - killed < 30
    for error in errors:
        assert error["code"] in {"could_not_start", "sandbox_unavailable"}, error
        assert "runner" in error["message"]
    assert recovered(running, "sandbox", old), running.output()
    deadline = time.monotonic() + 5
    while named("left-behind-by-a-runner"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    ask("PUT", HOOK, sleeping("echo decided >&2; exit 2"))
    assert ask("POST", "/api/v2/hooks/evaluate", {"context": STOP})["reason"] == "decided"


def sleeping(command: str) -> dict[str, Any]:
    return {"properties": {"eventType": "Stop", "hook": {"type": "command", "command": command, "timeout": 100}}}


def named(name: str) -> list[str]:
    """Find processes of the whole machine by what they call themselves."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [entry.parent.name] if entry.read_bytes().startswith(name.encode()) else []
    return found


def test_a_second_instance_lives_beside_it(running: Stack) -> None:
    with Stack("--no-demo") as other:
        assert other.url != running.url
        assert not set(other.pids().values()) & set(running.pids().values())
        assert ready(other)
        assert other.stop() < 5
    assert ready(running)


def test_the_same_data_directory_is_refused(running: Stack) -> None:
    again = Stack("--no-demo", data=running.data)
    with pytest.raises(AssertionError, match="already running with this data directory"):
        again.start()
    again.log.unlink()


def test_all_of_it_stays_under_500_mb(running: Stack) -> None:
    assert running.process
    assert memory_mb(running.process.pid) < 500


def memory_mb(pid: int) -> float:
    """Sum the proportional set size of a process and all that it has started."""
    total = 0
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        total += sum(int(memory_mb(int(child)) * 1024) for child in children.read_text().split())
    return total / 1024


def test_all_ends_with_it() -> None:
    with Stack("--no-demo") as portal:
        pids = set(portal.pids().values())
        assert portal.stop(signal.SIGTERM) < 5
        assert not [pid for pid in pids if alive(pid)]


def test_all_ends_even_when_it_is_killed() -> None:
    with Stack("--no-demo") as portal:
        pids = set(portal.pids().values())
        portal.stop(signal.SIGKILL)
        deadline = time.monotonic() + 10
        while remaining := [pid for pid in pids if alive(pid)]:
            assert time.monotonic() < deadline, remaining
            time.sleep(0.1)


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
