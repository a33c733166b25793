"""The web server's worker: gunicorn's with threads, which slow clients cannot hold up.

A thread reads a request as it comes, and gunicorn sets that no limit: 32 clients that send a byte now and then would be all
that the portal ever serves. So each has a time for its headers and one for its body, and a client that does not read its
answer is cut off. What a request may take in between, while hooks run, is not counted.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

BODY_LIMIT = 64 * 1024 * 1024  # what a body that comes in chunks may have
BODY_RATE = 128 * 1024  # bytes, for each of which many a body has a second more
UNREAD_MS = 60_000  # for how long what was sent may stay unread


class Watch:
    """Ends what is read from a socket when its time is up: to who reads, the client has then gone away."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[socket.socket, float] = {}

    def begin(self, sock: socket.socket, until: float) -> None:
        with self._lock:
            self._until[sock] = until

    def end(self, sock: socket.socket) -> None:
        with self._lock:
            self._until.pop(sock, None)

    def look(self) -> None:
        now = time.monotonic()
        with self._lock:
            late = [sock for sock, until in self._until.items() if until < now]
            for sock in late:
                del self._until[sock]
                try:
                    sock.shutdown(socket.SHUT_RD)
                except OSError:
                    continue  # it went away by itself

    def run(self, every: float) -> None:
        while True:
            time.sleep(every)
            self.look()


class Body:
    """The input of a request, read within the time that its length allows."""

    def __init__(self, body: Any, sock: socket.socket, watch: Watch, seconds: float) -> None:
        self._body, self._sock, self._watch, self._seconds = body, sock, watch, seconds
        self._until = 0.0

    def read(self, *size: int) -> Any:
        return self._timed(self._body.read, *size)

    def readline(self, *size: int) -> Any:
        return self._timed(self._body.readline, *size)

    def readlines(self, *size: int) -> Any:
        return self._timed(self._body.readlines, *size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.readline, b"")

    def _timed(self, read: Callable[..., Any], *size: int) -> Any:
        self._until = self._until or time.monotonic() + self._seconds
        self._watch.begin(self._sock, self._until)
        try:
            return read(*size)
        finally:
            self._watch.end(self._sock)


class Worker(ThreadWorker):
    wsgi: Callable[..., Any]
    header_seconds, body_seconds, look_every = 10.0, 30.0, 1.0

    def init_process(self) -> None:
        self.watch = Watch()
        threading.Thread(target=self.watch.run, args=(self.look_every,), name="slow-clients", daemon=True).start()
        super().init_process()

    def handle(self, conn: TConn) -> Any:
        if conn.sock.family in (socket.AF_INET, socket.AF_INET6):
            conn.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MS)
        self.watch.begin(conn.sock, time.monotonic() + self.header_seconds)
        try:
            return super().handle(conn)
        finally:
            self.watch.end(conn.sock)

    def handle_request(self, req: Any, conn: TConn) -> Any:
        self.watch.end(conn.sock)
        return super().handle_request(req, conn)

    def load_wsgi(self) -> None:
        super().load_wsgi()
        application = self.wsgi

        def timed(environ: dict[str, Any], start_response: Any) -> Any:
            length = environ.get("CONTENT_LENGTH") or ""
            seconds = self.body_seconds + (int(length) if length.isdecimal() else BODY_LIMIT) / BODY_RATE
            environ["wsgi.input"] = Body(environ["wsgi.input"], environ["gunicorn.socket"], self.watch, seconds)
            return application(environ, start_response)

        self.wsgi = timed
