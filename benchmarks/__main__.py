"""`python -m benchmarks`: every figure in one interleaved run, as a table and as JSON.

With --base and --token also over HTTP, against a running portal whose agent has one hook: PostToolUse, matcher Bash, the
Python script of benchmarks/scripts.py.
"""

import argparse
import json
import os
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks import engine, judge, portal
from benchmarks.timing import Case, measure, per_second, rows
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.protocol import LANGUAGES
from tests.sandbox_fixture import running
from tests.scripted_model import ScriptedModel

CLIENTS = (1, 2, 4, 8)
LEAST_THROUGHPUT = 0.6
JUDGE_MS = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.15, help="seconds between calls, in which sandboxes are made")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each closed loop")
    parser.add_argument("--soak", type=float, default=10.0, help="seconds")
    parser.add_argument("--base", help="address of a running portal")
    parser.add_argument("--token", default="", help="with the scope evaluate")
    parser.add_argument("--json", type=Path, default=Path("benchmarks.json"))
    options = parser.parse_args()
    with ExitStack() as stack:
        sandbox = stack.enter_context(running())
        model = stack.enter_context(ScriptedModel())
        over_http = portal.cases(portal.Portal(options.base, options.token)) if options.base else []
        cases = [*engine.cases(sandbox), *judge.cases(model), *over_http]
        measure(cases, options.rounds, options.pause)
        found = {
            "cases": rows(cases),
            "judge_overhead_ms": overhead(cases),
            "closed_loop": [loop(cases, clients, options.seconds) for clients in CLIENTS],
            "soak": soak(sandbox, options.soak),
            "machine": {"cores": os.cpu_count(), "load": os.getloadavg(), "kernel": os.uname().release},
        }
    options.json.write_text(json.dumps(found, indent=2) + "\n")
    sys.stdout.write(table(found))


def overhead(cases: list[Case]) -> float:
    raw, judged = (next(case for case in cases if case.name == name) for name in judge.NAMES)
    return statistics.median(b - a for a, b in zip(raw.milliseconds, judged.milliseconds, strict=True))


def loop(cases: list[Case], clients: int, seconds: float) -> dict[str, Any]:
    """Compare calls a second: bare, sandboxed, and over HTTP where that is measured."""
    names = [name for name in ("python bare", "python", portal.HOOK) if any(case.name == name for case in cases)]
    found = {case.name: case.call for case in cases}
    return {"clients": clients} | {name: per_second(found[name], clients, seconds) for name in names}


def soak(sandbox: RunnerSandbox, seconds: float) -> dict[str, Any]:
    """Look for what grows while hooks run."""
    pid = sandbox.process.pid  # type: ignore[attr-defined]
    calls = [engine.boxed(sandbox, language, "any") for language in LANGUAGES]

    def state() -> dict[str, int]:
        time.sleep(2)
        status = Path(f"/proc/{pid}/status").read_text()
        kilobytes = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return {"descriptors": len(os.listdir(f"/proc/{pid}/fd")), "children": len(children), "rss_kb": kilobytes}  # noqa: PTH208

    before, end, count = state(), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for call in calls:
            call()
            count += 1
    return {"evaluations": count, "before": before, "after": state()}


def table(found: dict[str, Any]) -> str:
    lines = [f"{'case':32} {'median':>9} {'p95':>9} {'ratio':>7}  of (target)"]
    for row in found["cases"]:
        ratio = f"{row['ratio']:7.2f}" if row["ratio"] is not None else " " * 7
        target = f"(≤ {row['target']:g})" if row["target"] else ""
        lines.append(
            f"{row['case']:32} {row['median_ms']:6.2f} ms {row['p95_ms']:6.2f} ms {ratio}  {row['base']} {target}"
        )
    lines.append(f"\njudge beyond the raw call: {found['judge_overhead_ms']:.2f} ms (≤ {JUDGE_MS:g})")
    for one in found["closed_loop"]:
        figures = "  ".join(f"{name} {value:.0f}/s" for name, value in one.items() if name != "clients")
        lines.append(f"closed loop, {one['clients']} clients: {figures}")
    lines.append(f"soak: {found['soak']}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
