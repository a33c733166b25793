"""The client against runners that misbehave."""

import os
import socket
import threading
from collections.abc import Callable

import pytest

from hooks.engine.sandbox import client, wire
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.host import Missing
from hooks.engine.sandbox.protocol import Completed, Job
from tests.engine.sandbox.conftest import InProcess, served
from tests.sandbox_fixture import short_directory

JOB = Job(language="bash", source="true", timeout=0.1)


def against(answer: Callable[[socket.socket], None], **options: object) -> Completed:
    """Run JOB against a runner that takes the request and then does `answer`."""
    with short_directory() as directory, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(directory / "s"))
        listener.listen()

        def serve() -> None:
            with listener.accept()[0] as sock:
                sock.recv(4096)
                answer(sock)

        thread = threading.Thread(target=serve)
        thread.start()
        done = RunnerSandbox(directory / "s").run(JOB, **options)  # type: ignore[arg-type]
        thread.join(5)
    return done


def test_no_runner() -> None:
    done = RunnerSandbox("/nowhere/s").run(JOB)
    assert (done.status, done.exit_code) == ("unavailable", None)
    assert "/nowhere/s" in done.message
    assert "bin/up" in done.message


def test_runner_that_goes_away() -> None:
    done = against(lambda sock: None)
    assert (done.status, "Run it again" in done.message) == ("could_not_start", True)


def test_silent_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(client, "QUEUE_SECONDS", 0.0)
    held = threading.Event()
    done = against(lambda sock: held.wait(0.6) and None)
    assert (done.status, "did not answer" in done.message) == ("could_not_start", True)


def test_runner_that_does_not_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "KILL_SECONDS", 0.3)
    done = against(lambda sock: sock.recv(1) and sock.recv(1) and None, cancelled=lambda: True)
    assert done.status == "could_not_start"


def test_program_with_lone_surrogates(boxed: InProcess) -> None:
    assert boxed.run(Job(language="bash", source="echo '\udce9' >/dev/null; echo ok")).stdout == b"ok\n"


def test_stranger_is_turned_away() -> None:
    with served(allowed={os.getuid() + 1}) as sandbox:
        assert sandbox.run(JOB).status == "could_not_start"


@pytest.mark.parametrize(
    "packet",
    [
        b"?",
        b"Rnot json",
        b'R{"language": "perl", "timeout": 1, "start": "any"}',
        b'R{"language": "bash", "timeout": 1, "start": "hot"}',
        b"R{}",
        b"R[]",
    ],
)
def test_request_that_is_none(boxed: InProcess, packet: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(boxed.path))
        sock.send(packet)
        answer = sock.recv(4096)
    assert answer[:1] == wire.DONE
    assert b"does not understand" in answer


def test_request_without_files(boxed: InProcess) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(boxed.path))
        sock.send(wire.request(JOB))
        assert b"3 descriptors" in sock.recv(4096)


def test_second_request_on_a_connection_ends_it(boxed: InProcess) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(boxed.path))
        fds = [wire.sealed(content) for content in (b"", b"", b"sleep 60")]
        socket.send_fds(sock, [wire.request(Job(language="bash", source="", timeout=50))], fds)
        sock.send(wire.request(JOB))
        for fd in fds:
            os.close(fd)
        assert sock.recv(4096) == b""


def test_client_that_hangs_up_while_it_waits() -> None:
    with served(places=1) as sandbox:
        threads = [threading.Thread(target=sandbox.run, args=(Job(language="bash", source="sleep 0.5"),))]
        threads[0].start()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.connect(str(sandbox.path))
            fds = [wire.sealed(content) for content in (b"", b"", b"sleep 60")]
            socket.send_fds(sock, [wire.request(Job(language="bash", source="", timeout=50))], fds)
            for fd in fds:
                os.close(fd)
        threads[0].join()
        assert sandbox.run(Job(language="bash", source="exit 3")).exit_code == 3


def test_client_that_reads_slowly(boxed: InProcess) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(boxed.path))
        fds = [wire.sealed(content) for content in (b"", b"", b"head -c 1000000 /dev/zero")]
        socket.send_fds(sock, [wire.request(Job(language="bash", source="", timeout=50))], fds)
        for fd in fds:
            os.close(fd)
        threading.Event().wait(0.5)
        total = 0
        while (packet := sock.recv(wire.PACKET_BYTES + 1))[:1] == wire.STDOUT:
            total += len(packet) - 1
    assert (total, packet[:1]) == (1_000_000, wire.DONE)


def test_client_that_hangs_up_before_it_has_read_all(boxed: InProcess) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(boxed.path))
        fds = [wire.sealed(content) for content in (b"", b"", b"yes | head -c 1000000; sleep 60")]
        socket.send_fds(sock, [wire.request(Job(language="bash", source="", timeout=50))], fds)
        for fd in fds:
            os.close(fd)
        sock.recv(10)
    assert boxed.run(Job(language="bash", source="exit 3")).exit_code == 3


def test_connection_reset(boxed: InProcess) -> None:
    """A client that goes with packets unread resets the connection."""
    for _ in range(3):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.connect(str(boxed.path))
            sock.send(b"?")
            threading.Event().wait(0.05)
    assert boxed.run(Job(language="bash", source="exit 3")).exit_code == 3


@pytest.mark.parametrize(
    "fault,status", [(OSError(11, "no process"), "could_not_start"), (Missing("bwrap"), "unavailable")]
)
def test_bubblewrap_that_cannot_be_started(fault: Exception, status: str) -> None:
    def spawn(*_: object) -> None:
        raise fault

    with served(spawn=spawn) as sandbox:  # type: ignore[arg-type]
        done = sandbox.run(JOB)
        assert done.status == status
        assert str(fault) in done.message
