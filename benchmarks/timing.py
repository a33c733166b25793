"""Cases take turns, so that whatever else the machine does touches all alike; a ratio is the median over rounds."""

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Case:
    """`base`: the name of the case of the same round by which this one's time is divided, `times` of it."""

    name: str
    call: Callable[[], object]
    base: str = ""
    target: float | None = None
    milliseconds: list[float] = field(default_factory=list)


def measure(cases: list[Case], rounds: int, pause: float) -> None:
    for number in range(rounds + 2):  # two to get warm
        for case in cases:
            time.sleep(pause)
            start = time.perf_counter()
            case.call()
            taken = (time.perf_counter() - start) * 1000
            if number >= 2:
                case.milliseconds.append(taken)


def burst(call: Callable[[], object], count: int) -> Callable[[], object]:
    """Return `count` calls at once as one."""
    pool = ThreadPoolExecutor(count)
    return lambda: [future.result() for future in [pool.submit(call) for _ in range(count)]]


def per_second(call: Callable[[], object], clients: int, seconds: float) -> float:
    """Let `clients` call one after the other, each waiting for its answer, and return how many calls came back a second."""
    end = time.perf_counter() + seconds

    def client() -> int:
        done = 0
        while time.perf_counter() < end:
            call()
            done += 1
        return done

    with ThreadPoolExecutor(clients) as pool:
        start = time.perf_counter()
        total = sum(future.result() for future in [pool.submit(client) for _ in range(clients)])
        return total / (time.perf_counter() - start)


def rows(cases: list[Case]) -> list[dict[str, Any]]:
    found = {case.name: case for case in cases}
    return [row(case, found.get(case.base)) for case in cases]


def row(case: Case, base: Case | None) -> dict[str, Any]:
    ratio = None
    if base is not None:
        ratio = statistics.median(a / b for a, b in zip(case.milliseconds, base.milliseconds, strict=True))
    return {
        "case": case.name,
        "median_ms": statistics.median(case.milliseconds),
        "p95_ms": statistics.quantiles(case.milliseconds, n=20)[-1],
        "base": case.base,
        "ratio": ratio,
        "target": case.target,
    }
