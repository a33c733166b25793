"""The runner's end of one client's connection."""

import array
import os
import selectors
import socket
from collections import deque
from typing import Any, Protocol

from hooks.engine.sandbox import wire

FDS = 3


class Owner(Protocol):
    def submit(self, connection: "Connection") -> None: ...
    def cancel(self, connection: "Connection") -> None: ...
    def report(self) -> dict[str, Any]: ...


class Connection:
    """Takes one request, hands it to its owner, and carries the answer. Closed by `finish`, or by the client's end."""

    request: wire.Request
    waits_until: float

    def __init__(self, selector: selectors.BaseSelector, sock: socket.socket, owner: Owner) -> None:
        sock.setblocking(False)
        self._selector = selector
        self._sock = sock
        self._owner = owner
        self._packets: deque[bytes] = deque()
        self._finished = False
        self._blocked = False
        self._closed = False
        self.fds: list[int] = []
        selector.register(sock, selectors.EVENT_READ, self._on_event)

    def send(self, kind: bytes, payload: bytes) -> None:
        for start in range(0, len(payload), wire.PACKET_BYTES):
            self._packets.append(kind + payload[start : start + wire.PACKET_BYTES])
        self._flush()

    def finish(self, outcome: dict[str, Any]) -> None:
        """Send the outcome, and close once everything is sent."""
        self._answer(wire.done(outcome))

    def _answer(self, packet: bytes) -> None:
        self._finished = True
        self._packets.append(packet)
        self.release()
        self._flush()

    def release(self) -> None:
        """Close the job's files: the sandbox has them, or never will."""
        while self.fds:
            os.close(self.fds.pop())

    def source(self) -> bytes:
        """Return the program to run, whatever its length."""
        return os.pread(self.fds[2], os.fstat(self.fds[2]).st_size, 0)

    def _flush(self) -> None:
        if self._closed:
            return
        blocked = False
        try:
            while self._packets:
                self._sock.send(self._packets[0])
                self._packets.popleft()
        except BlockingIOError:
            blocked = True
        except OSError:  # the client is gone, as the next event will tell
            self._packets.clear()
        if blocked != self._blocked:
            self._blocked = blocked
            # Only to write while the client does not read: what it has to say can wait until it does.
            events = selectors.EVENT_WRITE if blocked else selectors.EVENT_READ
            self._selector.modify(self._sock, events, self._on_event)
        if self._finished and not self._packets:
            self.close()

    def _on_event(self) -> None:
        if self._blocked:
            self._flush()
            return
        packet = self._received()
        if packet == wire.CANCEL:
            self._owner.cancel(self)
        elif packet and hasattr(self, "request"):  # one job per connection
            self._hang_up()
        elif packet == wire.STATUS:
            self._answer(wire.report(self._owner.report()))
        elif packet:
            self._take(packet)
        else:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close()
        self._owner.cancel(self)

    def _received(self) -> bytes:
        """Return the next packet, its descriptors put aside; empty at the end of the connection."""
        size = array.array("i").itemsize
        try:
            packet, ancillary, *_ = self._sock.recvmsg(4096, socket.CMSG_SPACE(FDS * size), socket.MSG_CMSG_CLOEXEC)
        except ConnectionResetError:
            return b""
        for _, _, data in ancillary:  # descriptors are all that is sent, unless credentials are asked for
            self.fds.extend(array.array("i", data[: len(data) - len(data) % size]))
        return packet

    def _take(self, packet: bytes) -> None:
        try:
            self.request = wire.parse_request(packet)
            if len(self.fds) != FDS:
                raise ValueError(f"{FDS} descriptors are needed")
        except (ValueError, KeyError, TypeError) as error:
            self.finish(
                {"status": "could_not_start", "message": f"The runner does not understand the request: {error}"}
            )
            return
        self._owner.submit(self)

    def close(self) -> None:
        """Hang up, whatever is unsent."""
        if self._closed:
            return
        self._closed = True
        self._selector.unregister(self._sock)
        self.release()
        self._sock.close()


def peer(sock: socket.socket) -> int:
    """Return the user id of the process at the other end."""
    uid: int = memoryview(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)).cast("I")[1]
    return uid
