"""The programs of one instance, and how each is started."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from stack import redis
from stack.children import environment
from stack.data import Data
from stack.options import ROOT

PYTHON = ROOT / ".venv" / "bin" / "python"
WEB_THREADS = 32
WORKER_THREADS = 4
PLAYER_THREADS = 8
RUNNER_OPTIONS = {
    "SANDBOX_MEMORY_MB": "--memory-mb",
    "SANDBOX_PROCESSES": "--processes",
    "SANDBOX_TMP_MB": "--tmp-mb",
    "SANDBOX_POOL": "--pool",
}


@dataclass(frozen=True)
class Program:
    name: str
    command: list[str]
    env: dict[str, str]
    log: Path
    # What it gets when bin/up itself is killed.
    death: signal.Signals = signal.SIGTERM
    keep: tuple[int, ...] = ()


def shared(data: Data) -> dict[str, str]:
    # Two arenas: with one per thread, glibc keeps many times what is in use.
    return environment(
        PORTAL_DATA=str(data.path), MALLOC_ARENA_MAX="2", PROMETHEUS_MULTIPROC_DIR=str(data.path / "metrics")
    )


def bare() -> dict[str, str]:
    """Give programs that need no secret none."""
    return {name: value for name, value in environment().items() if name in {"PATH", "LANG", "PYTHONUNBUFFERED"}}


def broker(data: Data) -> Program:
    command = redis.command(redis.find(ROOT / ".venv"), data.path / "redis", data.run / "redis.sock")
    # It holds the lock of the data directory as long as it lives: two servers must never write one append-only file.
    return Program("redis", command, bare(), data.path / "logs" / "redis.log", keep=(data.lock,))


def runner(data: Data) -> Program:
    command = [str(PYTHON), "-m", "hooks.engine.sandbox.runner", "--socket", str(data.run / "sandbox.sock")]
    for variable, option in RUNNER_OPTIONS.items():
        if value := os.environ.get(variable):
            command += [option, value]
    return Program("sandbox", command, bare(), data.path / "logs" / "sandbox.log")


def worker(data: Data) -> Program:
    clock = ["--clock", "--schedule", str(data.path / "beat")]
    return celery(data, "worker", "evaluations,test-runs", WORKER_THREADS, clock)


def player(data: Data) -> Program:
    """The worker for threads of the playground, in which a model may take its time."""
    return celery(data, "player", "playground", PLAYER_THREADS, [])


def celery(data: Data, name: str, queues: str, threads: int, more: list[str]) -> Program:
    command = [
        *(str(PYTHON), "-m", "celery", "-A", "portal", "worker", *more),
        *("--pool", "threads", "--concurrency", str(threads), "--queues", queues),
        *("--without-gossip", "--without-mingle", "--loglevel", os.environ.get("LOG_LEVEL") or "INFO"),
        *("--hostname", f"portal-{name}-{os.getpid()}@%h"),
    ]
    # Its tasks may take minutes; what it had claimed is delivered again.
    return Program(name, command, shared(data), data.path / "logs" / f"{name}.log", death=signal.SIGKILL)


def web(data: Data, listener: int) -> Program:
    command = [
        *(str(PYTHON), "-m", "gunicorn", "portal.wsgi:application", "--bind", f"fd://{listener}"),
        # Threads, since a request waits for its hooks up to 300 s; the time-out is the whole worker's, not a request's.
        *("--worker-class", "stack.webworker.Worker", "--workers", "1"),
        *("--threads", str(WEB_THREADS), "--timeout", "120"),
        *("--graceful-timeout", "3", "--keep-alive", "15", "--worker-tmp-dir", str(data.run), "--no-control-socket"),
    ]
    return Program("web", command, shared(data), data.path / "logs" / "web.log", keep=(listener,))
