"""`python -m benchmarks`: start a portal and measure all of it in one interleaved run, as a table and as JSON.

Then `python -m benchmarks.table FILE --readme` puts the table into README.md.
"""

import argparse
import json
import os
import statistics
import sys
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import engine, judge, model_server, portal, table
from benchmarks.soak import fill, soak
from benchmarks.timing import Case, loops, measure, rows
from hooks.engine.sandbox.client import RunnerSandbox

CLIENTS = (1, 2, 4, 8)
LOOPED = {"python bare": "bare", "python": "sandbox", portal.ONE: "http"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="at most")
    parser.add_argument("--seconds", type=float, default=190.0, help="for all rounds, at most")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between calls")
    parser.add_argument("--loop", type=float, default=1.5, help="seconds of each closed loop")
    parser.add_argument("--turns", type=int, default=3, help="of each closed loop")
    parser.add_argument("--soak", type=float, default=10.0, help="seconds")
    parser.add_argument("--json", type=Path, default=Path("docs/benchmarks.json"))
    options = parser.parse_args()
    with ExitStack() as stack:
        one, socket, processes = stack.enter_context(portal.running())
        sandbox = RunnerSandbox(socket)
        cases = [
            *engine.cases(sandbox),
            *judge.cases(stack.enter_context(model_server.serving())),
            *one.cases(),
        ]
        load = os.getloadavg()[0]
        rounds = measure(cases, options.rounds, options.seconds, lambda: fill(sandbox), options.pause)
        found = {
            "machine": machine(load, rounds),
            "cases": rows(cases),
            "judge": overhead(cases),
            "loops": [loop(cases, sandbox, clients, options) for clients in CLIENTS],
            "soak": soak_for(options.soak, one, processes, sandbox),
        }
    options.json.write_text(json.dumps(found, indent=2) + "\n")
    sys.stdout.write(table.text(found))


def machine(load: float, rounds: int) -> dict[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "kernel": os.uname().release,
        "load": round(load, 2),
        "rounds": rounds,
        "user": "root" if os.getuid() == 0 else "ordinary",
    }


def overhead(cases: list[Case]) -> dict[str, float]:
    """Return what the judge adds to the raw call, in milliseconds."""
    raw, judged = (next(case for case in cases if case.name == name) for name in judge.NAMES)
    added = [b - a for a, b in zip(raw.milliseconds, judged.milliseconds, strict=True)]
    return {"median_ms": round(statistics.median(added), 3), "target": 5.0, "aim": 2.0}


def loop(cases: list[Case], sandbox: RunnerSandbox, clients: int, options: argparse.Namespace) -> dict[str, Any]:
    calls = {case.name: case.call for case in cases} | {"python": engine.boxed(sandbox, "python", "any")}
    looped = {short: calls[name] for name, short in LOOPED.items()}
    return loops(looped, "bare", clients, options.loop, options.turns)


def soak_for(seconds: float, one: portal.Portal, processes: dict[str, int], sandbox: RunnerSandbox) -> dict[str, Any]:
    end = time.monotonic() + seconds
    return soak(one.evaluating(portal.ONE), processes, sandbox, lambda _: time.monotonic() < end)


if __name__ == "__main__":
    main()
