"""Effective hooks: what would run, and why the rest would not; the same as what an evaluation then does."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.effective import Explanation, explain
from agents.models import Agent, CustomAgent
from hooks import services
from hooks.models import Hook, SampleContext, TestRun
from hooks.services import read_event
from tests.agents.cast import JUDGE, RUN, custom_agent
from tests.pages import hook, words
from tests.shell import BY, TOOL


@pytest.fixture
def triage(agent: Agent) -> CustomAgent:
    """A custom agent with hooks of its own, under an agent that has some in every state."""
    hook(agent, "everything", "PostToolUse")
    hook(agent, "bash-only", "PostToolUse", **RUN, matcher="Bash|Shell")
    hook(agent, "off", "PostToolUse", **RUN, matcher="Query.*")
    services.set_enabled(agent=agent, names=["off"], enabled=False, by=BY)
    on_demand = hook(agent, "asked-for", "PostToolUse")
    Hook.objects.filter(pk=on_demand.pk).update(activation_mode="onDemand")
    hook(agent, "at-the-end", "Stop")
    custom_agent(agent, "other", {"PostToolUse": [{"name": "of-another", **RUN, "matcher": "*"}]})
    return custom_agent(
        agent,
        "triage",
        {
            "PostToolUse": [{"name": "mine", **RUN, "matcher": "Query(Logs|Traces)"}, {**RUN, "matcher": "GetMetrics"}],
            "Stop": [JUDGE],
        },
    )


def ran(explanation: Explanation) -> list[str]:
    return [one.candidate.name for one in explanation.agent + explanation.custom_agent]


def test_it_works(triage: CustomAgent, agent: Agent) -> None:
    found = explain(agent, triage, event="PostToolUse", tool="QueryLogs")
    assert ran(found) == ["everything", "mine"]
    assert [one.number for one in found.agent + found.custom_agent] == [1, 2]
    assert {one.hook.label: (one.code, one.why) for one in found.silent} == {
        "bash-only": ("matcher", "^(Bash|Shell)$ does not match QueryLogs"),
        "off": ("disabled", "Disabled. Its matcher would hit."),
        "asked-for": ("on_demand", "On demand, and not activated in a new thread. Its matcher would hit."),
        "PostToolUse[1]": ("matcher", "^(GetMetrics)$ does not match QueryLogs"),
    }
    assert {one.hook.label: (one.code, one.why) for one in found.far} == {
        "at-the-end": ("event", "For Stop, not for PostToolUse"),
        "Stop[0]": ("event", "For Stop, not for PostToolUse"),
        "of-another": ("level", "Only while other runs"),
    }
    assert found.waits == (30, 30)


def test_what_a_thread_activated_and_paused_counts(triage: CustomAgent, agent: Agent) -> None:
    services.set_active(agent=agent, key="t1", name="asked-for", active=True, by=BY)
    services.set_active(agent=agent, key="t1", name="everything", active=False, by=BY)
    found = explain(agent, triage, event="PostToolUse", tool="QueryLogs", thread="t1")
    assert ran(found) == ["asked-for", "mine"]
    assert ("everything", "paused") in [(one.hook.label, one.code) for one in found.silent]


def test_a_thread_at_its_limit_skips_prompt_hooks(triage: CustomAgent, agent: Agent) -> None:
    agent.threads.create(key="t1", stop_rejections=3)
    found = explain(agent, triage, event="Stop", thread="t1")
    assert (found.limit, found.rejections) == (3, 3)
    assert [(one.candidate.name, one.skipped) for one in found.agent + found.custom_agent] == [
        ("at-the-end", False),
        ("Stop[0]", True),
    ]


def test_what_is_stored_and_cannot_run_is_an_error(triage: CustomAgent, agent: Agent) -> None:
    Hook.objects.filter(name="mine").update(options={**RUN, "matcher": "Query("})
    Hook.objects.filter(name="everything").update(options={"type": "command"})
    found = explain(agent, triage, event="PostToolUse", tool="QueryLogs")
    assert all(one.error for one in found.agent + found.custom_agent if one.candidate.name in ("everything", "mine"))
    assert ran(found) == ["everything", "mine"]


@pytest.mark.parametrize("tool", ["QueryLogs", "Bash", "GetMetrics", "bash", "Nothing"])
@pytest.mark.usefixtures("sandboxed")
def test_an_evaluation_runs_exactly_what_was_explained(triage: CustomAgent, agent: Agent, tool: str) -> None:
    context: dict[str, Any] = {**TOOL, "agent_name": "triage", "tool_name": tool}
    request = read_event({"context": context})
    record = services.evaluate(agent=agent, request=request, by=BY)
    explained = ran(explain(agent, triage, event="PostToolUse", tool=tool))
    assert [result.name for result in record.results] == explained


def test_the_page(triage: CustomAgent, as_bob: Client) -> None:
    page = as_bob.get("/custom-agents/triage/effective", {"event": "PostToolUse", "tool": "QueryLogs"})
    said = words(page)
    assert "2 hooks would run" in said and "4 would not run" in said
    assert "4 hooks of other events" not in said and "3 hooks of other events" in said
    assert "of-another" not in said
    every = as_bob.get("/custom-agents/triage/effective", {"event": "PostToolUse", "tool": "QueryLogs", "all": "1"})
    assert "Only while other runs" in words(every)


TRY = "/custom-agents/triage/effective/test"
LOGS = {"event": "PostToolUse", "tool": "QueryLogs"}


def test_it_is_tried_on_a_sample(triage: CustomAgent, agent: Agent, as_bob: Client) -> None:
    assert "There is no sample context of PostToolUse yet" in words(as_bob.get(TRY, LOGS))
    SampleContext.objects.create(agent=agent, name="logs", event="PostToolUse", context={**TOOL, "agent_name": "x"})
    page = as_bob.get(TRY, LOGS)
    assert "2 hooks run for PostToolUse of triage, tool QueryLogs" in words(page)
    assert '<option value="logs">' in page.content.decode()
    answer = as_bob.post(TRY, {**LOGS, "sample": "logs"})
    run = TestRun.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/test-runs/{run.pk}")
    assert run.target == {}
    named = {key: run.input["context"][key] for key in ("agent_name", "tool_name", "hook_event_name")}
    assert named == {"agent_name": "triage", "tool_name": "QueryLogs", "hook_event_name": "PostToolUse"}


@pytest.mark.parametrize("sample", ["gone", "\x00", ""])
def test_a_sample_that_is_gone(triage: CustomAgent, as_bob: Client, sample: str) -> None:
    assert "no longer there" in words(as_bob.post(TRY, {**LOGS, "sample": sample}))
    assert as_bob.post(TRY, {"event": "<b>", "sample": sample}).status_code == 404
    assert not TestRun.objects.exists()


def test_who_may_only_look_tries_nothing(triage: CustomAgent, agent: Agent, signed_in: Any, dana: User) -> None:
    SampleContext.objects.create(agent=agent, name="logs", event="PostToolUse", context=TOOL)
    page = signed_in(dana).get("/custom-agents/triage/effective", {"event": "PostToolUse", "tool": "QueryLogs"})
    assert "Editors may run these hooks" in words(page) and "effective/test" not in page.content.decode()


def test_what_is_asked_may_be_anything(triage: CustomAgent, as_bob: Client) -> None:
    hostile = {"event": "<b>", "tool": "<script>\x00" * 500, "thread": "\x00'\"<i>" * 100}
    page = as_bob.get("/custom-agents/triage/effective", hostile)
    assert page.status_code == 200
    assert "<script>\x00" not in page.content.decode() and "<i>" not in page.content.decode()


def test_few_queries_with_many_hooks(
    triage: CustomAgent, agent: Agent, as_bob: Client, django_assert_max_num_queries: Any
) -> None:
    Hook.objects.bulk_create(
        Hook(agent=agent, name=f"h{n}", event="Stop", type="command", options=RUN, content_hash="x") for n in range(400)
    )
    with django_assert_max_num_queries(12):
        page = as_bob.get("/custom-agents/triage/effective?all=1")
    assert "and more than 300 of other events" in words(page)
