"""The runner as a process: its command line, its end, and the ends that others bring about."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hooks.engine.sandbox import host, identity, runner, usage
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.limits import Limits
from hooks.engine.sandbox.protocol import Completed, Job
from hooks.engine.sandbox.reaper import members
from hooks.engine.sandbox.selftest import selftest
from tests.engine.sandbox.conftest import InProcess, served
from tests.sandbox_fixture import ROOT, eventually, ordinary, running, short_directory

SECONDS = str(1_000_000 + os.getpid())  # by which this process's hooks are told from those of tests that run beside it
LONG = Job(language="bash", source=f"(setsid sleep {SECONDS} &); sleep {SECONDS}", timeout=100)


def in_background(sandbox: RunnerSandbox, job: Job) -> "tuple[threading.Thread, list[Completed]]":
    done: list[Completed] = []
    thread = threading.Thread(target=lambda: done.append(sandbox.run(job)))
    thread.start()
    return thread, done


def sleepers() -> list[str]:
    found = []
    for cmdline in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [str(cmdline)] if f"\0{SECONDS}".encode() in cmdline.read_bytes() else []
        except OSError:
            continue
    return found


def test_every_promise_holds(sandbox: RunnerSandbox) -> None:
    found = selftest(sandbox)
    assert len(found) > 8
    assert [check for check in found if not check.ok] == []


def test_every_promise_holds_for_an_ordinary_user() -> None:
    with ordinary() as sandbox:
        assert [check for check in selftest(sandbox) if not check.ok] == []


def test_socket_is_closed_to_others(sandbox: RunnerSandbox) -> None:
    assert Path(sandbox._path).stat().st_mode & 0o777 == 0o600


def test_limits_from_the_command_line() -> None:
    with running("--processes", "20", "--tmp-mb", "8", "--memory-mb", "100", "--slots", "1") as sandbox:
        done = sandbox.run(Job(language="bash", source="ulimit -u -v; df -k --output=size /tmp | tail -1"))
    assert done.stdout.split()[-4:] == [b"unlimited", b"8192"][-4:] or b"8192" in done.stdout
    assert b"102400" in done.stdout
    assert b"20" in done.stdout


@pytest.mark.parametrize("who", [running, ordinary])
def test_stops_on_request(who: object) -> None:
    with who() as sandbox:  # type: ignore[operator]
        thread, done = in_background(sandbox, LONG)
        assert eventually(lambda: len(sleepers()) >= 2, 10), done
        start = time.monotonic()
    thread.join(5)
    assert time.monotonic() - start < 3
    assert sandbox.process.returncode == 0
    assert (done[0].status, "stopped" in done[0].message) == ("could_not_start", True)
    assert eventually(lambda: not sleepers())


@pytest.mark.parametrize("who", [running, ordinary])
def test_killed(who: object) -> None:
    with who() as sandbox:  # type: ignore[operator]
        thread, done = in_background(sandbox, LONG)
        assert eventually(lambda: len(sleepers()) >= 2, 10), done
        sandbox.process.kill()
        thread.join(5)
        assert (done[0].status, "Run it again" in done[0].message) == ("could_not_start", True)
        assert eventually(lambda: not sleepers())
        assert sandbox.run(LONG).status == "unavailable"


@pytest.mark.parametrize("pause", [0.0, 0.002, 0.004, 0.006, 0.008])
def test_killed_while_sandboxes_are_built(pause: float) -> None:
    with running() as sandbox:
        calls = [in_background(sandbox, LONG)[0] for _ in range(3)]
        time.sleep(pause)
        pid = sandbox.process.pid  # type: ignore[attr-defined]
        built = usage.children(pid)
        sandbox.process.kill()  # type: ignore[attr-defined]
        for thread in calls:
            thread.join(5)
        assert eventually(lambda: not sleepers())
        assert eventually(lambda: not [member for session in built for member in members(session)])


def test_client_that_dies_takes_its_hook_along(sandbox: RunnerSandbox) -> None:
    code = (
        "import sys; from hooks.engine.sandbox.client import RunnerSandbox; from hooks.engine.sandbox.protocol import Job\n"
        f"RunnerSandbox(sys.argv[1]).run(Job(language='bash', source={LONG.source!r}))"
    )
    client = subprocess.Popen([sys.executable, "-c", code, sandbox._path], cwd=ROOT)
    assert eventually(lambda: len(sleepers()) >= 2, 10)
    client.kill()
    client.wait()
    assert eventually(lambda: not sleepers())
    assert sandbox.run(Job(language="bash", source="exit 4")).exit_code == 4


def test_ends_with_its_supervisor() -> None:
    with short_directory() as directory:
        code = (
            "import subprocess, sys, time\n"
            "command = [sys.executable, '-m', 'hooks.engine.sandbox.runner', '--socket', sys.argv[1]]\n"
            "print(subprocess.Popen(command).pid, flush=True)\n"
            "time.sleep(100)\n"
        )
        command = [sys.executable, "-c", code, str(directory / "s")]
        supervisor = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        assert supervisor.stdout is not None
        pid = int(supervisor.stdout.readline())
        assert eventually((directory / "s").exists, 10)
        supervisor.kill()
        supervisor.wait()
        supervisor.stdout.close()
        assert eventually(lambda: not Path(f"/proc/{pid}").exists(), 5)


def test_two_on_one_socket() -> None:
    with running() as sandbox:
        command = [sys.executable, "-m", "hooks.engine.sandbox.runner", "--socket", sandbox._path]
        second = subprocess.run(command, cwd=ROOT, capture_output=True)
        assert second.returncode == 1
        assert b"another runner serves" in second.stderr
        assert sandbox.run(Job(language="bash", source="exit 2")).exit_code == 2


def test_second_runner_in_this_process(boxed: InProcess) -> None:
    with pytest.raises(SystemExit, match="another runner serves"):
        runner.listen(boxed.path)


def test_jobs_that_wait_are_told_of_the_end() -> None:
    with served(places=1) as sandbox:
        calls = [in_background(sandbox, LONG) for _ in range(3)]
        assert eventually(lambda: len(sandbox.server._waiting) == 2)
    for thread, done in calls:
        thread.join(5)
        assert (done[0].status, "stopped" in done[0].message) == ("could_not_start", True)


def test_socket_file_left_behind_is_replaced() -> None:
    with short_directory() as directory:
        left = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        left.bind(str(directory / "s"))
        left.close()
        runner.listen(directory / "s").close()
        assert (directory / "s").is_socket()


def options(directory: Path, *more: str) -> "runner.argparse.Namespace":
    return runner.arguments(["--socket", str(directory / "s"), *more])


def test_serve_as_an_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, in this process; only what could not be undone is left out."""
    monkeypatch.setattr(identity.kernel, "prctl", lambda option, value: None)
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    forked: list[object] = []
    monkeypatch.setattr(runner.reaper, "start", lambda table, identities: forked.append(identities))
    with short_directory() as directory:
        runner.serve(options(directory), lambda: True)
        assert not (directory / "s").exists()
    assert len(forked) == 1


def test_machine_without_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> host.Host:
        raise host.Missing("bubblewrap was not found: install it")

    monkeypatch.setattr(host, "find", missing)
    stop = threading.Event()
    with short_directory() as directory:
        thread = threading.Thread(target=runner.serve, args=(options(directory), stop.is_set))
        thread.start()
        assert eventually((directory / "s").exists)
        sandbox = RunnerSandbox(directory / "s")
        done = sandbox.run(Job(language="bash", source="true"))
        assert (done.status, "install it" in done.message) == ("unavailable", True)
        assert "install it" in selftest(sandbox)[0].detail
        stop.set()
        thread.join(5)


def test_main(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    seen: list[tuple[bool, bool]] = []

    def serve(_options: object, ended: "runner.Callable[[], bool]") -> None:
        first = ended()
        os.kill(os.getpid(), signal.SIGTERM)
        seen.append((first, ended()))

    monkeypatch.setattr(runner, "serve", serve)
    monkeypatch.setattr(runner.kernel, "prctl", lambda option, value: None)
    monkeypatch.setattr(runner.resource, "setrlimit", lambda kind, limits: None)
    try:
        runner.main(["--socket", str(tmp_path / "s")])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert seen == [(False, True)]


def test_defaults_are_the_documented_ones() -> None:
    assert (Limits().memory_mb, Limits().processes, Limits().tmp_mb, Limits().tmp_inodes) == (512, 64, 64, 20_000)
