"""How much memory the processes of one sandbox hold, read from /proc of the host."""

import os
from collections.abc import Iterator

from hooks.engine.sandbox.limits import MIB, SOCKET_BYTES, Limits

CHUNK = 64 * 1024


def exceeded(init: int, limits: Limits, proc: str = "/proc") -> str:
    """Return which bound the sandbox with the init process `init` has passed, as a sentence; empty while it keeps to all.

    A cheap count comes first, which takes pages that processes share for as many as share them; only where that is over the
    bound is the exact one taken.
    """
    tmp_bytes, inodes = _tmp(f"{proc}/{init}/root/tmp", limits.tmp_mb * MIB)
    if inodes > limits.tmp_inodes:
        return f"More than {limits.tmp_inodes} files in /tmp: the hook was stopped."
    pids = list(tree(init, proc))
    bound = limits.memory_mb * MIB - tmp_bytes - _sockets(f"{proc}/{init}/net/sockstat")
    if sum(_resident(f"{proc}/{pid}/status") for pid in pids) <= bound:
        return ""
    if sum(_proportional(f"{proc}/{pid}/smaps_rollup") for pid in pids) <= bound:
        return ""
    return f"More than {limits.memory_mb} MB of memory in all, files in /tmp included: the hook was stopped."


def held(init: int, proc: str = "/proc") -> int:
    """Return the bytes that the processes of a sandbox hold for themselves."""
    return sum(_resident(f"{proc}/{pid}/status") for pid in tree(init, proc))


def tree(pid: int, proc: str = "/proc") -> Iterator[int]:
    """Yield `pid` and every process below it. What ends meanwhile is left out."""
    yield pid
    for child in children(pid, proc):
        yield from tree(child, proc)


def children(pid: int, proc: str = "/proc") -> list[int]:
    try:
        threads = os.listdir(f"{proc}/{pid}/task")  # noqa: PTH208  half the time of Path.iterdir, ten times a second
    except OSError:
        return []
    return [int(word) for thread in threads for word in _text(f"{proc}/{pid}/task/{thread}/children").split()]


def _tmp(path: str, size: int) -> tuple[int, int]:
    """Return bytes and inodes in use in the sandbox's /tmp, which is known by its size.

    Until the sandbox is built that path leads to the machine's /tmp, and once it is gone nowhere.
    """
    try:
        found = os.statvfs(path)
    except OSError:
        return 0, 0
    if found.f_blocks * found.f_frsize != size:
        return 0, 0
    return (found.f_blocks - found.f_bfree) * found.f_frsize, found.f_files - found.f_ffree


def _resident(path: str) -> int:
    """Bytes that are neither a file's nor untouched."""
    return _kilobytes(path, ("RssAnon:", "RssShmem:"))


def _proportional(path: str) -> int:
    return _kilobytes(path, ("Pss_Anon:", "Pss_Shmem:"))


def _sockets(path: str) -> int:
    """Return what the buffers of all sockets can hold, since no process is charged for what lies in them."""
    first = _text(path).split("\n", 1)[0].split()
    return int(first[2]) * SOCKET_BYTES if len(first) == 3 else 0


def _kilobytes(path: str, names: tuple[str, ...]) -> int:
    lines = (line.split() for line in _text(path).splitlines() if line.startswith(names))
    return sum(int(words[1]) for words in lines) * 1024


def _text(path: str) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # a third of what Path.read_text asks of the kernel
        try:
            pieces = []
            while piece := os.read(fd, CHUNK):
                pieces.append(piece)
        finally:
            os.close(fd)
    except OSError:
        return ""
    return b"".join(pieces).decode(errors="replace")
