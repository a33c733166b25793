"""Figures that add up, and quantiles read from a histogram."""

import random
import statistics

import pytest

from hooks.services.figures import Figures, Histogram


def test_a_quantile_is_within_five_per_cent() -> None:
    chance, histogram = random.Random(1), Histogram()  # noqa: S311 - the same durations each time
    values = [chance.lognormvariate(4, 1.5) for _ in range(20_000)]
    for value in values:
        histogram.add(value)
    cuts = statistics.quantiles(values, n=20)
    assert histogram.quantile(0.5) == pytest.approx(cuts[9], rel=0.05)
    assert histogram.quantile(0.95) == pytest.approx(cuts[18], rel=0.05)


def test_of_nothing_there_is_no_quantile() -> None:
    assert Histogram().quantile(0.5) is None


@pytest.mark.parametrize("milliseconds", [0, 0.01, 1, 10**9])
def test_any_duration_has_a_bucket(milliseconds: float) -> None:
    histogram = Histogram()
    histogram.add(milliseconds)
    assert histogram.quantile(0.5) is not None


def test_counts_come_back_from_json_as_they_were() -> None:
    one, other = Histogram(), Histogram()
    one.add(100)
    other.merge({str(bucket): count for bucket, count in one.counts.items()})
    assert other.counts == one.counts


def test_what_is_blocked_by_an_error_is_an_error_and_no_refusal() -> None:
    figures = Figures()
    figures.count(blocked=True, error=True, milliseconds=5)
    figures.count(blocked=True, error=False, milliseconds=5, tokens=10, cost=0.5)
    figures.count(blocked=False, error=False, milliseconds=7)
    other = Figures()
    other.merge(figures)
    other.merge(figures)
    assert (other.total, other.allowed, other.refused, other.errors) == (6, 2, 2, 2)
    assert (other.block_rate, other.tokens, other.cost_usd, other.slowest_ms) == (pytest.approx(2 / 3), 20, 1.0, 7)
