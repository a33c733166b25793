"""Run jobs through a runner."""

import array
import contextlib
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hooks.engine.sandbox import wire
from hooks.engine.sandbox.limits import QUEUE_SECONDS
from hooks.engine.sandbox.protocol import Completed, Job, Stream

POLL_SECONDS = 0.2
GRACE_SECONDS = 15.0
KILL_SECONDS = 5.0
_STREAMS: dict[bytes, Stream] = {wire.STDOUT: "stdout", wire.STDERR: "stderr"}

OnOutput = Callable[[Stream, bytes], None]


class RunnerSandbox:
    """A `Sandbox` behind the unix socket of a runner. Holds no connection, so it is safe to share and survives a fork."""

    def __init__(self, socket_path: str | Path) -> None:
        self._path = str(socket_path)

    def run(
        self, job: Job, *, on_output: OnOutput | None = None, cancelled: Callable[[], bool] | None = None
    ) -> Completed:
        try:
            sock = self._connected()
        except OSError as error:
            return Completed(status="unavailable", message=self._nobody(error))
        with sock:
            try:
                _send(sock, job, live=on_output is not None)
                return _Call(sock, job, on_output, cancelled).result()
            except TimeoutError:
                return Completed(status="could_not_start", message="The sandbox's runner did not answer in time.")
            except (OSError, EOFError):
                return Completed(
                    status="could_not_start", message="The sandbox's runner stopped while the hook ran. Run it again."
                )

    def status(self) -> dict[str, Any]:
        """Ask the runner how many sandboxes wait and run (pool.py). Raises OSError, or ValueError from what is no runner."""
        with self._connected() as sock:
            sock.send(wire.STATUS)
            return wire.parse_report(sock.recv(wire.PACKET_BYTES))

    def _connected(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            sock.settimeout(GRACE_SECONDS)
            sock.connect(self._path)
        except OSError:
            sock.close()
            raise
        return sock

    def _nobody(self, error: OSError) -> str:
        return (
            f"No sandbox runner answers at {self._path} ({error.strerror or error}). Start the portal with bin/up, which starts "
            "one, or start it by hand: python -m hooks.engine.sandbox.runner --socket PATH."
        )


def _send(sock: socket.socket, job: Job, *, live: bool) -> None:
    fds = array.array("i")
    try:
        for content in (job.stdin, job.transcript, job.source.encode("utf-8", "surrogatepass")):
            fds.append(wire.sealed(content))
        sock.sendmsg([wire.request(job, live=live)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
    finally:
        for fd in fds:
            os.close(fd)


class _Call:
    """One job under way."""

    def __init__(
        self, sock: socket.socket, job: Job, on_output: OnOutput | None, cancelled: Callable[[], bool] | None
    ) -> None:
        self._sock = sock
        self._on_output = on_output
        self._cancelled = cancelled
        self._pieces: dict[Stream, list[bytes]] = {"stdout": [], "stderr": []}
        self._deadline = time.monotonic() + QUEUE_SECONDS + job.timeout + GRACE_SECONDS

    def result(self) -> Completed:
        """Raises OSError (TimeoutError too) and EOFError when the runner fails."""
        while True:
            packet = self._packet()
            if packet[:1] == wire.DONE:
                return wire.parse_done(packet, b"".join(self._pieces["stdout"]), b"".join(self._pieces["stderr"]))
            stream, piece = _STREAMS[packet[:1]], packet[1:]
            self._pieces[stream].append(piece)
            if self._on_output:
                self._on_output(stream, piece)

    def _packet(self) -> bytes:
        while True:
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._sock.settimeout(min(left, POLL_SECONDS) if self._cancelled else left)
            with contextlib.suppress(TimeoutError):
                packet = self._sock.recv(wire.PACKET_BYTES + 1)
                if not packet:
                    raise EOFError
                return packet
            self._ask_to_cancel()

    def _ask_to_cancel(self) -> None:
        if self._cancelled and self._cancelled():
            self._cancelled = None
            self._deadline = time.monotonic() + KILL_SECONDS
            self._sock.send(wire.CANCEL)
