"""Monitor → Overview: figures, charts with their tables, and what needs attention."""

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from hooks.models import Evaluation, Hook, HookResult
from hooks.services import roll_up
from portal.health import Check
from tests.pages import hook, words


@pytest.fixture(autouse=True)
def all_is_well(settings: Any) -> None:
    settings.READINESS_CHECKS = {"sandbox": f"{__name__}.working"}


def working() -> Check:
    return Check(True, "12 checks passed; ready in advance: python 4 of 4")


def broken() -> Check:
    return Check(False, "No <worker> has shown itself.")


def ran(one: Hook, outcome: str = "allow", minutes: float = 10, **more: Any) -> Evaluation:
    """Let a hook have had a live run some minutes ago."""
    at = timezone.now() - timedelta(minutes=minutes)
    forced = outcome == "skipped"
    evaluation = Evaluation.objects.create(
        agent=one.agent,
        kind="runtime",
        event=one.event,
        context={},
        decision="block" if outcome == "block" else "allow",
        forced_stop=forced,
        duration_ms=50,
        created_at=at,
    )
    given = {"duration_ms": 40.0, "error_code": "exit_code" if outcome == "error" else "", **more}
    HookResult.objects.create(
        agent=one.agent,
        evaluation=evaluation,
        index=0,
        hook=one,
        name=one.label,
        level="agent",
        position=0,
        type=one.type,
        outcome=outcome,
        kind="runtime",
        created_at=at,
        **given,
    )
    return evaluation


def test_before_the_first_evaluation_it_says_what_to_do(as_bob: Client, agent: Agent) -> None:
    text = words(as_bob.get("/overview"))
    assert "No live evaluations in the last 24 hours" in text and "How an agent calls" in text
    assert "nothing: no hook fails" in text
    assert "12 checks passed; ready in advance: python 4 of 4" in text


def test_it_counts_what_has_just_been(as_bob: Client, agent: Agent) -> None:
    guard = hook(agent, "guard")
    ran(guard, "block")
    ran(guard)
    ran(guard, minutes=25 * 60)
    for rolled in (False, True):
        if rolled:
            roll_up()
        text = words(as_bob.get("/overview"))
        assert "Evaluations 2" in text and ("+100 % on the day before" in text) == rolled
        assert "Block rate 50 % 1 blocked" in text and "Error rate 0 % 0 with an error" in text
        assert "guard Stop 2 50 % 0 %" in text


@pytest.mark.parametrize(("period", "per"), [("1h", "5 minutes"), ("7d", "6 hours"), ("30d", "day"), ("90d", "3 days")])
def test_each_period_has_bars_and_a_table(as_bob: Client, agent: Agent, period: str, per: str) -> None:
    ran(hook(agent, "guard"))
    page = as_bob.get(f"/overview?period={period}")
    text = words(page)
    assert f"per {per}" in text and text.count("As table") == 2
    assert page.content.count(b'<svg class="chart"') == 2


def test_of_one_custom_agent(as_bob: Client, agent: Agent) -> None:
    ran(hook(agent, "guard"))
    agent.custom_agents.create(name="helper")
    page = as_bob.get("/overview?customAgent=helper&period=7d")
    assert "No live evaluations in the last 7 days" in words(page)
    assert 'href="?period=7d"' in page.content.decode()  # all of them again


@pytest.mark.parametrize("query", ["period=1y", "customAgent=%00", "period=24h&customAgent=" + "x" * 5_000])
def test_a_wrong_query_string_shows_something(as_bob: Client, agent: Agent, query: str) -> None:
    assert as_bob.get(f"/overview?{query}").status_code == 200


def led(page: HttpResponse, label: str) -> str:
    """Where the link of this name leads."""
    found = re.search(rf'href="([^"]*)" aria-label="{re.escape(label)}"', page.content.decode())
    assert found, label
    return html.unescape(found[1])


def test_a_failing_hook_needs_attention(as_bob: Client, agent: Agent) -> None:
    one = hook(agent, "flaky")
    for outcome in ("error", "error", "allow"):
        ran(one, outcome)
    page = as_bob.get("/overview")
    assert "flaky fails: 2 of its last 3 runs Its fail mode then lets pass." in words(page)
    assert "2 evaluations" in words(as_bob.get(led(page, "See errors of flaky")))


def test_a_slow_hook_needs_attention(as_bob: Client, agent: Agent) -> None:
    ran(hook(agent, "slow", type="command", command="true", timeout=10), duration_ms=9_000.0)
    assert "slow is near its timeout 9.0 s of 10 s" in words(as_bob.get("/overview"))


def test_a_hook_that_never_matched_needs_attention(as_bob: Client, agent: Agent) -> None:
    hook(agent, "vain", "PostToolUse", type="command", command="true", matcher="<Nothing>")
    ran(hook(agent, "guard", "PostToolUse"), minutes=-0.001)
    page = as_bob.get("/overview")
    assert "vain has never matched PostToolUse came, but no tool that <Nothing> matches." in words(page)
    assert b"<Nothing>" not in page.content


def test_a_loop_that_hit_its_limit_needs_attention(as_bob: Client, agent: Agent) -> None:
    marker = hook(agent, "marker", type="prompt", prompt="Is the marker there?")
    ran(marker, "block")
    ran(marker, "skipped")
    ran(marker, "skipped")
    page = as_bob.get("/overview")
    text = words(page)
    assert "2 evaluations" in words(as_bob.get(led(page, "See where marker was skipped")))
    assert "marker had no rejections left 2 times" in text
    assert "marker Stop 1 100 % 0 %" in text  # what is skipped is no run


def test_a_hook_of_a_custom_agent_is_named_with_it(as_bob: Client, agent: Agent) -> None:
    one = hook(agent, "unnamed")
    Hook.objects.filter(pk=one.pk).update(custom_agent=agent.custom_agents.create(name="helper"), name="")
    one.refresh_from_db()
    evaluation = ran(one, "error")
    HookResult.objects.filter(evaluation=evaluation).update(level="customAgent")
    Evaluation.objects.filter(pk=evaluation.pk).update(custom_agent="helper")
    page = as_bob.get("/overview")
    text = words(page)
    assert "1 evaluation" in words(as_bob.get(led(page, "See errors of Stop[0]")))
    assert "helper › Stop[0] fails: 1 of its last 1 runs" in text
    assert "helper › Stop[0] Stop 1 0 % 100 %" in text


def test_what_is_down_needs_attention(as_bob: Client, agent: Agent, settings: Any) -> None:
    settings.READINESS_CHECKS = {"worker": f"{__name__}.broken"}
    text = words(as_bob.get("/overview"))
    assert "Workers: down No <worker> has shown itself." in text


def test_viewers_may_look(signed_in: Any, dana: User) -> None:
    assert signed_in(dana).get("/overview").status_code == 200


def test_the_number_of_queries_does_not_grow(as_bob: Client, agent: Agent, django_assert_max_num_queries: Any) -> None:
    for number in range(30):
        one = hook(agent, f"guard-{number}")
        ran(one, "error")
        ran(one, "skipped")
    with django_assert_max_num_queries(12):
        as_bob.get("/overview")
