"""Look for what grows while hooks run: `python -m benchmarks.soak [EVALUATIONS]` (10,000), over HTTP, or as a part of all."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import portal
from hooks.engine.sandbox import blanks
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.protocol import LANGUAGES

SETTLES = 20.0  # seconds: until every sandbox that was used is replaced
CLIENTS = 4


def fill(sandbox: RunnerSandbox, seconds: float = SETTLES) -> None:
    """Wait until all sandboxes that are to be made in advance are there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pool = sandbox.status()["pool"]
        if all(pool[language]["ready"] == pool[language]["size"] for language in LANGUAGES):
            return
        time.sleep(0.01)


def soak(
    call: Callable[[], None], processes: dict[str, int], sandbox: RunnerSandbox, goes_on: Callable[[int], bool]
) -> dict[str, Any]:
    """Call with several clients as long as `goes_on`, which is given how many calls were made."""
    before, done, lock = state(processes, sandbox), 0, threading.Lock()
    begun = time.monotonic()

    def client() -> None:
        nonlocal done
        while goes_on(done):
            call()
            with lock:
                done += 1

    with ThreadPoolExecutor(CLIENTS) as pool:
        for future in [pool.submit(client) for _ in range(CLIENTS)]:
            future.result()
    seconds = time.monotonic() - begun
    return {
        "evaluations": done,
        "per_second": round(done / seconds, 1),
        "before": before,
        "after": state(processes, sandbox),
    }


def state(processes: dict[str, int], sandbox: RunnerSandbox) -> dict[str, Any]:
    """Count, once all is at rest, what each process holds, and what lies about of sandboxes."""
    fill(sandbox)
    time.sleep(0.5)
    found = {name: of_process(pid) for name, pid in processes.items() if name in ("web", "sandbox")}
    return found | {"slot names": len(list(blanks.directory().glob(f"{blanks.PREFIX}*")))}


def of_process(pid: int) -> dict[str, int]:
    family = [pid, *below(pid)] if "gunicorn" in Path(f"/proc/{pid}/cmdline").read_text() else [pid]
    return {
        "descriptors": sum(len(os.listdir(f"/proc/{one}/fd")) for one in family),  # noqa: PTH208
        "processes": len(below(pid)),
        "rss_kb": sum(rss_kb(one) for one in family),
    }


def below(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def rss_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with portal.running() as (one, socket, processes):
        call, sandbox = one.evaluating(portal.ONE), RunnerSandbox(socket)
        soak(call, processes, sandbox, lambda done: done < 200)  # what is there once, comes now
        found = soak(call, processes, sandbox, lambda done: done < wanted)
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
