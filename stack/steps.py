"""What the person at the terminal reads: a line per step with its time, and problems with their remedy."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

WIDTH = 64


class Problem(Exception):
    """A step failed: what failed, why, and what to do about it."""

    def __init__(self, what: str, why: str, remedy: str) -> None:
        super().__init__(what)
        self.what, self.why, self.remedy = what, why, remedy

    def __str__(self) -> str:
        return f"{self.what}\n  why:  {indent(self.why)}\n  do:   {indent(self.remedy)}"


def indent(text: str) -> str:
    return text.strip().replace("\n", "\n        ")


def say(text: str, end: str = "\n") -> None:
    # A reader that went away (`bin/up | head`) must not stop the portal.
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(text + end)
        sys.stdout.flush()


@contextlib.contextmanager
def step(name: str) -> Iterator[Callable[[str], None]]:
    """Print one line when the block is done; the block says what it did by calling what it is given."""
    start = time.monotonic()
    told: list[str] = []
    live = sys.stdout.isatty()
    if live:
        say(f"  {name:<10} …", end="")
    try:
        yield told.append
    except BaseException:
        if live:
            say("")
        raise
    if live:
        say("\r", end="")
    say(f"  {name:<10} {' '.join(told):<{WIDTH}} {time.monotonic() - start:6.2f} s")
