"""Cases take turns, so that whatever else the machine does touches all alike; a ratio is the median over rounds."""

import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

WARM_UP = 2


@dataclass
class Case:
    """`base`: the name of the case by whose time of the same round this one's is divided; without one, `target` is in ms.

    `full`: the sandboxes made in advance are waited for before it, since it is about an event that finds the portal idle.
    """

    name: str
    call: Callable[[], object]
    base: str = ""
    target: float | None = None
    aim: float | None = None
    full: bool = False
    milliseconds: list[float] = field(default_factory=list)


def measure(cases: list[Case], rounds: int, seconds: float, fill: Callable[[], None], pause: float) -> int:
    """Go round until there were `rounds`, or `seconds` are over; return how many there were."""
    end = time.monotonic() + seconds
    for number in range(rounds + WARM_UP):
        for case in cases:
            if case.full:
                fill()
            time.sleep(pause)
            start = time.perf_counter()
            case.call()
            taken = (time.perf_counter() - start) * 1000
            if number >= WARM_UP:
                case.milliseconds.append(taken)
        if time.monotonic() > end and number > WARM_UP + 1:
            return number + 1 - WARM_UP
    return rounds


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


def loops(
    calls: Mapping[str, Callable[[], object]], base: str, clients: int, seconds: float, turns: int
) -> dict[str, Any]:
    """Let the calls take turns in closed loops; return calls a second, and the ratios to `base` of the same turn."""
    found = [{name: per_second(call, clients, seconds) for name, call in calls.items()} for _ in range(turns)]
    return {
        "clients": clients,
        "per_second": {name: statistics.median(turn[name] for turn in found) for name in calls},
        "ratio": {name: statistics.median(turn[name] / turn[base] for turn in found) for name in calls if name != base},
    }


def rows(cases: list[Case]) -> list[dict[str, Any]]:
    found = {case.name: case for case in cases}
    return [row(case, found.get(case.base)) for case in cases]


def row(case: Case, base: Case | None) -> dict[str, Any]:
    ratio = None
    if base is not None:
        ratio = statistics.median(a / b for a, b in zip(case.milliseconds, base.milliseconds, strict=True))
    return {
        "case": case.name,
        "median_ms": round(statistics.median(case.milliseconds), 3),
        "p95_ms": round(statistics.quantiles(case.milliseconds, n=20)[-1], 3),
        "least_ms": round(min(case.milliseconds), 3),
        "base": case.base,
        "ratio": None if ratio is None else round(ratio, 3),
        "target": case.target,
        "aim": case.aim,
    }
