"""Keeps .venv in step with a requirements file; a set-up that was interrupted starts over by itself."""

import contextlib
import fcntl
import hashlib
import os
import pwd
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from stack.children import run
from stack.steps import Problem, say


def ensure(root: Path, requirements: str = "requirements.txt") -> str:
    """Install what is missing; answers what was done, in a few words."""
    venv = root / ".venv"
    if stamped(venv, root / requirements):
        return "already installed"
    refuse_foreign(root, venv)
    with locked(root):
        if stamped(venv, root / requirements):
            return "installed by another start"
        say(f"  Installing the packages of {requirements} into .venv; the first time this may take a minute.")
        unfinished = venv / "unfinished"
        if unfinished.exists() or not sound(venv):
            build(venv)
        unfinished.touch()
        install(venv, root / requirements)
        stamp_file(venv, requirements).write_text(digest(venv, root / requirements))
        unfinished.unlink()
    return f"{requirements} installed in .venv"


def digest(venv: Path, requirements: Path) -> str:
    """Name the wanted packages and the interpreter, so that a change of either installs anew."""
    files = [requirements, requirements.with_name("requirements.txt"), venv / "pyvenv.cfg"]
    parts = [path.read_bytes() for path in files] + [os.fsencode((venv / "bin" / "python").resolve())]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def stamp_file(venv: Path, requirements: str) -> Path:
    return venv / f"{requirements}.installed"


def stamped(venv: Path, requirements: Path) -> bool:
    try:
        same = stamp_file(venv, requirements.name).read_text() == digest(venv, requirements)
    except OSError:
        return False
    return same and (venv / "bin" / "python").exists() and not (venv / "unfinished").exists()


def refuse_foreign(root: Path, venv: Path) -> None:
    place = venv if venv.exists() else root
    if not os.access(place, os.W_OK):
        with contextlib.suppress(KeyError):
            owner = pwd.getpwuid(place.stat().st_uid).pw_name
            raise Problem(
                "The packages cannot be installed.",
                f"{place} is not writable for you; it belongs to {owner}.",
                f"Clone the project into a directory of your own, or run bin/up once as {owner}.",
            )
        raise Problem(
            "The packages cannot be installed.",
            f"{place} is not writable for you.",
            "Clone the project into a directory of your own.",
        )


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """Let one set-up at a time touch .venv. The lock is on the directory itself, so it leaves no file."""
    handle = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def sound(venv: Path) -> bool:
    python = venv / "bin" / "python"
    return python.exists() and run([str(python), "-I", "-m", "pip", "--version"]).returncode == 0


def build(venv: Path) -> None:
    if venv.is_symlink() or venv.is_file():
        venv.unlink()
    elif venv.exists():
        shutil.rmtree(venv)
    venv.mkdir()
    (venv / "unfinished").touch()
    made = run([sys.executable, "-I", "-m", "venv", str(venv)])
    if made.returncode:
        raise Problem(
            "The virtual environment .venv could not be made.",
            made.tail(),
            "Debian and Ubuntu: apt install python3-venv. Then start again.",
        )


def install(venv: Path, requirements: Path) -> None:
    # Compiling all modules takes longer than copying them; each is compiled when it is first imported.
    command = [str(venv / "bin" / "python"), "-I", "-m", "pip", "install", "--quiet", "--no-input", "--no-compile"]
    done = run(
        [*command, "--disable-pip-version-check", "-r", str(requirements)], PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0"
    )
    if done.returncode:
        errors = [line for line in done.errors.splitlines() if line.startswith("ERROR: ")]
        raise Problem(
            f"The packages of {requirements.name} could not be installed.",
            "\n".join(errors) or done.tail(),
            "Check that this machine reaches PyPI (or the index that pip uses) and has disk space. Then start again.",
        )
