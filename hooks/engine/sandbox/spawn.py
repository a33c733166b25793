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
        pipes: list[tuple[int, int]] = []
        inherited: list[int] = []
        try:
            for _ in range(4):
                pipes.append(os.pipe2(os.O_CLOEXEC))
            (status, theirs_status), (theirs_script, script), (stdout, theirs_out), (stderr, theirs_err) = pipes
            inherited += [theirs_status, self._filled(self._seccomp), theirs_script, theirs_out, theirs_err]
            fds = Descriptors(status=theirs_status, seccomp=inherited[1], transcript=transcript, script=theirs_script)
            inherited.append(self._filled(self._policy.arguments(language, fds)))
            pid = self._exec(language, stdin, theirs_out, theirs_err, [*inherited[:3], transcript, inherited[5]])
        except OSError:
            for fd in {fd for pipe in pipes for fd in pipe} | set(inherited):
                os.close(fd)
            raise
        for fd in inherited:
            os.close(fd)
        for fd in (status, script, stdout, stderr):
            os.set_blocking(fd, False)
        return Spawned(pid, status, script, stdout, stderr)

    def _exec(self, language: Language, stdin: int, stdout: int, stderr: int, kept: list[int]) -> int:
        command = [self._bwrap, "--args", str(kept[-1]), *self._policy.command(language)]
        # Duplicating a descriptor onto itself is how posix_spawn is told not to close it on exec.
        actions = [(os.POSIX_SPAWN_DUP2, fd, fd) for fd in kept]
        actions += [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate((stdin, stdout, stderr))]
        # An empty environment for bubblewrap itself, not only for the hook: /proc/PID/environ shows the first one.
        return os.posix_spawn(
            self._bwrap, command, {}, file_actions=actions, setsid=True, setsigmask=[], setsigdef=_DEFAULT_SIGNALS
        )

    @staticmethod
    def _filled(content: bytes) -> int:
        """Return a file in memory, since it has to be read from its start by one process while others read theirs."""
        fd = os.memfd_create("sandbox", os.MFD_CLOEXEC)
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        return fd
