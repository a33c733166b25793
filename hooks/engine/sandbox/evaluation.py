"""One job in its sandbox, from the start of bubblewrap until the last process is reaped."""

import json
import math
import os
import resource
import selectors
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hooks.engine.sandbox import remedies, usage
from hooks.engine.sandbox.limits import WATCH_SECONDS, Limits
from hooks.engine.sandbox.output import LAST_PIECES, LIVE_PIECES, Stderr, Stdout, drain
from hooks.engine.sandbox.slots import Slot
from hooks.engine.sandbox.spawn import Spawned
from hooks.engine.sandbox.wire import STDERR, STDOUT

Outcome = dict[str, Any]
Emit = Callable[[bytes, bytes], None]
TOO_LARGE: Outcome = {"status": "output_too_large", "message": "The hook printed more than 1 MiB on stdout."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a job asks for. `timeout` in seconds."""

    source: bytes
    timeout: float


class Evaluation:
    """Calls `emit(kind, piece)` as output comes, `answer(outcome)` once when nothing of the hook is left, and `ended()` when
    the slot is free again. Between the two only bubblewrap's own processes are left, about to die.
    """

    def __init__(
        self,
        selector: selectors.BaseSelector,
        slot: Slot,
        spawned: Spawned,
        order: Order,
        limits: Limits,
        emit: Emit,
        answer: Callable[[Outcome], None],
        ended: Callable[[], None],
    ) -> None:
        self._selector = selector
        self._slot = slot
        self._spawned = spawned
        self._source = order.source
        self._timeout = order.timeout
        self._limits = limits
        self._answer = answer
        self._ended = ended
        self._answered = False
        self._started = time.monotonic()
        self._reported = b""
        self._init = 0
        self._pidfd = -1
        self._outcome: Outcome | None = None
        self._stdout = Stdout(lambda piece: emit(STDOUT, piece))
        self._stderr = Stderr(lambda piece: emit(STDERR, piece))
        self._watched: set[int] = set()
        self._open = {spawned.script}
        slot.occupied_by(spawned.pid)
        self._watch(spawned.status, self._on_status)
        self._watch(spawned.stdout, lambda: self._on_output(spawned.stdout, self._stdout))
        self._watch(spawned.stderr, lambda: self._on_output(spawned.stderr, self._stderr))
        self.wakes = self._started
        self.tick(self._started)

    def tick(self, now: float) -> None:
        """Look after time and memory; to be called once `wakes` is past."""
        deadline = self._started + self._timeout
        if now >= deadline:
            self.end({"status": "timeout", "message": f"The hook was still running after {self._timeout:g} s."})
        elif self._init:
            with self._slot.identity.assumed():
                passed = usage.exceeded(self._init, self._limits)
            if passed:
                self.end({"status": "exited", "signal": int(signal.SIGKILL), "message": passed})
        self.wakes = math.inf if self._outcome else min(now + WATCH_SECONDS, deadline)

    def end(self, outcome: Outcome) -> None:
        """Kill the sandbox and settle what is said of it. The first outcome stands.

        bubblewrap itself is never killed: until it has named its init process, that one would be left behind.
        """
        if self._outcome:
            return
        self._outcome = outcome | {"duration_ms": (time.monotonic() - self._started) * 1000}
        self.wakes = math.inf
        self._drain(self._spawned.stdout, self._stdout)
        self._drain(self._spawned.stderr, self._stderr)
        self._stderr.close()
        if self._stdout.over and "exit_code" in outcome:
            self._outcome = TOO_LARGE | {"duration_ms": self._outcome["duration_ms"]}
        alone = "exit_code" in outcome and self._alone()
        if self._pidfd >= 0:
            self._kill()
        if alone:
            self._say()

    def _drain(self, fd: int, sink: Stdout | Stderr) -> None:
        """Read what is left, and no more: a child of the hook may hold the other end for ever."""
        if fd in self._open:
            drain(fd, sink, pieces=LAST_PIECES)
            self._close(fd)

    def _alone(self) -> bool:
        """Has the hook left no process behind? Then its answer need not wait for the sandbox to be taken down."""
        try:
            return not Path(f"/proc/{self._init}/task/{self._init}/children").read_bytes()
        except OSError:  # a kernel without CONFIG_PROC_CHILDREN
            return False

    def _say(self) -> None:
        if not self._answered:
            self._answered = True
            self._answer(self._outcome or {})

    def _on_status(self) -> None:
        piece = os.read(self._spawned.status, 4096)
        self._reported += piece
        *lines, self._reported = self._reported.split(b"\n")
        for document in (json.loads(line) for line in lines if line):
            if "child-pid" in document:
                self._found(document["child-pid"])
            else:
                self.end({"status": "exited", "exit_code": document["exit-code"]})
        if not piece:
            self._close(self._spawned.status)
            if self._outcome is None:
                # bubblewrap has ended without a word: what it printed is about the sandbox, not the hook.
                self._drain(self._spawned.stderr, self._stderr)
                self.end(remedies.explain(self._stderr.head.decode(errors="replace").strip()))
            if self._pidfd < 0:
                self._on_dead()

    def _on_output(self, fd: int, sink: Stdout | Stderr) -> None:
        if not drain(fd, sink, pieces=LIVE_PIECES):
            self._close(fd)
        elif sink.over:
            self.end(TOO_LARGE)

    def _found(self, init: int) -> None:
        """bubblewrap has named the sandbox's init process, which now waits for the script: limit it, then let it go on."""
        self._init = init
        self._pidfd = os.pidfd_open(init)
        self._watch(self._pidfd, self._on_dead)
        if self._outcome:
            self._kill()
            return
        with self._slot.identity.assumed(), suppress(ProcessLookupError):
            for kind, bound in self._limits.rlimits(self._timeout):
                resource.prlimit(init, kind, (bound, bound))
        self._watch(self._spawned.script, self._feed, selectors.EVENT_WRITE)

    def _feed(self) -> None:
        try:
            written = os.write(self._spawned.script, self._source)
        except BrokenPipeError:  # bubblewrap has failed, and says why on its standard error
            written = len(self._source)
        self._source = self._source[written:]
        if not self._source:
            self._close(self._spawned.script)

    def _kill(self) -> None:
        with self._slot.identity.assumed(), suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def _on_dead(self) -> None:
        """The init process is dead, and with it all that was in the sandbox."""
        os.waitpid(self._spawned.pid, 0)
        while self._outcome is None:
            self._on_status()
        for fd in list(self._open):
            self._close(fd)
        self._slot.occupied_by(0)
        if self._init:
            with suppress(ChildProcessError):  # reaped by bubblewrap already
                os.waitpid(self._init, 0)
        self._say()
        self._ended()

    def _watch(self, fd: int, callback: Callable[[], None], events: int = selectors.EVENT_READ) -> None:
        self._open.add(fd)
        self._watched.add(fd)
        self._selector.register(fd, events, callback)

    def _close(self, fd: int) -> None:
        if fd in self._watched:
            self._watched.discard(fd)
            self._selector.unregister(fd)
        self._open.discard(fd)
        os.close(fd)
