"""The timeline of an evaluation: one bar per hook on a common axis, where a level ends a line."""

from collections.abc import Sequence
from dataclasses import dataclass

from hooks.models import HookResult

WIDTH = 600.0
TICKS = 4
STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bar:
    """Where a hook's bar begins and how long it is, in the units of the drawing."""

    result: HookResult
    x: float
    width: float

    @property
    def after(self) -> float:
        return self.x + self.width


@dataclass(frozen=True, slots=True)
class Timeline:
    """`ticks` are places with what they stand for, in milliseconds; `border` is where the agent level ends."""

    bars: list[Bar]
    ticks: list[tuple[float, float]]
    border: float | None


def draw(results: Sequence[HookResult]) -> Timeline | None:
    """Lay out the hooks that ran; None where none did."""
    ran = [one for one in results if one.started_at is not None]
    if not ran:
        return None
    begin = min(one.started_at for one in ran if one.started_at)
    starts = {one.pk: (one.started_at - begin).total_seconds() * 1000 for one in ran if one.started_at}
    end = max(max(starts[one.pk] + one.duration_ms for one in ran), 0.001)
    step = _step(end / TICKS)
    axis = step * -(-end // step)
    scale = WIDTH / axis
    bars = [Bar(one, round(starts[one.pk] * scale, 1), round(max(one.duration_ms * scale, 2), 1)) for one in ran]
    ticks = [(round(number * step * scale, 1), number * step) for number in range(int(axis / step + 0.5) + 1)]
    first = [bar.after for bar in bars if bar.result.level == "agent"]
    border = max(first) if first and len(first) < len(bars) else None
    return Timeline(bars, ticks, border)


def _step(least: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** (len(str(int(least))) - 1) if least >= 1 else 0.01
    while power * 5 < least:
        power *= 10
    return next(power * one for one in (*STEPS, 10) if power * one >= least)
