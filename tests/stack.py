"""The real portal for end-to-end tests: what `bin/up` starts, on a free port, with a data directory of its own.

with Stack("--no-demo") as portal:
    httpx.get(portal.url + "/readyz")      # sign in as portal.admin with portal.password
    portal.manage("create_token", "--agent", "sre-agent", "--name", "x", "--scope", "evaluate")
    portal.kill("worker")

The first portal of a test run migrates its database; those after it begin with a copy of that.
"""

import contextlib
import os
import pwd
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

from stack import children
from stack.options import ROOT

PREPARED = (
    "TESTS_PREPARED"  # the environment variable with the directory of a test run for copies; see tests/conftest.py
)
ADMIN, PASSWORD = "admin", "correct-horse-battery"
SIGNS = {
    "web": "gunicorn",
    "worker": "--queues\0evaluations",
    "player": "--queues\0playground",
    "redis": "redis-server",
    "sandbox": "hooks.engine.sandbox.runner",
}
# Only what a shell has by itself: a model key of the developer's must not reach the portal under test.
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")


class Stack:
    admin, password = ADMIN, PASSWORD

    def __init__(
        self,
        *arguments: str,
        data: Path | None = None,
        root: Path = ROOT,
        env: dict[str, str] | None = None,
        account: pwd.struct_passwd | None = None,
    ) -> None:
        self.own = None if data else Path(tempfile.mkdtemp(prefix="portal-stack-"))
        self.data = data or Path(str(self.own), "var")
        self.root, self.arguments, self.account = root, arguments, account
        kept = {name: value for name, value in os.environ.items() if name in KEPT or name.startswith("PIP_")}
        self.env = {**kept, "PORTAL_ADMIN_PASSWORD": PASSWORD, **(env or {})}
        self.log = Path(tempfile.mkstemp(prefix="portal-up-", suffix=".log")[1])
        self.url = ""
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.log.unlink(missing_ok=True)
        if self.own:
            shutil.rmtree(self.own, ignore_errors=True)

    def start(self, seconds: float = 120) -> float:
        """Start it, wait until it says that it runs, and answer how long that took."""
        begun = time.monotonic()
        copy = self.copy()
        if copy and copy.exists():
            shutil.copytree(copy, self.data)
        command = [str(self.root / "bin" / "up"), "--port", "0", "--data", str(self.data), *self.arguments]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.env,
                preexec_fn=children.follow_parent(signal.SIGTERM),
                **self.who(),
            )
        while not (found := re.search(r"The portal runs at (http://\S+)", self.output())):
            if self.process.poll() is not None or time.monotonic() - begun > seconds:
                raise AssertionError(f"bin/up did not start the portal:\n{self.output()}")
            time.sleep(0.05)
        self.url = found.group(1)
        took = time.monotonic() - begun
        if copy and not copy.exists():
            self.lay_by(copy)
        return took

    def copy(self) -> Path | None:
        """Where a prepared data directory like this portal's lies, or would; nowhere when it is like no other."""
        place = os.environ.get(PREPARED)
        alike = self.own and self.root == ROOT and not self.account and not self.data.exists()
        return Path(place, "-".join(["portal", *self.arguments])) if place and alike else None

    def lay_by(self, copy: Path) -> None:
        unfinished = Path(tempfile.mkdtemp(dir=copy.parent))
        shutil.copytree(self.data / "static", unfinished / "static")
        for name in ("prepared", "secret_key"):
            shutil.copy2(self.data / name, unfinished / name)
        with contextlib.closing(sqlite3.connect(self.data / "portal.sqlite3")) as database:
            database.execute("VACUUM INTO ?", [str(unfinished / "portal.sqlite3")])
        with contextlib.suppress(OSError):  # another process of the test run was first
            unfinished.rename(copy)

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> float:
        """Stop it and answer how long that took."""
        begun = time.monotonic()
        if self.process and self.process.poll() is None:
            self.process.send_signal(sign)
            self.process.wait(30)
        return time.monotonic() - begun

    def who(self) -> dict[str, Any]:
        if self.account is None:
            return {}
        return {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []}

    def output(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def manage(self, *arguments: str, input: str | None = None) -> str:
        """Run a manage.py command on this portal's data and answer what it prints."""
        command = [str(self.root / ".venv" / "bin" / "python"), "manage.py", *arguments]
        env = {**self.env, "PORTAL_DATA": str(self.data)}
        done = subprocess.run(
            command, cwd=self.root, env=env, input=input, capture_output=True, text=True, timeout=120, **self.who()
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def pids(self) -> dict[str, int]:
        """Name the programs that run now: web, worker, player, redis, sandbox."""
        assert self.process
        found = {}
        for pid in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            with contextlib.suppress(OSError):
                command = Path(f"/proc/{pid}/cmdline").read_text()
                found |= {name: int(pid) for name, sign in SIGNS.items() if sign in command}
        return found

    def kill(self, name: str, sign: signal.Signals = signal.SIGKILL) -> int:
        pid = self.pids()[name]
        os.kill(pid, sign)
        return pid
