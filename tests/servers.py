"""Real servers for tests, each private to its run: on a unix socket in a temporary directory, gone with its starter.

`python -m tests.servers COMMAND …` runs a command with TEST_DATABASE_URL set to a new PostgreSQL cluster.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import psycopg

from stack import children, redis
from stack.options import ROOT

DEBIAN = Path("/usr/lib/postgresql")
TYPE = {
    "postgres": "No PostgreSQL server is installed. Type: apt-get install -y postgresql (or run bin/test --without postgres)",
    "chromium": "No Chromium is installed. Type: apt-get install -y chromium (or run bin/test --without browser)",
}


class Missing(Exception):
    """A server is not installed; the text has the command to type."""


@contextlib.contextmanager
def redis_server() -> Iterator[str]:
    """Run a Redis; give its URL."""
    with tempfile.TemporaryDirectory(prefix="portal-redis-", dir="/tmp") as directory:
        address, log = Path(directory, "redis.sock"), Path(directory, "log")
        command = redis.command(redis.find(ROOT / ".venv"), Path(directory), address)
        with ending(start(command, log, signal.SIGKILL), signal.SIGTERM):
            redis.wait(address, log)
            yield f"unix://{address}"


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """Run a PostgreSQL cluster as an unprivileged user; give the URL of a database in it."""
    programs, account = postgres_programs(), unprivileged()
    with tempfile.TemporaryDirectory(prefix="portal-postgres-", dir="/tmp") as directory:
        place, log = Path(directory), Path(directory, "log")
        if account:
            os.chown(place, account.pw_uid, account.pw_gid)
        made = start(
            [
                f"{programs}/initdb",
                "-D",
                f"{place}/data",
                "-U",
                "portal",
                "-A",
                "trust",
                "--no-sync",
                "-E",
                "UTF8",
                "--no-locale",
            ],
            log,
            signal.SIGKILL,
            account,
        )
        if made.wait():
            raise RuntimeError(log.read_text())
        settings = (
            "listen_addresses=",
            "fsync=off",
            "synchronous_commit=off",
            "full_page_writes=off",
            "max_connections=60",
        )
        command = [
            f"{programs}/postgres",
            "-D",
            f"{place}/data",
            "-k",
            str(place),
            *(word for one in settings for word in ("-c", one)),
        ]
        with ending(start(command, log, signal.SIGQUIT, account), signal.SIGINT):
            wait_for_postgres(place, log)
            yield f"postgres://portal@{quote(str(place), safe='')}/postgres"


def postgres_programs() -> Path:
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not versions:
        raise Missing(TYPE["postgres"])
    return versions[-1].parent


def unprivileged() -> pwd.struct_passwd | None:
    """Name whom PostgreSQL runs as when root runs the tests, since it refuses root."""
    if os.geteuid() != 0:
        return None
    names = {account.pw_name for account in pwd.getpwall()}
    return pwd.getpwnam("postgres" if "postgres" in names else "nobody")


def wait_for_postgres(place: Path, log: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(host=str(place), user="portal", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise RuntimeError(log.read_text()) from None
            time.sleep(0.05)


def start(
    command: Sequence[str], log: Path, death: signal.Signals, account: pwd.struct_passwd | None = None
) -> subprocess.Popen[bytes]:
    who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd=log.parent,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=children.follow_parent(death),
            **who,
        )


@contextlib.contextmanager
def ending(process: subprocess.Popen[bytes], sign: signal.Signals) -> Iterator[None]:
    try:
        yield
    finally:
        process.send_signal(sign)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


if __name__ == "__main__":
    try:
        with postgres_server() as url:
            sys.exit(subprocess.run(sys.argv[1:], env={**os.environ, "TEST_DATABASE_URL": url}).returncode)
    except Missing as missing:
        sys.exit(str(missing))
