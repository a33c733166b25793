"""Start bubblewrap for one job.

The script is handed over through a pipe, and only once the sandbox's init has its limits and the reaper knows of it. It is
the last thing that bubblewrap copies in: should the runner be killed before, the pipe ends and an empty script runs.
"""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from hooks.engine.sandbox.policy import Descriptors, Policy
from hooks.engine.sandbox.protocol import Language

_DEFAULT_SIGNALS = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores them, and ignoring is inherited


@dataclass(slots=True)
class Spawned:
    """bubblewrap's process id, and the runner's ends of four pipes."""

    pid: int
    status: int
    script: int
    stdout: int
    stderr: int


class Spawner:
    def __init__(self, bwrap: Path, policy: Policy, seccomp: bytes) -> None:
        self._bwrap = str(bwrap)
        self._policy = policy
        self._seccomp = seccomp

    def __call__(self, language: Language, stdin: int, transcript: int) -> Spawned:
        """Start it, without any privilege beyond the caller's user. Raises OSError."""
        opened: list[int] = []
        kept: tuple[int, ...] = ()
        try:
            status, report = _pipe(opened)
            given, script = _pipe(opened)
            stdout, out = _pipe(opened)
            stderr, err = _pipe(opened)
            seccomp = _file(opened, self._seccomp)
            fds = Descriptors(report, status, seccomp, transcript, given)
            arguments = _file(opened, self._policy.arguments(language, fds))
            command = [self._bwrap, "--args", str(arguments), *self._policy.command(language)]
            pid = _exec(command, (stdin, out, err), (report, status, seccomp, transcript, given, arguments))
            kept = (status, script, stdout, stderr)
        finally:
            for fd in opened:
                if fd not in kept:
                    os.close(fd)
        for fd in kept:
            os.set_blocking(fd, False)
        return Spawned(pid, *kept)


def _pipe(opened: list[int]) -> tuple[int, int]:
    """Return the ends to read and to write."""
    ends = os.pipe2(os.O_CLOEXEC)
    opened.extend(ends)
    return ends


def _file(opened: list[int], content: bytes) -> int:
    """Return a file in memory: each process has to read it from its start, whatever others read meanwhile."""
    fd = os.memfd_create("sandbox", os.MFD_CLOEXEC)
    opened.append(fd)
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
