"""Programs that die are started again, later and later; all end together, the stubborn ones too."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stack.options import ROOT
from stack.programs import Program
from stack.supervisor import Supervisor

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    one = Supervisor()
    yield one
    one.stop()


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Program]:
    def make(name: str = "web", code: str = "import time; time.sleep(60)") -> Program:
        return Program(name, [sys.executable, "-c", code], dict(os.environ), tmp_path / f"{name}.log")

    return make


def until(true: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_it_works(supervisor: Supervisor, program: Callable[..., Program]) -> None:
    supervisor.start(program())
    supervisor.check()
    assert supervisor.running["web"].process.poll() is None


def test_a_killed_program_is_started_again(
    supervisor: Supervisor, program: Callable[..., Program], capsys: pytest.CaptureFixture[str]
) -> None:
    supervisor.start(program())
    first = supervisor.running["web"].process
    first.kill()
    first.wait()
    supervisor.check()
    until(lambda: supervisor.check() is None and supervisor.running["web"].process.pid != first.pid)
    assert "web ended (SIGKILL) after 0 s; starts again in 0.1 s." in capsys.readouterr().out


def test_pauses_grow(
    supervisor: Supervisor, program: Callable[..., Program], capsys: pytest.CaptureFixture[str]
) -> None:
    supervisor.start(program(code="raise SystemExit(3)"))
    until(lambda: supervisor.check() is None and supervisor.running["web"].failures == 3)
    told = capsys.readouterr().out
    assert [f"again in {pause} s" in told for pause in (0.1, 1, 2)] == [True] * 3
    assert "web ended 3 times" in supervisor.last_words()


def test_one_that_ignores_the_request_is_killed_in_time(program: Callable[..., Program]) -> None:
    supervisor = Supervisor()
    for name in ("web", "worker", "sandbox", "redis"):
        supervisor.start(program(name, STUBBORN))
    processes = [one.process for one in supervisor.running.values()]
    until(lambda: all(one.program.log.read_text() for one in supervisor.running.values()))
    begun = time.monotonic()
    supervisor.stop()
    assert time.monotonic() - begun < 5
    assert [process.returncode for process in processes] == [-signal.SIGKILL] * 4


def test_nothing_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    code = f"""
import sys, time
from pathlib import Path
from stack.programs import Program
from stack.supervisor import Supervisor
one = Supervisor()
one.start(Program("web", [sys.executable, "-c", "import time; time.sleep(60)"], {{}}, Path({str(tmp_path)!r}, "log")))
print(one.running["web"].process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        child = Path("/proc", process.stdout.readline().strip())
        assert child.exists()
        process.kill()
    until(lambda: not child.exists())


def test_a_large_log_is_trimmed(
    supervisor: Supervisor, program: Callable[..., Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stack.supervisor.LARGEST_LOG", 10)
    one = program()
    one.log.write_text("x" * 11)
    supervisor.start(one)
    supervisor.trim_logs()
    assert one.log.read_text() == ""
    assert one.log.with_suffix(".log.1").read_text() == "x" * 11
