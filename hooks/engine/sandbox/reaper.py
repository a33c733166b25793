"""Kill every sandbox when the runner dies, however it dies.

`--die-with-parent` has a gap of a millisecond or two while bubblewrap builds a sandbox. The reaper is a fork of the runner
that waits for a pipe's end, which the kernel brings about; the init process of each sandbox stands in memory they share.
"""

import mmap
import os
import signal
import struct
from contextlib import suppress

from hooks.engine.sandbox.identity import Identity

_PID = struct.Struct("i")


class Table:
    """The process id of each slot's init, 0 for none. Shared with processes forked later."""

    def __init__(self, slots: int) -> None:
        self._memory = mmap.mmap(-1, slots * _PID.size)

    def __setitem__(self, slot: int, pid: int) -> None:
        _PID.pack_into(self._memory, slot * _PID.size, pid)

    def __iter__(self) -> "map[int]":
        return map(int, (pid for (pid,) in _PID.iter_unpack(self._memory[:])))


def kill_at_end(alive: int, table: Table, identities: list[Identity]) -> None:
    """Wait for the end of the pipe `alive`, then kill what stands in the table."""
    os.read(alive, 1)
    for pid, identity in zip(table, identities, strict=True):
        if pid:
            with identity.assumed(), suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def start(table: Table, identities: list[Identity]) -> int:
    """Fork the reaper; the pipe that it watches stays open in this process. Return the reaper's process id."""
    alive, ours = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:  # pragma: no branch
        _live(alive, ours, table, identities)
    os.close(alive)
    return pid


def _live(alive: int, ours: int, table: Table, identities: list[Identity]) -> None:
    os.close(ours)
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    kill_at_end(alive, table, identities)
    os._exit(0)
