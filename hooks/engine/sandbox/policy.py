"""The arguments that make bubblewrap build a hook's world."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hooks.engine.sandbox.host import EXTRA, PATH, Host
from hooks.engine.sandbox.limits import MIB, Limits
from hooks.engine.sandbox.protocol import Language

SCRIPT = "/hook/script"
HOME = "/tmp"  # noqa: S108
TRANSCRIPT = "/mnt/data/hook_transcript.txt"
DEVICES = ("null", "zero", "full", "random", "urandom")
DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
}
HIDDEN_FILES = ("/proc/cmdline", "/proc/kallsyms", "/proc/keys")
# /proc/1 is bubblewrap's init, which runs without the filter: whoever could write its memory would be rid of the filter.
HIDDEN_DIRECTORIES = ("/usr/local", "/usr/src", "/proc/1")
TOP_LEVEL = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


@dataclass(frozen=True, slots=True)
class Descriptors:
    """What bubblewrap inherits: the pipe to which it reports, the filter, and the two files it copies into the sandbox."""

    status: int
    status_end: int
    seccomp: int
    transcript: int
    script: int


class Policy:
    """All arguments but the descriptors' numbers are the same for every job, and worked out once."""

    def __init__(self, host: Host, limits: Limits) -> None:
        self._fixed = _joined([*_namespaces(), *_environment(host), *_files(host, limits)])
        self._commands: dict[Language, list[str]] = {
            "bash": [str(host.bash), "--noprofile", "--norc", SCRIPT],
            "python": [str(host.python), "-B", SCRIPT],
        }
        self._live = {**self._commands, "python": [str(host.python), "-B", "-u", SCRIPT]}

    def arguments(self, language: Language, fds: Descriptors) -> bytes:
        """Return them as `--args` reads them: each ended by NUL."""
        # The two files come last, when all else is built, and the script first, whose pipe holds bubblewrap up: see spawn.py.
        given = ["--perms", "0444", "--file", f"{fds.script}", SCRIPT]
        given += ["--perms", "0444", "--file", f"{fds.transcript}", TRANSCRIPT]
        return self._fixed + _joined([*_descriptors(fds), *given, "--remount-ro", "/"])

    def waiting(self, fds: Descriptors, script: Path, transcript: Path, preparation: Path) -> bytes:
        """Return the arguments of a sandbox whose interpreter starts before its job is known.

        The two files are the runner's, who can write them; inside they are read-only. `preparation`: where to put what the
        interpreter runs first (prepared.py), which comes through the script's pipe.
        """
        given = ["--ro-bind", str(script), SCRIPT, "--ro-bind", str(transcript), TRANSCRIPT]
        given += ["--perms", "0444", "--file", f"{fds.script}", str(preparation)]
        return self._fixed + _joined([*_descriptors(fds), *given, "--remount-ro", "/"])

    def command(self, language: Language, live: bool = False) -> list[str]:
        """`live`: what it prints goes out at once."""
        return (self._live if live else self._commands)[language]


def _descriptors(fds: Descriptors) -> Iterator[str]:
    yield from ("--json-status-fd", f"{fds.status}", "--seccomp", f"{fds.seccomp}")
    # bubblewrap holds the pipe's other end too. Without a reader its report would kill it, were the runner gone by then,
    # and its child would wait for it for ever.
    yield from ("--sync-fd", f"{fds.status_end}")


def _joined(arguments: list[str]) -> bytes:
    return b"".join(argument.encode() + b"\0" for argument in arguments)


def _namespaces() -> Iterator[str]:
    yield from ("--unshare-all", "--die-with-parent", "--hostname", "sandbox", "--uid", "1000", "--gid", "1000")


def _environment(host: Host) -> Iterator[str]:
    variables = {"PATH": f"{PATH}:{EXTRA}" if host.extra else PATH, "HOME": HOME, "LANG": "C.UTF-8"}
    for name, value in (variables | {"PYTHONUTF8": "1", "TZ": "UTC"}).items():
        yield from ("--setenv", name, value)


def _files(host: Host, limits: Limits) -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in TOP_LEVEL:
        top = Path("/", name)
        if top.is_symlink():
            yield from ("--symlink", str(top.readlink()), str(top))
        elif top.is_dir():
            yield from ("--ro-bind", str(top), str(top))
    yield from _alternatives()
    yield from ("--proc", "/proc")
    for name in DEVICES:
        yield from ("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    for name, target in DEVICE_LINKS.items():
        yield from ("--symlink", target, f"/dev/{name}")
    yield from ("--symlink", "/tmp", "/dev/shm")  # noqa: S108
    for path in HIDDEN_FILES:
        if Path(path).exists():
            yield from ("--ro-bind", "/dev/null", path)
    hidden = [path for path in HIDDEN_DIRECTORIES if Path(path).is_dir()]
    for path in hidden:
        yield from ("--size", "4096", "--tmpfs", path)
    for bound in host.bound:
        yield from ("--ro-bind", str(bound), str(bound))
    for name, program in host.extra:
        # A link to what is bound already: an interpreter finds its library from where it really is.
        yield from ("--symlink" if program in host.bound else "--ro-bind", str(program), f"{EXTRA}/{name}")
    for path in hidden:
        # Read-only only now, since what is bound beneath needs its mount point made first.
        yield from ("--remount-ro", path)
    yield from ("--perms", "1777", "--size", str(limits.tmp_mb * MIB), "--tmpfs", "/tmp", "--chdir", "/tmp")  # noqa: S108


def _alternatives() -> Iterator[str]:
    """Debian's awk is a link into /etc/alternatives, which the sandbox does not see: make that one link."""
    awk = Path("/usr/bin/awk")
    if awk.is_symlink() and (target := awk.readlink()).is_relative_to("/etc"):
        yield from ("--symlink", os.path.realpath(awk), str(target))
