"""The process that runs command hooks: `python -m hooks.engine.sandbox.runner --socket PATH`.

Standard library only, one thread. Ends on SIGTERM or SIGINT, and when the process that started it is gone; no sandbox
outlives it. Started by root it becomes a reserved user and keeps CAP_SETUID and CAP_SETGID alone (identity.py).
"""

import argparse
import os
import resource
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from hooks.engine.sandbox import blanks, cgroup, host, identity, kernel, prepared, reaper, slots, staging
from hooks.engine.sandbox.filters import load
from hooks.engine.sandbox.limits import Limits
from hooks.engine.sandbox.policy import HOME, Policy
from hooks.engine.sandbox.pool import Warm
from hooks.engine.sandbox.protocol import LANGUAGES, Language
from hooks.engine.sandbox.server import Server, Spawn
from hooks.engine.sandbox.spawn import Spawner

DEFAULTS = Limits()
CORES = os.cpu_count() or 1


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="runner", description="Runs command hooks in sandboxes for the portal.")
    parser.add_argument(
        "--socket", type=Path, required=True, help="unix socket to serve on; only this user and root may connect"
    )
    parser.add_argument(
        "--memory-mb", type=int, default=DEFAULTS.memory_mb, help="for a whole sandbox, and for each process"
    )
    parser.add_argument("--processes", type=int, default=DEFAULTS.processes, help="processes and threads in a sandbox")
    parser.add_argument("--tmp-mb", type=int, default=DEFAULTS.tmp_mb, help="size of a sandbox's /tmp")
    parser.add_argument("--slots", type=int, default=2 * CORES, help="hooks that run at a time")
    parser.add_argument(
        "--pool", type=int, default=min(4 * CORES + 2, 16), help="sandboxes made in advance, per language; 0: none"
    )
    parser.add_argument("--cgroup", type=Path, help="a delegated cgroup to enter; its memory.max is set for all slots")
    return parser.parse_args(argv)


def listen(path: Path) -> socket.socket:
    """Return the socket to accept on. A socket file that nobody serves any more is replaced."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with suppress(ConnectionRefusedError, FileNotFoundError):
        sock.connect(str(path))
        sock.close()
        raise SystemExit(f"another runner serves {path}")
    path.unlink(missing_ok=True)
    before = os.umask(0o177)
    sock.bind(str(path))
    os.umask(before)
    sock.listen(1024)
    sock.setblocking(False)
    return sock


def prepare(options: argparse.Namespace, limits: Limits) -> tuple[Spawn, Warm | None, list[slots.Slot]]:
    """Do what needs privilege, and give privilege up. Where the machine lacks something, every job is told so."""
    count = options.slots + options.pool * len(LANGUAGES)
    try:
        found = staging.staged(host.find()) if os.getuid() == 0 else host.find()
        seccomp = load.program()
        cgroup.enter(options.cgroup, count, limits)
        blanks.sweep(blanks.directory())
        identities = identity.settle(count)
    except host.Missing as missing:
        return refusal(missing), None, slots.make([identity.Identity()], reaper.Table(1))
    table = reaper.Table(count)
    reaper.start(table, identities)
    preparation = prepared.place(found.python, HOME) if options.pool else None
    spawner = Spawner(found.bwrap, Policy(found, limits), seccomp, preparation)
    return spawner, spawner.warm if options.pool else None, slots.make(identities, table)


def refusal(missing: host.Missing) -> Spawn:
    def refuse(_language: Language, _stdin: int, _transcript: int, _live: bool) -> NoReturn:
        raise missing

    return refuse


def serve(options: argparse.Namespace, ended: Callable[[], bool]) -> None:
    """Serve until `ended`, and leave no sandbox and no socket behind."""
    limits = Limits(memory_mb=options.memory_mb, processes=options.processes, tmp_mb=options.tmp_mb)
    allowed = {0, os.getuid()}
    listener = listen(options.socket)
    spawn, warm, places = prepare(options, limits)
    try:
        Server(
            listener, spawn, places, limits, allowed=allowed, at_once=options.slots, warm=warm, pool=options.pool
        ).serve(ended)
    finally:
        listener.close()
        with suppress(OSError):  # the directory is its starter's, not the reserved user's
            options.socket.unlink()


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(argv)
    parent = os.getppid()
    asked: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _frame: asked.append(number))
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    serve(options, lambda: bool(asked) or os.getppid() != parent)


if __name__ == "__main__":
    main()
