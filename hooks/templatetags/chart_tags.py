"""Charts of the Overview, drawn as SVG on the server: stacked bars, lines, sparklines, the mix of outcomes."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.formats import date_format, number_format

from hooks.services.figures import Figures

register = template.Library()
LEFT, TOP, BOTTOM = 34.0, 8.0, 150.0
LABELS = 5
# An axis has three thirds, and each is a short number.
STEPS = (1.2, 1.5, 2.1, 2.4, 3, 4.5, 6, 7.5, 9, 12)
SPARK_WIDTH, SPARK_TOP, SPARK_BOTTOM = 120.0, 4.0, 29.0
MIX = 150.0
SPARKS: dict[str, Callable[[Figures], float]] = {
    "total": lambda one: one.total,
    "blocked": lambda one: one.block_rate,
    "errors": lambda one: one.error_rate,
    "latency": lambda one: one.p50 or 0.0,
    "cost": lambda one: one.cost_usd,
}


@register.inclusion_tag("hooks/_chart_bars.html")
def bars(figures: Sequence[Figures], starts: Sequence[datetime], form: str, label: str) -> dict[str, Any]:
    """Stack what was allowed, blocked and had an error, a bar for each stretch of time."""
    highest = max((one.total for one in figures), default=0)
    width, top = 700.0, nice(highest) if highest > 9 else 3 * max(1, math.ceil(highest / 3))
    step = (width - LEFT) / max(1, len(figures))
    rects = []
    for number, one in enumerate(figures):
        x, floor = LEFT + 2 + number * step, BOTTOM
        for kind, count in (("allow", one.allowed), ("hatch", one.refused), ("dots", one.errors)):
            height = count / top * (BOTTOM - TOP)
            floor -= height
            if count:
                rects.append({"kind": kind, "x": _n(x), "y": _n(floor), "width": _n(step - 4), "height": _n(height)})
    marks = _marks(starts, form, lambda number: LEFT + 2 + (number + 0.5) * step - 2)
    return {"width": 700, "lines": _grid(top, _count), "marks": marks, "rects": rects, "label": label, "right": 700}


@register.inclusion_tag("hooks/_chart_lines.html")
def latencies(figures: Sequence[Figures], starts: Sequence[datetime], form: str, label: str) -> dict[str, Any]:
    """Draw p50 and p95 over time; where nothing ran, the line has a gap."""
    right, slow = 366.0, [one.p95 or 0.0 for one in figures]
    unit, word = (1000.0, "s") if max(slow, default=0.0) >= 1000 else (1.0, "ms")
    top = nice(max(slow, default=0.0) / unit)
    step = (right - LEFT) / max(1, len(figures) - 1)
    lines: list[dict[str, Any]] = []
    for name, values in (("p95", [one.p95 for one in figures]), ("p50", [one.p50 for one in figures])):
        heights = [None if value is None else BOTTOM - value / unit / top * (BOTTOM - TOP) for value in values]
        last = next((height for height in reversed(heights) if height is not None), None)
        if last is not None:
            lines.append({"name": name, "path": path(heights, step), "y": _n(last + 4), "last": last})
    if len(lines) == 2 and abs(lines[0]["last"] - lines[1]["last"]) < 12:
        lines[0]["y"], lines[1]["y"] = _n(lines[1]["last"] - 8), _n(lines[1]["last"] + 4)
    marks = _marks(starts, form, lambda number: LEFT + number * step)
    grid = _grid(top, _count)
    return {"width": 400, "lines": grid, "marks": marks, "paths": lines, "label": label, "right": 366, "unit": word}


@register.inclusion_tag("hooks/_chart_spark.html")
def sparkline(figures: Sequence[Figures], of: str, look: str) -> dict[str, Any]:
    """Draw one figure over time, small, on the scale of its highest. What it says stands in words beside it."""
    values = [SPARKS[of](one) for one in figures]
    top, step = max(values, default=0.0) or 1.0, SPARK_WIDTH / max(1, len(values) - 1)
    points = [
        f"{_n(number * step)} {_n(SPARK_BOTTOM - value / top * (SPARK_BOTTOM - SPARK_TOP))}"
        for number, value in enumerate(values)
    ]
    return {"line": "M" + " L".join(points), "look": look}


@register.inclusion_tag("hooks/_chart_mix.html")
def mix(figures: Figures) -> dict[str, Any]:
    """Draw what became of a hook's runs as shares of one bar."""
    blocked, errors = (MIX * count / (figures.total or 1) for count in (figures.refused, figures.errors))
    return {"blocked": _n(blocked), "errors": _n(errors), "at": _n(MIX - blocked - errors), "end": _n(MIX - errors)}


@register.filter
def percent(share: float | None) -> str:
    """Write a share with a decimal below ten per cent."""
    if share is None:
        return "–"
    value = share * 100
    return f"{number_format(value, 0 if value >= 10 or value == 0 else 1)} %"


@register.filter
def signed_percent(share: float) -> str:
    value = round(share * 100)
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{number_format(abs(value), 0, force_grouping=True)} %"


@register.filter
def dollars(amount: float) -> str:
    return f"${number_format(amount, 2 if amount >= 0.1 else 4 if amount else 2, force_grouping=True)}"


@register.filter
def many(count: float) -> str:
    """Write a count with its thousands set apart, and over a million short."""
    if count >= 1_000_000:
        return f"{number_format(count / 1_000_000, 1)} M"
    return number_format(count, 0, force_grouping=True)


@register.simple_tag
def zipped(figures: Sequence[Figures], starts: Sequence[datetime]) -> list[tuple[datetime, Figures]]:
    return list(zip(starts, figures, strict=True))


def nice(value: float) -> float:
    """The round number at or above a value that the axis ends at; 1 where all is nothing."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in STEPS if step * power >= value * (1 - 1e-9))


def path(heights: Sequence[float | None], step: float) -> str:
    """Write a line through points; None lifts the pen."""
    parts, down = [], False
    for number, height in enumerate(heights):
        if height is not None:
            after = number + 1 < len(heights) and heights[number + 1] is not None
            parts.append(f"{'L' if down else 'M'}{_n(LEFT + number * step)} {_n(height)}")
            if not down and not after:
                parts.append("h0.01")  # a point alone, which round caps make visible
        down = height is not None
    return " ".join(parts)


def _grid(top: float, write: Callable[[float], str]) -> list[dict[str, str]]:
    found = []
    for third in range(4):
        y = TOP + third * (BOTTOM - TOP) / 3
        found.append({"y": _n(y), "text_y": _n(y + 4), "text": write(top * (3 - third) / 3)})
    return found


def _marks(starts: Sequence[datetime], form: str, place: Callable[[int], float]) -> list[dict[str, str]]:
    every = max(1, math.ceil((len(starts) - 1) / (LABELS - 1)))
    shown = range(0, len(starts), every)
    return [{"x": _n(place(number)), "text": date_format(timezone.localtime(starts[number]), form)} for number in shown]


def _count(value: float) -> str:
    """Label an axis: short, without needless decimals."""
    if value >= 10_000:
        return f"{number_format(value / 1000, 0)}k"
    return number_format(value, 0 if value == int(value) else 1 if value >= 1 else 2)


def _n(value: float) -> str:
    return f"{value:.1f}"
