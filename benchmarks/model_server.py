"""The scripted server of the tests in a process of its own, with one answer for all: `python -m benchmarks.model_server`."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.scripts import VERDICT
from tests.scripted_model import Reply, ScriptedModel, said


class SameAnswer(ScriptedModel):
    def take(self, request: dict[str, Any], headers: dict[str, str]) -> Reply:
        return said(VERDICT)


@contextmanager
def serving() -> Iterator[str]:
    """Start it and return its base URL."""
    command = [sys.executable, "-m", "benchmarks.model_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout  # noqa: S101
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


if __name__ == "__main__":
    with SameAnswer() as model:
        sys.stdout.write(f"{model.url}\n")
        sys.stdout.flush()
        threading.Event().wait()
