"""A real runner, and a server in this process."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hooks.engine.sandbox import host, prepared, slots
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.filters import load
from hooks.engine.sandbox.identity import Identity
from hooks.engine.sandbox.limits import Limits
from hooks.engine.sandbox.policy import HOME, Policy
from hooks.engine.sandbox.pool import Warm
from hooks.engine.sandbox.reaper import Table
from hooks.engine.sandbox.runner import listen
from hooks.engine.sandbox.server import Server, Spawn
from hooks.engine.sandbox.spawn import Spawner
from tests.sandbox_fixture import sandbox, short_directory

__all__ = ["sandbox"]


class InProcess(RunnerSandbox):
    """A sandbox whose runner is a thread of this process; `server` and `path` are there to be looked into."""

    server: Server
    path: Path


@contextmanager
def served(
    *,
    spawn: Spawn | None = None,
    places: int = 2,
    limits: Limits | None = None,
    allowed: set[int] | None = None,
    pool: int = 0,
    warm: Warm | None = None,
) -> Iterator[InProcess]:
    limits = limits or Limits()
    found = host.find()
    spawner = Spawner(
        found.bwrap, Policy(found, limits), load.program(), prepared.place(found.python, HOME) if pool else None
    )
    count = places + 2 * pool
    stop = threading.Event()
    with short_directory() as directory:
        listener: socket.socket = listen(directory / "s")
        server = Server(
            listener,
            spawn or spawner,
            slots.make([Identity()] * count, Table(count)),
            limits,
            allowed=allowed or {os.getuid()},
            at_once=places,
            warm=warm or spawner.warm,
            pool=pool,
        )
        thread = threading.Thread(target=server.serve, args=(stop.is_set,))
        thread.start()
        try:
            sandbox = InProcess(directory / "s")
            sandbox.server, sandbox.path = server, directory / "s"
            yield sandbox
        finally:
            stop.set()
            thread.join(10)
            listener.close()
            assert not thread.is_alive()


@pytest.fixture
def boxed() -> Iterator[InProcess]:
    with served() as sandbox:
        yield sandbox
