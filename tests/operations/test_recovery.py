"""What dies is started again, and the portal is whole again by itself; two instances do not meet."""

import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack import Stack

pytestmark = pytest.mark.xdist_group("recovery")


@pytest.fixture(scope="module")
def running() -> Iterator[Stack]:
    with Stack("--no-demo") as one:
        yield one


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
