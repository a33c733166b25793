"""Read what a hook prints, within bounds."""

import os
from collections.abc import Callable

from hooks.engine.sandbox.protocol import STDERR_KEPT, STDOUT_LIMIT

CHUNK = 64 * 1024
LIVE_PIECES = 4  # before the turn is another sandbox's
LAST_PIECES = 18  # a full pipe of the largest size, and a little more
MARK = b"\n[... %d bytes left out ...]\n"
MARK_ROOM = 64


class Stdout:
    """Passes on the first STDOUT_LIMIT bytes; `over` is set by the byte after them."""

    def __init__(self, emit: Callable[[bytes], None]) -> None:
        self._emit = emit
        self._left = STDOUT_LIMIT
        self.over = False

    def feed(self, piece: bytes) -> None:
        self.over = len(piece) > self._left
        if kept := piece[: self._left]:
            self._emit(kept)
        self._left -= len(kept)

    def close(self) -> None:
        """Nothing was held back."""


class Stderr:
    """Passes on the first half of STDERR_KEPT at once; keeps the end of what follows for `close`."""

    over = False

    def __init__(self, emit: Callable[[bytes], None]) -> None:
        self._emit = emit
        self._left = STDERR_KEPT // 2
        self.head = b""
        self._tail = b""
        self._left_out = 0

    def feed(self, piece: bytes) -> None:
        if kept := piece[: self._left]:
            self.head += kept
            self._emit(kept)
        self._left -= len(kept)
        tail = self._tail + piece[len(kept) :]
        # Room for the mark is only needed once something is left out, but a tail of one size is simpler.
        over = max(0, len(tail) - (STDERR_KEPT // 2 - MARK_ROOM))
        self._left_out += over
        self._tail = tail[over:]

    def close(self) -> None:
        if self._left_out:
            self._emit(MARK % self._left_out)
        if self._tail:
            self._emit(self._tail)


def drain(fd: int, sink: Stdout | Stderr, *, pieces: int) -> bool:
    """Feed what there is to read, at most `pieces` times CHUNK. Return False at the end of the file."""
    for _ in range(pieces):
        try:
            piece = os.read(fd, CHUNK)
        except BlockingIOError:
            return True
        if not piece:
            return False
        sink.feed(piece)
        if sink.over:
            return True
    return True
