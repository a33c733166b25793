"""Figures that can be added: counts, cost, and latencies as a histogram that quantiles are read from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

# Each bucket is a tenth wider than the one before, so a quantile is told to within five per cent.
GROWTH = math.log(1.1)
LAST_BUCKET = 150  # 27 minutes, longer than any hook may take


@dataclass(slots=True)
class Histogram:
    """Durations by bucket: bucket n holds what took up to 1.1ⁿ ms."""

    counts: dict[int, int] = field(default_factory=dict)

    def add(self, milliseconds: float) -> None:
        bucket = 0 if milliseconds <= 1 else min(LAST_BUCKET, math.ceil(math.log(milliseconds) / GROWTH))
        self.counts[bucket] = self.counts.get(bucket, 0) + 1

    def merge(self, counts: Mapping[int, int] | Mapping[str, int]) -> None:
        """Add another's counts, as they are or as JSON gave them back."""
        for bucket, count in counts.items():
            self.counts[int(bucket)] = self.counts.get(int(bucket), 0) + count

    def quantile(self, share: float) -> float | None:
        """The duration in ms that `share` (0 to 1) of all stay within; None where there are none."""
        left = share * sum(self.counts.values())
        for bucket in sorted(self.counts):
            left -= self.counts[bucket]
            if left <= 0:
                return math.exp((bucket - 0.5) * GROWTH)
        return None


@dataclass(slots=True)
class Figures:
    """What became of a number of events, or of the runs of a hook. `skipped` is beside `total`, not of it."""

    total: int = 0
    blocked: int = 0
    errors: int = 0
    blocked_errors: int = 0
    skipped: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    slowest_ms: float = 0.0
    histogram: Histogram = field(default_factory=Histogram)

    def count(self, *, blocked: bool, error: bool, milliseconds: float, tokens: int = 0, cost: float = 0.0) -> None:
        self.total += 1
        self.blocked += blocked
        self.errors += error
        self.blocked_errors += blocked and error
        self.tokens += tokens
        self.cost_usd += cost
        self.slowest_ms = max(self.slowest_ms, milliseconds)
        self.histogram.add(milliseconds)

    def merge(self, other: "Figures") -> None:
        for name in ("total", "blocked", "errors", "blocked_errors", "skipped", "tokens", "cost_usd"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.slowest_ms = max(self.slowest_ms, other.slowest_ms)
        self.histogram.merge(other.histogram.counts)

    @property
    def allowed(self) -> int:
        """Neither blocked nor with an error."""
        return self.total - self.errors - self.refused

    @property
    def refused(self) -> int:
        """Blocked by a policy, not by the fail mode of an error."""
        return self.blocked - self.blocked_errors

    @property
    def block_rate(self) -> float:
        return self.blocked / self.total if self.total else 0.0

    @property
    def error_rate(self) -> float:
        return self.errors / self.total if self.total else 0.0

    @property
    def p50(self) -> float | None:
        return self.histogram.quantile(0.5)

    @property
    def p95(self) -> float | None:
        return self.histogram.quantile(0.95)
