"""The data directory: who owns it, who uses it, and what lies in it.

secret_key      signs sessions; readable by its owner only
portal.sqlite3  the database, unless DATABASE_URL names another
redis/          the append-only file of the private Redis
run/            unix sockets
logs/           one file per program
static/         collected static files
metrics/        what the processes of this start count
"""

import contextlib
import fcntl
import os
import pwd
import secrets
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from stack.steps import Problem

LONGEST_SOCKET_PATH = 100
WAIT_FOR_LOCK = 4.0


@dataclass(frozen=True)
class Data:
    path: Path
    run: Path
    lock: int


def become_owner(data: Path, root: Path) -> str | None:
    """Give up root for the owner of the data directory (of the checkout, while there is none yet); answers a note."""
    if os.geteuid() != 0:
        return None
    place = data if data.exists() else root
    found = place.stat()
    if found.st_uid == 0:
        return f"Running as root, who owns {place}. Safer: an ordinary user's checkout, or `chown -R USER {place}`."
    become(found.st_uid, found.st_gid)
    if not os.access(sys.executable, os.X_OK):
        raise Problem(
            f"The owner of {place} may not run {sys.executable}.",
            "Started by root, the portal runs as that user.",
            "Put a Python 3.11 or newer that all users may run (/usr/bin/python3) first on the PATH.",
        )
    return f"Started by root; runs as the owner of {place} (uid {found.st_uid})."


def become(uid: int, gid: int) -> None:
    try:
        account = pwd.getpwuid(uid)
        os.initgroups(account.pw_name, gid)
        os.environ |= {"HOME": account.pw_dir, "USER": account.pw_name, "LOGNAME": account.pw_name}
    except KeyError:
        os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def take(path: Path) -> Data:
    """Create what is missing, and refuse a directory that another instance uses."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = hold(path)
        shutil.rmtree(path / "metrics", ignore_errors=True)
        for name in ("redis", "logs", "static", "metrics"):
            (path / name).mkdir(mode=0o700, exist_ok=True)
        write_key(path / "secret_key")
        return Data(path, sockets(path), lock)
    except OSError as error:
        raise Problem(
            f"The data directory {path} cannot be used.",
            f"{error.strerror}: {error.filename}",
            "Choose another with --data, or give it to the user who runs bin/up.",
        ) from error


def hold(path: Path) -> int:
    """Lock the directory for as long as this process, or the Redis that inherits the descriptor, lives."""
    lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + WAIT_FOR_LOCK
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                pid = os.pread(lock, 20, 0).decode(errors="replace").strip()
                raise Problem(
                    "The portal is already running with this data directory.",
                    f"Process {pid} uses {path}.",
                    f"Stop it first (kill {pid}), or start a second instance with other --data and --port.",
                ) from None
            time.sleep(0.1)
    os.truncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    return lock


def write_key(path: Path) -> None:
    if path.exists() and path.stat().st_size:
        return
    draft = path.with_name("secret_key.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(48))
    draft.rename(path)


def sockets(path: Path) -> Path:
    """Answer a directory for sockets: run/, or, where its path is too long for one, what run/ points to."""
    run = path / "run"
    remove_sockets(run)
    if len(os.fsencode(run / "sandbox.sock")) > LONGEST_SOCKET_PATH:
        run.symlink_to(tempfile.mkdtemp(prefix="portal-"))
    run.mkdir(mode=0o700, exist_ok=True)
    return run.resolve()


def remove_sockets(run: Path) -> None:
    """Remove all sockets, those of an instance that was killed too."""
    target = run.resolve()
    if run.is_symlink():
        run.unlink()
        # Only what mkdtemp made: the link may have been changed by hand.
        if target.name.startswith("portal-") and target.is_dir() and target.stat().st_uid == os.getuid():
            shutil.rmtree(target, ignore_errors=True)
    for socket in run.glob("*.sock"):
        with contextlib.suppress(OSError):
            socket.unlink()
