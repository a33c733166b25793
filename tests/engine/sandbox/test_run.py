"""What a job comes to, with a runner in this process."""

import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hooks.engine.sandbox import usage, wire
from hooks.engine.sandbox.limits import Limits
from hooks.engine.sandbox.protocol import STDERR_KEPT, STDOUT_LIMIT, Completed, Job, Language
from tests.engine.sandbox.conftest import InProcess, served
from tests.sandbox_fixture import eventually


def bash(sandbox: InProcess, source: str, **options: object) -> Completed:
    return sandbox.run(Job(language="bash", source=source, **options))  # type: ignore[arg-type]


def test_it_works(boxed: InProcess) -> None:
    done = bash(boxed, "cat; echo problem >&2; exit 3", stdin=b"told")
    assert (done.status, done.exit_code, done.signal) == ("exited", 3, None)
    assert (done.stdout, done.stderr, done.message) == (b"told", b"problem\n", "")
    assert 1 < done.duration_ms < 5000


@pytest.mark.parametrize("language,source", [("bash", "echo $0"), ("python", "print(__file__)")])
def test_script_is_a_file(boxed: InProcess, language: Language, source: str) -> None:
    assert boxed.run(Job(language=language, source=source)).stdout == b"/hook/script\n"


def test_command_beyond_what_an_argument_holds(boxed: InProcess) -> None:
    assert bash(boxed, "#" * 400_000 + "\necho end").stdout == b"end\n"


def test_empty_script(boxed: InProcess) -> None:
    assert bash(boxed, "").exit_code == 0


def test_transcript(boxed: InProcess) -> None:
    assert bash(boxed, "cat /mnt/data/hook_transcript.txt", transcript=b"user: hi").stdout == b"user: hi"
    assert bash(boxed, "cat /mnt/data/hook_transcript.txt && test ! -s /mnt/data/hook_transcript.txt").exit_code == 0


def test_large_stdin_that_nobody_reads(boxed: InProcess) -> None:
    assert bash(boxed, "echo ok", stdin=b"x" * (8 << 20)).stdout == b"ok\n"
    assert bash(boxed, "wc -c", stdin=b"x" * (8 << 20)).stdout.strip() == b"8388608"


def test_tools(boxed: InProcess) -> None:
    source = "echo '{\"a\": 1}' | jq .a | grep 1 | sed s/1/2/ | awk '{print $1 + 1}'"
    source += "; /usr/bin/env python3 -c 'import json, re, ssl'"
    assert bash(boxed, source).stdout == b"3\n"


def test_killed_by_a_signal_is_128_and_more(boxed: InProcess) -> None:
    assert bash(boxed, "kill -9 $$").exit_code == 137


def test_broken_pipe_ends_the_writer(boxed: InProcess) -> None:
    assert bash(boxed, "yes | head -1; echo ${PIPESTATUS[0]}").stdout == b"y\n141\n"


def test_timeout(boxed: InProcess) -> None:
    done = bash(boxed, "echo before; trap '' TERM; sleep 60 & sleep 60", timeout=0.5)
    assert (done.status, done.exit_code, done.stdout) == ("timeout", None, b"before\n")
    assert 490 < done.duration_ms < 3000
    assert "0.5 s" in done.message


def test_judged_when_the_hook_itself_ends(boxed: InProcess) -> None:
    start = time.monotonic()
    assert bash(boxed, "sleep 60 & echo '{}'").stdout == b"{}\n"
    assert time.monotonic() - start < 5


def test_too_much_stdout_while_it_runs(boxed: InProcess) -> None:
    done = bash(boxed, "yes")
    assert (done.status, len(done.stdout)) == ("output_too_large", STDOUT_LIMIT)


def test_exactly_the_limit_is_not_too_much(boxed: InProcess) -> None:
    assert len(bash(boxed, f"head -c {STDOUT_LIMIT} /dev/zero").stdout) == STDOUT_LIMIT
    done = bash(boxed, f"head -c {STDOUT_LIMIT + 1} /dev/zero")
    assert (done.status, done.exit_code) == ("output_too_large", None)


def test_stderr_keeps_head_and_tail(boxed: InProcess) -> None:
    done = bash(boxed, "seq 1 100000 >&2")
    assert done.exit_code == 0
    assert done.stderr.startswith(b"1\n2\n")
    assert done.stderr.endswith(b"99999\n100000\n")
    assert b"bytes left out" in done.stderr
    assert STDERR_KEPT - 100 < len(done.stderr) <= STDERR_KEPT


def test_output_comes_as_it_is_printed(boxed: InProcess) -> None:
    pieces: list[tuple[str, bytes, float]] = []
    start = time.monotonic()
    job = Job(language="bash", source="echo one; sleep 0.5; echo two >&2")
    boxed.run(job, on_output=lambda stream, piece: pieces.append((stream, piece, time.monotonic() - start)))
    assert [(stream, piece) for stream, piece, _ in pieces] == [("stdout", b"one\n"), ("stderr", b"two\n")]
    assert pieces[0][2] < 0.45 < pieces[1][2]


def test_closed_output(boxed: InProcess) -> None:
    assert bash(boxed, "exec >&- 2>&-; sleep 0.2; exit 5").exit_code == 5


def test_cancelled(boxed: InProcess) -> None:
    asked = threading.Event()
    threading.Timer(0.3, asked.set).start()
    done = boxed.run(Job(language="bash", source="echo a; sleep 60"), cancelled=asked.is_set)
    assert (done.status, done.stdout) == ("cancelled", b"a\n")
    assert done.duration_ms < 3000


def test_not_cancelled(boxed: InProcess) -> None:
    assert boxed.run(Job(language="bash", source="sleep 0.5"), cancelled=lambda: False).exit_code == 0


def test_memory_of_all_processes() -> None:
    source = "import os, time\nfor _ in range(3): os.fork()\nblock = b'x' * (40 << 20)\ntime.sleep(20)"
    with served(limits=Limits(memory_mb=128)) as sandbox:
        done = sandbox.run(Job(language="python", source=source))
    assert (done.status, done.exit_code, done.signal) == ("exited", None, 9)
    assert "128 MB" in done.message


def test_files_without_content() -> None:
    source = "import os, time\nfor n in range(300): os.close(os.open(f'/tmp/{n}', os.O_CREAT))\ntime.sleep(20)"
    with served(limits=Limits(tmp_inodes=200)) as sandbox:
        done = sandbox.run(Job(language="python", source=source))
    assert (done.signal, done.message.startswith("More than 200 files")) == (9, True)


def test_concurrent(boxed: InProcess) -> None:
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda n: bash(boxed, f"exit {n}").exit_code, range(40)))
    assert codes == list(range(40))


def test_waits_for_a_place_without_losing_its_time() -> None:
    with served(places=1) as sandbox, ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(bash, sandbox, "sleep 0.6", timeout=1.5) for _ in range(3)]
        assert [call.result().exit_code for call in calls] == [0, 0, 0]


def test_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hooks.engine.sandbox.server.QUEUE_SECONDS", 0.2)
    with served(places=1) as sandbox, ThreadPoolExecutor(2) as pool:
        first = pool.submit(bash, sandbox, "sleep 1.5")
        time.sleep(0.1)
        second = bash(sandbox, "true")
        assert (second.status, "busy" in second.message) == ("could_not_start", True)
        assert first.result().exit_code == 0


def test_cancelled_while_it_waits() -> None:
    with served(places=1) as sandbox, ThreadPoolExecutor(2) as pool:
        first = pool.submit(bash, sandbox, "sleep 1")
        time.sleep(0.1)
        done = sandbox.run(Job(language="bash", source="true"), cancelled=lambda: True)
        assert (done.status, "before it started" in done.message) == ("cancelled", True)
        assert first.result().exit_code == 0


def test_nothing_is_left(boxed: InProcess) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    bash(boxed, "true")
    assert eventually(lambda: len(boxed.server._free) == 2)
    children, before = usage.children(os.getpid()), descriptors()
    for number in range(60):
        assert bash(boxed, f"sleep 30 & exit {number % 5}").exit_code == number % 5
    assert eventually(lambda: usage.children(os.getpid()) == children)
    assert eventually(lambda: descriptors() == before)
    assert list(boxed.path.parent.iterdir()) == [boxed.path]


def test_first_outcome_stands(boxed: InProcess) -> None:
    """A client that asks twice gets one answer, that of the first time."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(boxed.path))
        fds = [wire.sealed(content) for content in (b"", b"", b"sleep 30 & sleep 30 & sleep 30")]
        socket.send_fds(sock, [wire.request(Job(language="bash", source=""))], fds)
        for fd in fds:
            os.close(fd)
        time.sleep(0.1)
        (evaluation,) = boxed.server._running.values()
        evaluation._outcome = {"status": "timeout"}
        evaluation.end({"status": "cancelled"})
        assert evaluation._outcome == {"status": "timeout"}
        evaluation._outcome = None
        sock.send(wire.CANCEL)
        assert b"cancelled" in sock.recv(4096)


def test_too_much_stdout_at_the_very_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hooks.engine.sandbox.evaluation.LIVE_PIECES", 0)
    monkeypatch.setattr("hooks.engine.sandbox.output.STDOUT_LIMIT", 10)
    with served() as sandbox:
        done = bash(sandbox, "echo 1234567890")
    assert (done.status, done.exit_code, done.stdout) == ("output_too_large", None, b"1234567890")


def test_cancelling_what_has_ended(boxed: InProcess) -> None:
    boxed.server.cancel(object())  # type: ignore[arg-type]
    assert bash(boxed, "exit 3").exit_code == 3
