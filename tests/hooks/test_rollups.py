"""Evaluations added up: the same figures, however and whenever it is done."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from hooks.models import Evaluation, HookResult, Rollup, RollupMark
from hooks.models.rollups import ALL
from hooks.services import roll_up
from hooks.services.leases import lease
from hooks.services.overview import PERIODS, Overview, read_overview
from tests.shell import BY

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)


@pytest.fixture
def another() -> Agent:
    return create_agent(name="another", is_default=False, by=BY)


def happened(agent: Agent, at: datetime, *hooks: tuple[str, str], decision: str = "allow", **more: Any) -> Evaluation:
    """Store a live evaluation, with the results of hooks: (name, outcome)."""
    given = {"kind": "runtime", "event": "Stop", "context": {}, "duration_ms": 100.0, **more}
    one = Evaluation.objects.create(agent=agent, decision=decision, created_at=at, **given)
    for index, (name, outcome) in enumerate(hooks):
        HookResult.objects.create(
            evaluation=one,
            index=index,
            name=name,
            level="agent",
            position=index,
            type="prompt" if name == "judge" else "command",
            model_call={"promptTokens": 90, "completionTokens": 10, "costUsd": 0.25}
            if name == "judge" and outcome != "skipped"
            else None,
            outcome=outcome,
            duration_ms=40.0,
            kind=one.kind,
            created_at=at,
        )
    return one


def read(agent: Agent, period: str = "24h", now: datetime = NOON, **more: Any) -> Overview:
    return read_overview(agent=agent, period=PERIODS[period], now=now, **more)


def told(shown: Overview) -> tuple[Any, ...]:
    total = shown.total
    hooks = [
        (one.name, one.figures.total, one.figures.blocked, one.figures.errors, one.figures.p50) for one in shown.hooks
    ]
    return (
        total.total,
        total.blocked,
        total.errors,
        total.tokens,
        total.cost_usd,
        [one.total for one in shown.bars],
        hooks,
    )


def a_day(agent: Agent) -> None:
    for hours in range(30):
        at = NOON - timedelta(hours=hours, minutes=7)
        happened(agent, at, ("judge", "allow"), ("guard", "allow"))
        happened(agent, at, ("guard", "block"), decision="block", custom_agent="helper" if hours % 2 else "")
    happened(agent, NOON - timedelta(minutes=20), ("guard", "error"), ("judge", "skipped"))


def test_rolled_up_or_not_the_figures_are_the_same(agent: Agent) -> None:
    a_day(agent)
    before = [told(read(agent, period)) for period in PERIODS]
    assert before[1][:5] == (49, 24, 1, 2400, 6.0)
    assert roll_up(NOON) > 0
    assert [told(read(agent, period)) for period in PERIODS] == before
    assert RollupMark.objects.get().until == NOON - timedelta(minutes=5)


def test_bit_by_bit_or_at_once_the_figures_are_the_same(agent: Agent) -> None:
    a_day(agent)
    for minutes in (700, 63, 62, 31, 30, 2, 1, 0):
        roll_up(NOON - timedelta(minutes=minutes))
    first = told(read(agent)), sorted(Rollup.objects.filter(span__gt=5).values_list("span", "start", "hook", "total"))
    Rollup.objects.all().delete()
    RollupMark.objects.all().delete()
    roll_up(NOON)
    again = told(read(agent)), sorted(Rollup.objects.filter(span__gt=5).values_list("span", "start", "hook", "total"))
    assert again == first


def test_of_the_last_days_alone_five_minutes_are_kept(agent: Agent) -> None:
    now = timezone.now()
    happened(agent, now - timedelta(days=5), ("guard", "allow"))
    happened(agent, now - timedelta(minutes=30), ("guard", "allow"))
    roll_up(now)
    assert Rollup.objects.filter(span=5, custom_agent=ALL, hook="").count() == 1
    assert Rollup.objects.filter(span=1440, custom_agent=ALL, hook="").count() == 2


def test_tests_and_checks_are_not_counted(agent: Agent) -> None:
    happened(agent, NOON - timedelta(minutes=30), kind="test")
    happened(agent, NOON - timedelta(minutes=30), kind="check")
    roll_up(NOON)
    assert read(agent).total.total == 0


def test_ananothers_are_not_counted(agent: Agent, another: Agent) -> None:
    happened(another, NOON - timedelta(minutes=30))
    happened(another, NOON - timedelta(minutes=1))
    roll_up(NOON)
    assert read(agent).total.total == 0 and read(another).total.total == 2


def test_one_custom_agent_or_the_agent_itself(agent: Agent) -> None:
    a_day(agent)
    roll_up(NOON)
    assert read(agent, custom_agent="helper").total.total == 12
    assert read(agent, custom_agent="").total.total == 37
    assert read(agent, custom_agent="nobody").total.total == 0


def test_more_than_in_the_period_before(agent: Agent) -> None:
    for hours in (1, 2, 3, 30):
        happened(agent, NOON - timedelta(hours=hours))
    roll_up(NOON)
    assert read(agent).change == 2.0
    assert read(agent, "7d").change is None


def test_a_backlog_is_left_to_the_workers(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hooks.services.overview.NEWEST", 5)
    for minutes in range(10):
        happened(agent, NOON - timedelta(minutes=minutes + 1))
    shown = read(agent)
    assert shown.total.total == 0 and shown.until == shown.since
    roll_up(NOON)
    assert read(agent).total.total == 10 and read(agent).until is None


def test_one_worker_at_a_time(agent: Agent) -> None:
    happened(agent, NOON - timedelta(hours=1))
    with lease("rollups", seconds=60, patience=0):
        assert roll_up(NOON) == 0
    assert roll_up(NOON) > 0


def test_nothing_is_added_up_where_there_is_nothing(agent: Agent) -> None:
    assert roll_up(NOON) == 0 and not RollupMark.objects.exists()
    assert roll_up() == 0


def test_a_hook_with_the_name_of_anothers_is_told_apart(agent: Agent) -> None:
    one = happened(agent, NOON - timedelta(hours=2), ("Stop[0]", "allow"), custom_agent="helper")
    other = happened(agent, NOON - timedelta(hours=2), ("Stop[0]", "block"), custom_agent="second")
    HookResult.objects.filter(evaluation__in=[one, other]).update(level="customAgent")
    roll_up(NOON)
    assert [(hook.owner, hook.figures.blocked) for hook in read(agent).hooks] == [("helper", 0), ("second", 1)]
