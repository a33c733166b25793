"""Kill every sandbox when the runner dies, however it dies.

`--die-with-parent` has gaps while bubblewrap builds a sandbox: its child may be left waiting for a parent that is gone. The
reaper is a fork of the runner that waits for a pipe's end, which the kernel brings about. Each sandbox is a session of its
own, and memory that runner and reaper share says which: its init stays in it, and whatever else it holds dies with the init.
"""

import mmap
import os
import signal
import struct
import time
from contextlib import suppress
from pathlib import Path

from hooks.engine.sandbox.identity import Identity

_PID = struct.Struct("i")
ROUNDS = 5  # of looking for what was being started while the last round looked
PAUSE_SECONDS = 0.02


class Table:
    """The session of each slot, 0 for none. Shared with processes forked later."""

    def __init__(self, slots: int) -> None:
        self._memory = mmap.mmap(-1, slots * _PID.size)

    def __setitem__(self, slot: int, session: int) -> None:
        _PID.pack_into(self._memory, slot * _PID.size, session)

    def sessions(self) -> list[int]:
        return [session for (session,) in _PID.iter_unpack(self._memory[:])]


def members(session: int) -> list[int]:
    """Return the processes of a session, as the machine numbers them."""
    return by_session().get(session, [])


def by_session() -> dict[int, list[int]]:
    """Look at every process of the machine, once for all sessions."""
    found: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name, in brackets, may hold anything; the session is the fourth field after it.
            session = int(stat.read_text().rpartition(")")[2].split()[3])
            found.setdefault(session, []).append(int(stat.parent.name))
    return found


def kill_at_end(alive: int, table: Table, identities: list[Identity]) -> None:
    """Wait for the end of the pipe `alive`, then kill what the table names."""
    os.read(alive, 1)
    for _ in range(ROUNDS):
        found = by_session()
        for session, identity in zip(table.sessions(), identities, strict=True):
            if session:
                with identity.assumed():
                    _kill(found.get(session, []))
        time.sleep(PAUSE_SECONDS)


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def start(table: Table, identities: list[Identity]) -> int:
    """Fork the reaper; the pipe that it watches stays open in this process. Return the reaper's process id."""
    alive, _kept_open = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        _live(alive, table, identities)
    os.close(alive)
    return pid


def _live(alive: int, table: Table, identities: list[Identity]) -> None:
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # The pipe's other end above all; and the socket, at which clients would wait for a runner that is gone.
    os.dup2(alive, 0)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    kill_at_end(0, table, identities)
    os._exit(0)
