"""One job in its sandbox, from its start until the last process is reaped."""

import math
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hooks.engine.sandbox import remedies, usage
from hooks.engine.sandbox.box import Box
from hooks.engine.sandbox.limits import WATCH_SECONDS
from hooks.engine.sandbox.output import LAST_PIECES, LIVE_PIECES, Stderr, Stdout, drain
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
    """Calls `emit(kind, piece)` as output comes, `answer(outcome)` once when nothing of the hook is left, and `ended(lost)`
    when the slot is free again. Between the two only bubblewrap's own processes are left, about to die.

    `lost`: a sandbox made in advance died before it got to the job; nothing was answered, and the job can be started again.
    """

    def __init__(
        self,
        box: Box,
        order: Order,
        emit: Emit,
        answer: Callable[[Outcome], None],
        ended: Callable[[bool], None],
        *,
        started: float,
    ) -> None:
        self._box = box
        self._timeout = order.timeout
        self._answer = answer
        self._ended = ended
        self._answered = False
        self._lost = False
        self.started = started
        self._outcome: Outcome | None = None
        self._stdout = Stdout(lambda piece: emit(STDOUT, piece))
        self._stderr = Stderr(lambda piece: emit(STDERR, piece))
        box.user = self
        box.watch(box.stdout, lambda: self._on_output(box.stdout, self._stdout))
        box.watch(box.stderr, lambda: self._on_output(box.stderr, self._stderr))
        self.wakes = started + min(WATCH_SECONDS, order.timeout)

    def tick(self, now: float) -> None:
        """Look after time and memory; to be called once `wakes` is past."""
        deadline = self.started + self._timeout
        if now >= deadline:
            self.end({"status": "timeout", "message": f"The hook was still running after {self._timeout:g} s."})
        elif self._box.init:
            with self._box.slot.identity.assumed():
                passed = usage.exceeded(self._box.init, self._box.limits)
            if passed:
                self.end({"status": "exited", "signal": int(signal.SIGKILL), "message": passed})
        self.wakes = math.inf if self._outcome else min(now + WATCH_SECONDS, deadline)

    def end(self, outcome: Outcome) -> None:
        """Kill the sandbox and settle what is said of it. The first outcome stands."""
        if self._outcome:
            return
        self._lost = False
        self._outcome = outcome | {"duration_ms": (time.monotonic() - self.started) * 1000}
        if self._box.blanks:
            self._outcome["warm"] = True
        self.wakes = math.inf
        self._drain(self._box.stdout, self._stdout)
        self._drain(self._box.stderr, self._stderr)
        self._stderr.close()
        if self._stdout.over and "exit_code" in outcome:
            self._outcome |= TOO_LARGE
            del self._outcome["exit_code"]
        alone = "exit_code" in outcome and self._box.alone()
        self._box.kill()
        if alone:
            self._say()

    def _drain(self, fd: int, sink: Stdout | Stderr) -> None:
        """Read what is left, and no more: a child of the hook may hold the other end for ever."""
        if fd in self._box.open:
            drain(fd, sink, pieces=LAST_PIECES)
            self._box.close(fd)

    def _say(self) -> None:
        if not self._answered:
            self._answered = True
            self._answer(self._outcome or {})

    def _on_output(self, fd: int, sink: Stdout | Stderr) -> None:
        if not drain(fd, sink, pieces=LIVE_PIECES):
            self._box.close(fd)
        elif sink.over:
            self.end(TOO_LARGE)

    def on_limited(self) -> None:
        """The job goes through the gate by itself."""

    def on_exit(self, code: int) -> None:
        if not self._was_lost():
            self.end({"status": "exited", "exit_code": code})

    def on_end(self) -> None:
        if self._outcome or self._was_lost():
            return
        self._drain(self._box.stderr, self._stderr)
        self.end(remedies.explain(self._stderr.head.decode(errors="replace").strip()))

    def _was_lost(self) -> bool:
        """Whoever kills its init process has bubblewrap report an exit code too."""
        if (
            not self._lost
            and not self._outcome
            and self._box.blanks
            and not self._box.begun()
            and not self._stderr.head
        ):
            self._lost = True
            self._box.kill()
        return self._lost

    def on_dead(self) -> None:
        if not self._lost:
            self._say()
        self._ended(self._lost)
