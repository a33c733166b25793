"""Clients that send or read slowly, on purpose or not, do not keep others from being served."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stack.options import ROOT
from stack.webworker import Worker

THREADS = 2
PATIENCE = 30  # s, until a test gives up


class Hasty(Worker):
    """The worker, with less patience."""

    header_seconds, body_seconds, look_every = 0.5, 0.5, 0.05


def application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    start_response("200 OK", [("Content-Length", str(len(body) + 3))])
    return [b"ok:", body]


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A real gunicorn whose two threads are soon taken."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        os.set_inheritable(listener.fileno(), True)
        here = "tests.operations.test_slow_clients"
        command = [sys.executable, "-m", "gunicorn", f"{here}:application", "--bind", f"fd://{listener.fileno()}"]
        command += ["--worker-class", f"{here}.Hasty", "--threads", str(THREADS), "--no-control-socket"]
        log = tmp_path_factory.mktemp("gunicorn") / "log"
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        with log.open("wb") as output:
            server = subprocess.Popen(
                command, cwd=ROOT, env=environment, pass_fds=[listener.fileno()], stdout=output, stderr=output
            )
        try:
            yield listener.getsockname()[1]
        finally:
            server.terminate()
            server.wait(PATIENCE)
            assert "Traceback" not in Path(log).read_text()


@contextlib.contextmanager
def sent(port: int, data: bytes) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(data)
        yield client


def answer(client: socket.socket) -> bytes:
    found = b""
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(65536):
            found += piece
    return found


GOOD = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
SLOW_HEADER = b"POST / HTTP/1.1\r\nHost: x\r\nX-Slow: "
SLOW_BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nh"


def test_it_works(port: int) -> None:
    with sent(port, GOOD) as client:
        assert answer(client).endswith(b"ok:hello")


@pytest.mark.parametrize("slow", [SLOW_HEADER, SLOW_BODY], ids=["headers", "body"])
def test_slow_clients_are_let_go(port: int, slow: bytes) -> None:
    with contextlib.ExitStack() as stack:
        crowd = [stack.enter_context(sent(port, slow)) for _ in range(3 * THREADS)]
        with sent(port, GOOD) as client:
            assert answer(client).endswith(b"ok:hello")
        for one in crowd:
            assert b"ok:hello" not in answer(one)  # it came to an end


def test_one_that_sends_a_byte_now_and_then_gains_no_time(port: int) -> None:
    with sent(port, SLOW_HEADER) as drip:
        drip.settimeout(0.1)
        ended = False
        for _ in range(PATIENCE * 10):
            try:
                drip.sendall(b"x")
                ended = drip.recv(100) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                ended = True
            if ended:
                break
        assert ended


def test_a_kept_connection_serves_again(port: int) -> None:
    kept = GOOD.replace(b"Connection: close\r\n", b"")
    with sent(port, kept) as client:
        first = b""
        while not first.endswith(b"ok:hello"):
            piece = client.recv(65536)
            assert piece
            first += piece
        client.sendall(GOOD)
        assert answer(client).endswith(b"ok:hello")
