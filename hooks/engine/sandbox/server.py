"""The runner's loop: one thread, one connection per job, as many sandboxes at once as there are slots."""

import os
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from hooks.engine.sandbox.box import Box
from hooks.engine.sandbox.connection import Connection, peer
from hooks.engine.sandbox.evaluation import Evaluation, Order, Outcome
from hooks.engine.sandbox.host import Missing
from hooks.engine.sandbox.limits import LONGEST_SECONDS, QUEUE_SECONDS, Limits
from hooks.engine.sandbox.pool import Pool, Warm
from hooks.engine.sandbox.protocol import Language
from hooks.engine.sandbox.slots import Slot
from hooks.engine.sandbox.spawn import Spawned

Spawn = Callable[[Language, int, int, bool], Spawned]
BUSY = f"The sandbox is busy: no place came free within {QUEUE_SECONDS:g} s. Try again, or run fewer hooks at once."
LARGEST_COPY = 256 * 1024  # bytes of a job's files: more would hold up all other jobs while they are copied
SHORT_SECONDS = 1.0  # a hook that runs for longer mostly waits, and need not keep others from being prepared
STOPPED: Outcome = {"status": "could_not_start", "message": "The sandbox's runner was stopped."}


class Server:
    """`spawn` starts a sandbox for language, stdin, transcript, and whether its lines go out at once.

    It raises OSError, or Missing where none can be built. `warm` starts one without a job; `pool` of them per
    language wait in slots beyond `at_once`.
    """

    def __init__(
        self,
        listener: socket.socket,
        spawn: Spawn,
        slots: list[Slot],
        limits: Limits,
        *,
        allowed: set[int],
        at_once: int,
        warm: Warm | None = None,
        pool: int = 0,
    ) -> None:
        self._listener = listener
        self._spawn = spawn
        self._free = list(slots)
        self._limits = limits
        self._at_once = at_once
        self._cores = os.cpu_count() or 1
        self._pool = Pool(pool if warm else 0, self._waiting_box, self._start, self._release)
        self._warm = warm
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
        return self._pool.close() or bool(self._running)

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
        self._pool.tick(now)
        if self._idle(now):
            self._pool.refill(now)

    def _idle(self, now: float) -> bool:
        """Are most cores idle? Jobs that wait for a sandbox made in advance wait for just this."""
        busy = sum(now - evaluation.started < SHORT_SECONDS for evaluation in self._running.values())
        return 2 * busy < self._cores and all(connection.request.start == "warm" for connection in self._waiting)

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

    def report(self) -> dict[str, Any]:
        return {"running": len(self._running), "queued": len(self._waiting), "pool": self._pool.report()}

    def _start(self) -> None:
        """Start what waits while there is room."""
        for connection in list(self._waiting):
            if len(self._running) >= self._at_once:
                break
            if connection.request.start == "warm" and self._pool.promises(connection.request.language):
                continue
            self._waiting.remove(connection)
            try:
                self._running[connection] = self._evaluation(connection)
            except (OSError, Missing) as error:
                status = "unavailable" if isinstance(error, Missing) else "could_not_start"
                connection.finish({"status": status, "message": f"The sandbox could not be started: {error}."})

    def _evaluation(self, connection: Connection) -> Evaluation:
        started = time.monotonic()
        order = Order(source=connection.source(), timeout=connection.request.timeout)
        box = self._warm_box(connection, order) or self._cold_box(connection, order)

        def ended(lost: bool) -> None:
            del self._running[connection]
            self._free.append(box.slot)
            if lost:
                connection.request = connection.request._replace(start="cold")
                self._waiting.appendleft(connection)
            self._start()

        return Evaluation(box, order, connection.send, connection.finish, ended, started=started)

    def _cold_box(self, connection: Connection, order: Order) -> Box:
        (stdin, transcript, _), wanted = connection.fds, connection.request
        spawned, slot = self._spawned(lambda: self._spawn(wanted.language, stdin, transcript, wanted.live))
        box = Box(self._selector, slot, spawned, self._limits, order.timeout)
        box.feed(order.source)
        return box

    def _warm_box(self, connection: Connection, order: Order) -> Box | None:
        """Give the job to a sandbox made in advance; None where there is none, or the job is not for it."""
        large = sum(os.fstat(fd).st_size for fd in connection.fds) > LARGEST_COPY
        if connection.request.start == "cold" or large or order.timeout > LONGEST_SECONDS:
            return None
        one = self._pool.take(connection.request.language)
        if one is None:
            return None
        stdin, transcript, _ = connection.fds
        try:
            one.box.hand_over(stdin, transcript, order.source, order.timeout, connection.request.live)
        except OSError:
            one.discard()
            return None
        self._pool.used(one)
        return one.box

    def _waiting_box(self, language: Language) -> Box:
        assert self._warm is not None  # noqa: S101
        warm = self._warm
        spawned, slot = self._spawned(lambda: warm(language))
        return Box(self._selector, slot, spawned, self._limits, LONGEST_SECONDS)

    def _spawned(self, spawn: Callable[[], Spawned]) -> tuple[Spawned, Slot]:
        """Raises what `spawn` raises."""
        slot = self._free.pop()
        try:
            with slot.identity.assumed():
                return spawn(), slot
        except (OSError, Missing):
            self._free.append(slot)
            raise

    def _release(self, box: Box) -> None:
        self._free.append(box.slot)
        self._start()

    def _accept(self) -> None:
        sock, _ = self._listener.accept()
        if peer(sock) in self._allowed:
            self._connections.add(Connection(self._selector, sock, self))
        else:
            sock.close()
