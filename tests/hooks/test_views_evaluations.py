"""The page of one evaluation."""

from typing import Any

from django.test import Client
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from hooks.models import Evaluation, HookResult
from tests.pages import hook, words
from tests.shell import BY


def evaluation(agent: Agent, **more: Any) -> Evaluation:
    given = {"kind": "runtime", "event": "PostToolUse", "tool_name": "Bash", "context": {"tool_name": "Bash"}, **more}
    given = {
        "decision": "block",
        "reason": "sudo is not allowed",
        "duration_ms": 1,
        "created_at": timezone.now(),
        **given,
    }
    one = Evaluation.objects.create(agent=agent, **given)
    HookResult.objects.create(
        evaluation=one,
        index=0,
        hook=hook(agent, "no-sudo", "PostToolUse"),
        name="no-sudo",
        level="agent",
        position=0,
        type="command",
        outcome="block",
        exit_code=2,
        stderr="sudo is \x1b[31mnot\x1b[0m <b>allowed</b>",
        kind=one.kind,
        created_at=one.created_at,
    )
    return one


def test_it_works(as_bob: Client, agent: Agent) -> None:
    one = evaluation(agent, transcript="user: hello", thread_key="t-1")
    text = words(as_bob.get(f"/evaluations/{one.pk}"))
    assert "The result of Bash was withheld from the agent. The tool had already run." in text
    assert "in place of the result of Bash sudo is not allowed" in text
    assert "Exit code 2 always blocks; stderr is the reason" in text
    assert "user: hello" in text and "t-1" in text


def test_a_test_says_what_would_come_of_it(as_bob: Client, agent: Agent) -> None:
    assert "would be withheld" in words(as_bob.get(f"/evaluations/{evaluation(agent, kind='test').pk}"))


def test_hostile_text_is_only_text(as_bob: Client, agent: Agent) -> None:
    one = evaluation(agent, context={"x": "<script>\u202e" + "y" * 200_000}, transcript="z" * 200_000)
    page = as_bob.get(f"/evaluations/{one.pk}")
    body = page.content.decode()
    assert "<b>allowed" not in body and "\x1b" not in body and "\u202e" not in body and "<script>\\u" not in body
    assert len(page.content) < 200 * 1024


def test_another_agents_is_not_there(as_bob: Client, agent: Agent) -> None:
    theirs = evaluation(create_agent(name="other", by=BY))
    for key in (theirs.pk, "x", "a%00b", "x" * 500):
        assert as_bob.get(f"/evaluations/{key}").status_code == 404


def test_queries(as_bob: Client, agent: Agent, django_assert_max_num_queries: Any) -> None:
    one = evaluation(agent)
    with django_assert_max_num_queries(12):
        as_bob.get(f"/evaluations/{one.pk}")
