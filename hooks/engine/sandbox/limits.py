"""The bounds of one sandbox."""

import math
import resource
from dataclasses import dataclass

MIB = 1024 * 1024
QUEUE_SECONDS = 30.0
WATCH_SECONDS = 0.1
LONGEST_SECONDS = 300.0  # that a hook may ask for
SOCKET_BYTES = 212_992  # the kernel's default for a socket's buffer, which a full socket holds in kernel memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`memory_mb` bounds each process's address space and, with what lies in `/tmp`, the whole sandbox."""

    memory_mb: int = 512
    processes: int = 64
    tmp_mb: int = 64
    tmp_inodes: int = 20_000
    descriptors: int = 128

    def rlimits(self, timeout: float) -> list[tuple[int, int]]:
        """Return what is set on the sandbox's init before the hook starts, soft and hard alike.

        Processes are counted within the sandbox's user namespace, so the limit can only be set there.
        """
        return [
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_AS, self.memory_mb * MIB),
            *self.time(timeout),
            (resource.RLIMIT_FSIZE, self.tmp_mb * MIB),
            (resource.RLIMIT_NOFILE, self.descriptors),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_MEMLOCK, 0),
            (resource.RLIMIT_MSGQUEUE, 0),
            (resource.RLIMIT_SIGPENDING, 1024),
        ]

    def time(self, timeout: float) -> list[tuple[int, int]]:
        """Return the one of them that depends on the job: seconds of processor time of each process."""
        return [(resource.RLIMIT_CPU, math.ceil(timeout) + 1)]
