"""A real runner for tests: load it with `pytest_plugins = ["tests.sandbox_fixture"]`, or import `running`."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hooks.engine.sandbox.client import RunnerSandbox

ROOT = Path(__file__).parent.parent
START_SECONDS = 20
UNUSED_UID = 64_123


@contextmanager
def short_directory() -> Iterator[Path]:
    """A directory for a unix socket, whose path may have 108 bytes at most."""
    with tempfile.TemporaryDirectory(prefix="hs-") as directory:
        yield Path(directory)


@contextmanager
def running(
    *options: str,
    uid: int | None = None,
    env: dict[str, str] | None = None,
    root: Path = ROOT,
    python: str = sys.executable,
) -> Iterator[RunnerSandbox]:
    """Start a runner as this user, or as `uid` where the tests run as root, and stop it afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="hs-"))  # a unix socket's path has 108 bytes at most
    if uid is not None:
        os.chown(directory, uid, uid)
    process = subprocess.Popen(
        [python, "-m", "hooks.engine.sandbox.runner", "--socket", str(directory / "s"), *options],
        cwd=root,
        env=dict(os.environ) | (env or {}),
        user=uid,
        group=uid,
        extra_groups=None if uid is None else [],
    )
    try:
        wait_for(directory / "s", process)
        sandbox = RunnerSandbox(directory / "s")
        sandbox.process = process  # type: ignore[attr-defined]
        yield sandbox
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)
        shutil.rmtree(directory)


def wait_for(path: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _answers(path):
        assert process.poll() is None, f"the runner ended with {process.returncode}"
        assert time.monotonic() < deadline, "the runner did not start"
        time.sleep(0.01)


def _answers(path: Path) -> bool:
    """A socket's file is there a little before its owner listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        return sock.connect_ex(str(path)) == 0


@pytest.fixture(scope="session")
def sandbox() -> Iterator[RunnerSandbox]:
    with running() as sandbox:
        yield sandbox


def eventually(holds: Callable[[], bool], seconds: float = 3) -> bool:
    """Wait until it holds; False where it never does."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@contextmanager
def ordinary(*options: str, env: dict[str, str] | None = None) -> Iterator[RunnerSandbox]:
    """A runner of an ordinary user: of this one, or, where the tests run as root, of one that nobody uses."""
    if os.getuid() != 0:
        with running(*options, env=env) as sandbox:
            yield sandbox
        return
    with tempfile.TemporaryDirectory(prefix="hs-") as copy:
        # A checkout in root's home, and an interpreter there, is nothing that another user could run.
        shutil.copytree(ROOT / "hooks", Path(copy, "hooks"), ignore=shutil.ignore_patterns("__pycache__"))
        Path(copy).chmod(0o755)
        python = next((path for path in (sys.executable, "/usr/bin/python3") if _runs(path)), None)
        if python is None:
            pytest.skip("no Python 3.11 that an ordinary user may run")
        with running(*options, uid=UNUSED_UID, env=env, root=Path(copy), python=python) as sandbox:
            yield sandbox


def _runs(python: str) -> bool:
    check = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(check, user=UNUSED_UID, group=UNUSED_UID, extra_groups=[], check=False).returncode == 0
    except OSError:
        return False
