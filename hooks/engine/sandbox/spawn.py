"""Start bubblewrap, for one job or ahead of one.

What goes through the pipe called gate is among the last that bubblewrap copies in, and is handed over only once the
sandbox's init has its limits and the reaper knows of it. Should the runner be killed before, the pipe ends, and what runs is
empty.
"""

import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hooks.engine.sandbox import blanks, prepared, wire
from hooks.engine.sandbox.blanks import Blanks
from hooks.engine.sandbox.policy import Descriptors, Policy
from hooks.engine.sandbox.protocol import Language

_DEFAULT_SIGNALS = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores them, and ignoring is inherited


@dataclass(slots=True)
class Spawned:
    """bubblewrap's process id, and the runner's ends of four pipes. `first`: what opens the gate, where that is no job."""

    pid: int
    status: int
    gate: int
    stdout: int
    stderr: int
    first: bytes | None = None
    blanks: Blanks | None = None


class Spawner:
    """`preparation`: where the interpreter looks for what it runs first (prepared.py); None: Python waits as bash does."""

    def __init__(self, bwrap: Path, policy: Policy, seccomp: bytes, preparation: Path | None = None) -> None:
        self._bwrap = str(bwrap)
        self._policy = policy
        self._seccomp = seccomp
        self._preparation = preparation

    def __call__(self, language: Language, stdin: int, transcript: int, live: bool = False) -> Spawned:
        """Start it, without any privilege beyond the caller's user. Raises OSError."""
        with _Opened() as opened:
            return self._start(opened, language, stdin, transcript, live=live)

    def warm(self, language: Language) -> Spawned:
        """Start one without a job. It waits at the gate; Python goes on to where it looks for its script. Raises OSError."""
        with _Opened() as opened:
            if language == "python" and self._preparation is not None:
                spawned, lacks = self._python(opened, self._preparation)
            else:
                lacks = Blanks(opened.one(wire.blank()), opened.one(wire.blank()))
                spawned = self._start(opened, language, lacks.stdin, lacks.transcript)
            opened.keep(*lacks.descriptors())
            spawned.blanks = lacks
            return spawned

    def _python(self, opened: "_Opened", preparation: Path) -> tuple[Spawned, Blanks]:
        control, end = (opened.one(sock.detach()) for sock in socket.socketpair())
        os.set_blocking(control, False)
        place = blanks.directory()
        script, transcript = names = blanks.named(place), blanks.named(place)
        lacks = Blanks(opened.one(wire.blank()), -1, control=control, names=names)

        def arguments(fds: Descriptors) -> bytes:
            return self._policy.waiting(fds, script, transcript, preparation)

        try:
            lacks.script, lacks.transcript = opened.one(blanks.new(script)), opened.one(blanks.new(transcript))
            spawned = self._start(opened, "python", lacks.stdin, end, arguments)
        except OSError:
            lacks.unlink()
            raise
        spawned.first = prepared.source(end)
        return spawned, lacks

    def _start(
        self,
        opened: "_Opened",
        language: Language,
        stdin: int,
        more: int,
        arguments: Callable[[Descriptors], bytes] | None = None,
        *,
        live: bool = False,
    ) -> Spawned:
        """`more`: the descriptor that is inherited besides, the transcript's unless `arguments` say otherwise."""
        status, report = opened.pipe()
        given, gate = opened.pipe()
        stdout, out = opened.pipe()
        stderr, err = opened.pipe()
        fds = Descriptors(report, status, opened.file(self._seccomp), more, given)
        read = opened.file(arguments(fds) if arguments else self._policy.arguments(language, fds))
        command = [self._bwrap, "--args", str(read), *self._policy.command(language, live)]
        pid = _exec(command, (stdin, out, err), (report, status, fds.seccomp, more, given, read))
        ours = (status, gate, stdout, stderr)
        opened.keep(*ours)
        for fd in ours:
            os.set_blocking(fd, False)
        return Spawned(pid, *ours)


class _Opened:
    """Descriptors that are closed at the end of the block, but for those to keep; all of them when it fails."""

    def __init__(self) -> None:
        self._opened: list[int] = []
        self._kept: set[int] = set()

    def __enter__(self) -> "_Opened":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for fd in self._opened:
            if kind is not None or fd not in self._kept:
                os.close(fd)

    def one(self, fd: int) -> int:
        self._opened.append(fd)
        return fd

    def keep(self, *fds: int) -> None:
        self._kept.update(fds)

    def pipe(self) -> tuple[int, int]:
        """Return the ends to read and to write."""
        ends = os.pipe2(os.O_CLOEXEC)
        self._opened.extend(ends)
        return ends

    def file(self, content: bytes) -> int:
        """Return a file in memory: each process has to read it from its start, whatever others read meanwhile."""
        fd = self.one(os.memfd_create("sandbox", os.MFD_CLOEXEC))
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        return fd


def _exec(command: list[str], standard: tuple[int, int, int], inherited: tuple[int, ...]) -> int:
    # Duplicating a descriptor onto itself is how posix_spawn is told not to close it on exec.
    actions = [(os.POSIX_SPAWN_DUP2, fd, fd) for fd in inherited]
    actions += [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(standard)]
    # An empty environment for bubblewrap itself, not only for the hook: /proc/PID/environ shows the first one.
    return os.posix_spawn(
        command[0], command, {}, file_actions=actions, setsid=True, setsigmask=[], setsigdef=_DEFAULT_SIGNALS
    )
