"""The database and the static files, made ready; skipped where nothing has changed since the last start."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from stack import children
from stack.data import Data
from stack.options import ROOT
from stack.programs import PYTHON, shared
from stack.steps import Problem, step

WATCHED = ("requirements.txt", "manage.py", "portal", "hooks", "agents", "static")


class Prepared:
    """What was prepared last time, as a digest in the data directory."""

    def __init__(self, data: Data, demo: bool) -> None:
        self.data, self.demo = data, demo
        self.stamp = data.path / "prepared"

    def still_good(self) -> bool:
        # Another server's database may have been emptied since; one of ours has its file.
        if os.environ.get("DATABASE_URL") or not (self.data.path / "portal.sqlite3").exists():
            return False
        return (
            self.stamp.exists()
            and self.stamp.read_text() == self.digest()
            and any((self.data.path / "static").iterdir())
        )

    def remember(self) -> None:
        self.stamp.write_text(self.digest())

    def digest(self) -> str:
        known = [str(self.demo), *(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in sources())]
        return hashlib.sha256("\n".join(known).encode()).hexdigest()


def sources() -> Iterator[Path]:
    for name in WATCHED:
        place = ROOT / name
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        yield from (path for path in found if path.is_file() and path.suffix != ".pyc")


def begin(data: Data, *arguments: str) -> subprocess.Popen[str]:
    with children.unstoppable():
        return children.begin([str(PYTHON), "manage.py", *arguments], cwd=ROOT, **only_own(data))


def only_own(data: Data) -> dict[str, str]:
    return {name: value for name, value in shared(data).items() if name not in os.environ or os.environ[name] != value}


def finish(process: subprocess.Popen[str], what: str, remedy: str) -> str:
    done = children.finish(process)
    if "ImproperlyConfigured" in done.errors:
        raise Problem(
            "A setting makes no sense.", done.tail(), "Correct or unset it; README.md has a table of them all."
        )
    if done.returncode:
        raise Problem(what, done.tail(), remedy)
    return done.output


def migrate_and_collect(data: Data) -> None:
    with step("Database") as told:
        static = begin(data, "collectstatic", "--noinput", "--clear", "--verbosity", "0")
        migrate = begin(data, "migrate", "--noinput", "--verbosity", "0")
        url = os.environ.get("DATABASE_URL")
        remedy = (
            "Check DATABASE_URL, and that the server accepts it."
            if url
            else f"Check that {data.path} is writable and has space."
        )
        finish(migrate, "The database could not be migrated.", remedy)
        told("PostgreSQL, migrated" if url else "SQLite, migrated")
    with step("Pages") as told:
        finish(
            static,
            "The static files could not be collected.",
            f"Check that {data.path / 'static'} is writable and has space.",
        )
        told("static files collected")


def set_up_instance(data: Data, demo: bool) -> str:
    """Create the admin and the demo where they are not there yet; answers what the person must be told."""
    with step("Content") as told:
        process = begin(data, "setup_instance", "--demo" if demo else "--no-demo")
        output = finish(
            process,
            "The first content could not be stored.",
            "Report this with the message above; the database is unharmed.",
        )
        told("admin and demo in place" if demo else "admin in place")
    return output.strip()
