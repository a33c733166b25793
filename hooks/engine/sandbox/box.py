"""One sandbox, from the start of bubblewrap until the last process is reaped."""

import json
import os
import resource
import select
import selectors
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from hooks.engine.sandbox import prepared, usage
from hooks.engine.sandbox.limits import Limits
from hooks.engine.sandbox.slots import Slot
from hooks.engine.sandbox.spawn import Spawned


class User(Protocol):
    """Whoever the sandbox is for at the time."""

    def on_limited(self) -> None:
        """The init process is known and has its limits."""

    def on_exit(self, code: int) -> None:
        """bubblewrap has reported how the hook ended."""

    def on_end(self) -> None:
        """bubblewrap has ended. Without a report before, what it printed is about the sandbox, not the hook."""

    def on_dead(self) -> None:
        """Nothing is left of it, and every descriptor is closed."""


class Box:
    """`user` is to be set at once. `seconds`: the processor time of each of its processes, in the end that of its job."""

    user: User

    def __init__(
        self, selector: selectors.BaseSelector, slot: Slot, spawned: Spawned, limits: Limits, seconds: float
    ) -> None:
        self.slot = slot
        self.limits = limits
        self.init = 0
        self.stdout, self.stderr = spawned.stdout, spawned.stderr
        self.blanks = spawned.blanks
        self._selector = selector
        self._spawned = spawned
        self._seconds = seconds
        self._first = spawned.first
        self._reported = b""
        self._pidfd = -1
        self._killed = False
        self._passed = False
        self._watched: set[int] = set()
        self.open = {spawned.gate, spawned.stdout, spawned.stderr}
        if spawned.blanks is not None:
            self.open.update(spawned.blanks.descriptors())
        slot.occupied_by(spawned.pid)
        self.watch(spawned.status, self._on_status)

    def feed(self, content: bytes) -> None:
        """Send `content` through the gate, once the init process has its limits."""
        self._first = content
        if self.init and not self._killed:
            self.watch(self._spawned.gate, self._feed, selectors.EVENT_WRITE)

    def hand_over(self, stdin: int, transcript: int, source: bytes, seconds: float, live: bool) -> None:
        """Give a sandbox without a job its job. Raises OSError where it is gone."""
        lacks = self.blanks
        assert lacks is not None  # noqa: S101
        self._seconds = seconds
        # All other limits are in force since it was made.
        self._limit([self.init, *usage.children(self.init)], self.limits.time(seconds))
        lacks.fill(stdin, transcript, source)
        if lacks.control is None:
            self.feed(source)
        else:
            os.write(lacks.control, prepared.LIVE if live else prepared.GO)

    def begun(self) -> bool:
        """Has it got as far as its job? What has not leaves nothing behind that a second try would meet."""
        if self.blanks is None or self.blanks.control is None:
            return self._passed
        with suppress(OSError):
            return prepared.BEGUN in os.read(self.blanks.control, 16)
        return False

    def alive(self) -> bool:
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return not poll.poll(0)

    def kill(self) -> None:
        """Kill all in it. bubblewrap itself never: until it has named its init process, that one would be left behind."""
        self._killed = True
        if self._pidfd >= 0:
            with self.slot.identity.assumed(), suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def alone(self) -> bool:
        """Is no process but the init left?"""
        try:
            return not Path(f"/proc/{self.init}/task/{self.init}/children").read_bytes()
        except OSError:  # a kernel without CONFIG_PROC_CHILDREN
            return False

    def watch(self, fd: int, callback: Callable[[], None], events: int = selectors.EVENT_READ) -> None:
        self.open.add(fd)
        self._watched.add(fd)
        self._selector.register(fd, events, callback)

    def unwatch(self, fd: int) -> None:
        if fd in self._watched:
            self._watched.discard(fd)
            self._selector.unregister(fd)

    def close(self, fd: int) -> None:
        self.unwatch(fd)
        self.open.discard(fd)
        os.close(fd)

    def _on_status(self) -> None:
        piece = os.read(self._spawned.status, 4096)
        self._reported += piece
        *lines, self._reported = self._reported.split(b"\n")
        for document in (json.loads(line) for line in lines if line):
            if "child-pid" in document:
                self._found(document["child-pid"])
            else:
                self.user.on_exit(document["exit-code"])
        if not piece:
            self.close(self._spawned.status)
            self.user.on_end()
            if self._pidfd < 0:
                self._on_dead()

    def _found(self, init: int) -> None:
        """bubblewrap has named the sandbox's init process: limit it, then let it pass the gate."""
        try:
            self._pidfd = os.pidfd_open(init)
        except ProcessLookupError:  # bubblewrap has failed already, and will say so
            return
        self.init = init
        self.watch(self._pidfd, self._on_dead)
        if self._killed:
            self.kill()
            return
        self._limit([init], self.limits.rlimits(self._seconds))
        if self._first is not None:
            self.feed(self._first)
        self.user.on_limited()

    def _limit(self, pids: list[int], limits: list[tuple[int, int]]) -> None:
        with self.slot.identity.assumed(), suppress(ProcessLookupError):
            for pid in pids:
                for kind, bound in limits:
                    resource.prlimit(pid, kind, (bound, bound))

    def _feed(self) -> None:
        content = self._first or b""
        try:
            written = os.write(self._spawned.gate, content)
        except BrokenPipeError:  # bubblewrap has failed, and says why on its standard error
            self.close(self._spawned.gate)
            return
        self._first = content[written:]
        if not self._first:
            self._passed = True
            self.close(self._spawned.gate)

    def _on_dead(self) -> None:
        """The init process is dead, and with it all that was in the sandbox."""
        os.waitpid(self._spawned.pid, 0)
        while self._spawned.status in self.open:
            self._on_status()
        for fd in list(self.open):
            self.close(fd)
        self.slot.occupied_by(0)
        if self.init:
            with suppress(ChildProcessError):  # reaped by bubblewrap already
                os.waitpid(self.init, 0)
        self.user.on_dead()
