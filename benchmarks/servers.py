"""Compare web servers with the same portal behind: `python -m benchmarks.servers`. Those that are not installed are left
out; names, or how they begin, choose among them.

What counts most is the processor time of a request, since the sandboxes share the processors with the server.
"""

import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks import portal
from benchmarks.timing import per_second
from tests.stack import Stack

PYTHON, APPLICATION, THREADS = sys.executable, "portal.wsgi:application", "32"
REQUESTS, TURNS, CLIENTS, SECONDS = 100, 7, 8, 2.0
TICKS = os.sysconf("SC_CLK_TCK")
SERVERS = {
    "gunicorn, own worker, 32 threads": ["gunicorn", "--worker-class", "stack.webworker.Worker", "--threads", THREADS],
    "gunicorn, gthread, 32 threads": ["gunicorn", "--worker-class", "gthread", "--threads", THREADS],
    "gunicorn, gthread, 2 × 16 threads": ["gunicorn", "--worker-class", "gthread", "--workers", "2", "--threads", "16"],
    "gunicorn, sync, 4 processes": ["gunicorn", "--worker-class", "sync", "--workers", "4"],
    "waitress, 32 threads": ["waitress", "--threads", THREADS],
    "cheroot, 32 threads": ["cheroot", "--threads", THREADS],
    "granian, 32 threads": ["granian", "--interface", "wsgi", "--blocking-threads", THREADS],
}


def command(server: list[str], port: int) -> list[str]:
    module, *options = server
    place = {
        "gunicorn": ["--bind", f"127.0.0.1:{port}", "--keep-alive", "15", "--no-control-socket", APPLICATION],
        "waitress": [f"--listen=127.0.0.1:{port}", APPLICATION],
        "cheroot": ["--bind", f"127.0.0.1:{port}", APPLICATION],
        "granian": ["--host", "127.0.0.1", "--port", str(port), "--no-ws", APPLICATION],
    }
    return [PYTHON, "-m", module, *options, *place[module]]


@contextmanager
def started(server: list[str], port: int, data: Path) -> Iterator[int]:
    env = {**os.environ, "PORTAL_DATA": str(data), "MALLOC_ARENA_MAX": "2"}
    process = subprocess.Popen(command(server, port), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def family(pid: int) -> list[int]:
    below = [
        int(one) for path in Path(f"/proc/{pid}/task").iterdir() for one in (path / "children").read_text().split()
    ]
    return [pid, *(one for child in below for one in family(child))]


def used_ms(pid: int) -> float:
    stats = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in family(pid)]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) * 1000 / TICKS


def memory_mb(pid: int) -> float:
    lines = [line for one in family(pid) for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def each(call: Callable[[], None], pid: int) -> tuple[float, float]:
    """Return the processor time and the median duration of a request, in milliseconds."""
    before, taken = used_ms(pid), []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        call()
        taken.append((time.perf_counter() - start) * 1000)
    return (used_ms(pid) - before) / REQUESTS, statistics.median(taken)


def answers(call: Callable[[], None]) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            return call()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def main() -> None:
    wanted = tuple(sys.argv[1:] or [""])
    servers = {name: server for name, server in SERVERS.items() if name.startswith(wanted)}
    with ExitStack() as stack:
        one = stack.enter_context(Stack("--no-demo", env={"RUNTIME_RATE_LIMIT": "0"}))
        scopes = ("--scope", "write", "--scope", "evaluate")
        token = one.manage("create_token", "--agent", portal.AGENT, "--name", "benchmark", *scopes)
        os.environ["RUNTIME_RATE_LIMIT"] = "0"
        running: dict[str, tuple[int, Callable[[], None]]] = {}
        for port, (name, server) in enumerate(servers.items(), 8330):
            if importlib.util.find_spec(server[0]) is not None:
                pid = stack.enter_context(started(server, port, one.data))
                call = portal.Portal(f"http://127.0.0.1:{port}", token).evaluating(portal.NONE)
                running[name] = pid, call
                answers(call)
        compare(running)


def compare(running: dict[str, tuple[int, Callable[[], None]]]) -> None:
    """Let the servers take turns."""
    for pid, call in running.values():
        each(call, pid)
    turns = [{name: each(call, pid) for name, (pid, call) in running.items()} for _ in range(TURNS)]
    sys.stdout.write(f"{'server':36} {'cpu/request':>11} {'median':>9} {'8 clients':>10} {'memory':>8}\n")
    for name, (pid, call) in running.items():
        cpu, median = (statistics.median(turn[name][index] for turn in turns) for index in (0, 1))
        rate = per_second(call, CLIENTS, SECONDS)
        line = f"{name:36} {cpu:8.2f} ms {median:6.2f} ms {rate:8.0f}/s {memory_mb(pid):5.0f} MB\n"
        sys.stdout.write(line)


if __name__ == "__main__":
    main()
