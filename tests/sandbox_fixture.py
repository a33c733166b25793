"""A real runner for tests: load it with `pytest_plugins = ["tests.sandbox_fixture"]`, or import `running`."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hooks.engine.sandbox.client import RunnerSandbox

ROOT = Path(__file__).parent.parent
START_SECONDS = 20


@contextmanager
def running(*options: str, uid: int | None = None, env: dict[str, str] | None = None) -> Iterator[RunnerSandbox]:
    """Start a runner as this user, or as `uid` where the tests run as root, and stop it afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="hs-"))  # a unix socket's path has 108 bytes at most
    if uid is not None:
        os.chown(directory, uid, uid)
    process = subprocess.Popen(
        [sys.executable, "-m", "hooks.engine.sandbox.runner", "--socket", str(directory / "s"), *options],
        cwd=ROOT,
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
    while not path.exists():
        assert process.poll() is None, f"the runner ended with {process.returncode}"
        assert time.monotonic() < deadline, "the runner did not start"
        time.sleep(0.01)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[RunnerSandbox]:
    with running() as sandbox:
        yield sandbox
