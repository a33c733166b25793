"""The web server's socket, opened before anything else starts, so that a taken port is told at once."""

import contextlib
import errno
import socket
from pathlib import Path

from stack.steps import Problem

LOCAL = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


def bind(host: str, port: int) -> socket.socket:
    """Listen here, so that who connects while the web server starts, or starts again, waits and is not refused."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise Problem(
            f"{host} is not an address.", str(error), "Give an address of this machine with --host."
        ) from error
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(256)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise taken(port) from error
        raise Problem(
            f"{host}:{port} cannot be used.", str(error.strerror), "Choose another with --host and --port."
        ) from error
    return listener


def taken(port: int) -> Problem:
    who = holder(port)
    remedy = f"Choose another port (bin/up --port {port + 1})" + (
        f", or stop that process (kill {who[0]})." if who else ", or stop what uses it."
    )
    return Problem(
        f"Port {port} is taken.",
        f"Process {who[0]} ({who[1]}) listens on it." if who else "Another user's process listens on it.",
        remedy,
    )


def holder(port: int) -> tuple[int, str] | None:
    """Find the process that listens on a port, among those that this user may look into."""
    inodes = listening(port)
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with contextlib.suppress(OSError):
            if any(target(handle) in inodes for handle in (entry / "fd").iterdir()):
                return int(entry.name), (entry / "comm").read_text().strip()
    return None


def target(handle: Path) -> str | None:
    try:
        return str(handle.readlink())
    except OSError:  # closed since
        return None


def listening(port: int) -> set[str]:
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(f"socket:[{fields[9]}]")
    return found
