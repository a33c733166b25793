"""What a sandbox without a job lacks, to be filled in once there is one."""

import os
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hooks.engine.sandbox import wire

PREFIX = "hook-slot-"
LEFT_AFTER = 60.0  # seconds: names are there for some ten milliseconds
CHUNK = 64 * 1024


@dataclass(slots=True)
class Blanks:
    """Descriptors of the runner. `script`: a file; None where it goes through the gate (spawn.py).

    `control` is the runner's end of the socket at which the interpreter waits; `names` are the files', until they are mounted.
    """

    stdin: int
    transcript: int
    script: int | None = None
    control: int | None = None
    names: tuple[Path, ...] = ()

    def descriptors(self) -> Iterator[int]:
        yield from (fd for fd in (self.stdin, self.transcript, self.script, self.control) if fd is not None)

    def unlink(self) -> None:
        for name in self.names:
            with suppress(OSError):
                name.unlink()
        self.names = ()

    def mounted(self) -> None:
        """Take the files' names away, and give them the mode that they have in every sandbox."""
        if self.script is not None:
            self.unlink()
            os.fchmod(self.transcript, 0o444)
            os.fchmod(self.script, 0o444)

    def fill(self, stdin: int, transcript: int, source: bytes) -> None:
        """Hand over a job's files. The positions of what the sandbox shares stay where they are: at the start."""
        _copy(stdin, self.stdin)
        wire.seal(self.stdin)
        _copy(transcript, self.transcript)
        if self.script is not None:
            _write(self.script, source, 0)


def named(directory: Path) -> Path:
    return directory / f"{PREFIX}{secrets.token_hex(16)}"


def new(name: Path) -> int:
    """Return a descriptor to write of a new file, which nobody else may open as long as it has a name."""
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o400)


def directory() -> Path:
    """Return where every user may make files, in memory if possible."""
    memory = Path("/dev/shm")  # noqa: S108
    return memory if os.access(memory, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def sweep(directory: Path) -> None:
    """Remove the names that a runner left behind which was killed while it built a sandbox."""
    for path in directory.glob(f"{PREFIX}*"):
        with suppress(OSError):
            found = path.lstat()
            if stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > LEFT_AFTER:
                path.unlink()


def _copy(source: int, target: int) -> None:
    at = 0
    while piece := os.pread(source, CHUNK, at):
        _write(target, piece, at)
        at += len(piece)


def _write(fd: int, content: bytes, at: int) -> None:
    view = memoryview(content)
    while view:
        written = os.pwrite(fd, view, at)
        view, at = view[written:], at + written
