"""The runner's loop: one thread, one connection per job, as many sandboxes at once as there are slots."""

import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from weakref import WeakSet

from hooks.engine.sandbox.connection import Connection, peer
from hooks.engine.sandbox.evaluation import Evaluation, Order, Outcome
from hooks.engine.sandbox.host import Missing
from hooks.engine.sandbox.limits import QUEUE_SECONDS, Limits
from hooks.engine.sandbox.protocol import Language
from hooks.engine.sandbox.slots import Slot
from hooks.engine.sandbox.spawn import Spawned

Spawn = Callable[[Language, int, int], Spawned]
BUSY = f"The sandbox is busy: no place came free within {QUEUE_SECONDS:g} s. Try again, or run fewer hooks at once."
STOPPED: Outcome = {"status": "could_not_start", "message": "The sandbox's runner was stopped."}


class Server:
    """`spawn` starts a sandbox for language, stdin and transcript; it raises OSError, or Missing where none can be built."""

    def __init__(
        self, listener: socket.socket, spawn: Spawn, slots: list[Slot], limits: Limits, *, allowed: set[int]
    ) -> None:
        self._listener = listener
        self._spawn = spawn
        self._free = list(slots)
        self._limits = limits
        self._allowed = allowed
        self._waiting: deque[Connection] = deque()
        self._connections: WeakSet[Connection] = WeakSet()
        self._running: dict[Connection, Evaluation] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ, self._accept)

    def serve(self, ended: Callable[[], bool]) -> None:
        """Serve until `ended`, which is asked at least once a second; then kill what runs."""
        while not ended():
            self._turn()
        self._selector.unregister(self._listener)
        while self._stop():
            self._turn()
        for connection in list(self._connections):
            connection.close()
        self._selector.close()

    def _stop(self) -> bool:
        """End whatever waits or runs, also what has come since the last time. Return whether something still runs."""
        while self._waiting:
            self._waiting.popleft().finish(STOPPED)
        for evaluation in list(self._running.values()):
            evaluation.end(STOPPED)
        return bool(self._running)

    def _turn(self) -> None:
        now = time.monotonic()
        wakes = [evaluation.wakes for evaluation in self._running.values()]
        wakes += [connection.waits_until for connection in self._waiting]
        for key, _ in self._selector.select(max(0.0, min([now + 1.0, *wakes]) - now)):
            # A callback may close what another event of the same round is about.
            if self._selector.get_map().get(key.fd) is key:
                key.data()
        now = time.monotonic()
        for evaluation in list(self._running.values()):
            if now >= evaluation.wakes:
                evaluation.tick(now)
        while self._waiting and now >= self._waiting[0].waits_until:
            self._waiting.popleft().finish({"status": "could_not_start", "message": BUSY})

    def submit(self, connection: Connection) -> None:
        connection.waits_until = time.monotonic() + QUEUE_SECONDS
        self._waiting.append(connection)
        self._start()

    def cancel(self, connection: Connection) -> None:
        """End the connection's job, wherever it stands. Nothing to do where it has ended."""
        if connection in self._running:
            self._running[connection].end({"status": "cancelled", "message": "The hook was cancelled."})
        elif connection in self._waiting:
            self._waiting.remove(connection)
            connection.finish({"status": "cancelled", "message": "The hook was cancelled before it started."})

    def _start(self) -> None:
        """Start what waits while a slot is free."""
        while self._waiting and self._free:
            connection, slot = self._waiting.popleft(), self._free.pop()
            try:
                self._running[connection] = self._evaluation(connection, slot)
            except (OSError, Missing) as error:
                self._free.append(slot)
                status = "unavailable" if isinstance(error, Missing) else "could_not_start"
                connection.finish({"status": status, "message": f"The sandbox could not be started: {error}."})

    def _evaluation(self, connection: Connection, slot: Slot) -> Evaluation:
        stdin, transcript, _ = connection.fds
        order = Order(source=connection.source(), timeout=connection.timeout)
        with slot.identity.assumed():
            spawned = self._spawn(connection.language, stdin, transcript)

        def ended() -> None:
            del self._running[connection]
            self._free.append(slot)
            self._start()

        return Evaluation(self._selector, slot, spawned, order, self._limits, connection.send, connection.finish, ended)

    def _accept(self) -> None:
        sock, _ = self._listener.accept()
        if peer(sock) in self._allowed:
            self._connections.add(Connection(self._selector, sock, self))
        else:
            sock.close()
