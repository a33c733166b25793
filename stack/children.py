"""Processes that never outlive the one that started them."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER = 1, 36, 37
STOPPING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
MISLEADING = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "DJANGO_SETTINGS_MODULE", "CELERY_APP", "GUNICORN_CMD_ARGS")

TRACEBACK = "Traceback (most recent call last):"

libc = ctypes.CDLL(None, use_errno=True)


def environment(**extra: str) -> dict[str, str]:
    """Copy the environment without what a shell set for some other project."""
    kept = {name: value for name, value in os.environ.items() if name not in MISLEADING}
    return {**kept, "PYTHONUNBUFFERED": "1", **extra}


@contextlib.contextmanager
def unstoppable() -> Iterator[None]:
    """Hold signals back, so that none falls between a fork and the note that the child exists."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_parent(death: signal.Signals) -> Callable[[], None]:
    parent = os.getpid()

    def prepare() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(death))
        if os.getppid() != parent:
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    return prepare


@dataclass(frozen=True)
class Finished:
    returncode: int
    output: str
    errors: str

    def tail(self, lines: int = 12) -> str:
        """What it said last; of a traceback, the exception alone."""
        said = (self.errors.strip() or self.output.strip()).rpartition(TRACEBACK)
        last = [line for line in said[2].splitlines() if not (said[1] and line.startswith("  "))]
        return "\n".join(last[-lines:]).strip()


def begin(command: Sequence[str], cwd: Path | None = None, **extra: str) -> subprocess.Popen[str]:
    """Start a command that ends by itself; `finish` waits for it."""
    return subprocess.Popen(
        command,
        cwd=cwd,
        env=environment(**extra),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=follow_parent(signal.SIGKILL),
    )


def finish(process: subprocess.Popen[str]) -> Finished:
    try:
        output, errors = process.communicate()
    except BaseException:
        kill(process.pid)
        process.wait()
        raise
    return Finished(process.returncode, output, errors)


def run(command: Sequence[str], cwd: Path | None = None, **extra: str) -> Finished:
    with unstoppable():
        process = begin(command, cwd, **extra)
    return finish(process)


def start(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    death: signal.Signals,
    keep: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program that runs for ever, in a process group of its own, with its output in a file."""
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=keep,
            preexec_fn=follow_parent(death),
        )


def kill(group: int, sign: signal.Signals = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, sign)


@contextlib.contextmanager
def adopting(seconds: float) -> Iterator[None]:
    """Make what children leave behind in this block children of this process, and see that it ends too."""
    before, adopted = of_this_process(), ctypes.c_int()
    libc.prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(adopted))
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        deadline = time.monotonic() + seconds
        while orphans := of_this_process() - before:
            for pid in orphans:
                with contextlib.suppress(ChildProcessError, ProcessLookupError):
                    if os.waitpid(pid, os.WNOHANG) == (0, 0) and time.monotonic() > deadline:
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        libc.prctl(PR_SET_CHILD_SUBREAPER, adopted.value)


def of_this_process() -> set[int]:
    found = set()
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that ended; a kernel that does not tell
            found |= {int(pid) for pid in (thread / "children").read_text().split()}
    return found
