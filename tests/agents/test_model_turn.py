"""Threads that a model plays: a scripted server says what it says, and shows what it was sent."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from agents.models import Agent, Thread
from agents.playground import threads, work
from hooks.engine.sandbox.client import RunnerSandbox
from tests.agents.cast import custom_agent
from tests.agents.test_playground import BOB, MARKER, said, shape, texts
from tests.concurrency import at_once
from tests.pages import hook
from tests.scripted_model import ScriptedModel, call, calls, failure
from tests.scripted_model import said as says

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def thread(agent: Agent) -> Thread:
    return threads.create_thread(agent=agent, by=BOB, mode="model", model="small")


def ask(thread: Thread, text: str = "What is 2 + 2?") -> Thread:
    threads.say(thread=thread, text=text, by=BOB)
    return played(thread)


def played(thread: Thread) -> Thread:
    work.play(thread_id=thread.pk)
    thread.refresh_from_db()
    return thread


def told(thread: Thread) -> list[str]:
    """The codes of its notices."""
    return [one.data["code"] for one in thread.entries.filter(kind="notice")]


def sent(model: ScriptedModel, number: int = -1) -> str:
    return json.dumps(model.requests[number]["messages"], ensure_ascii=False)


def test_it_works(sandboxed: RunnerSandbox, model: ScriptedModel, agent: Agent, thread: Thread) -> None:
    hook(agent, "marker", command=MARKER, type="command")
    model.script("4", "4\n\nTask complete.")
    ask(thread)
    assert [one.state for one in thread.entries.filter(kind="assistant")] == ["held", "final"]
    assert model.requests[1]["messages"] == [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "What is 2 + 2?"},
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "End with: Task complete."},
    ]
    assert model.requests[0]["stream"] is True and model.requests[0]["model"] == "small"
    assert (thread.state, thread.turn, thread.draft) == ("idle", 2, "")


def test_tools_run_in_the_sandbox(sandboxed: RunnerSandbox, model: ScriptedModel, thread: Thread) -> None:
    model.script(
        calls(
            ("ExecutePythonCode", json.dumps({"code": "import os\nprint(2 + 2, os.environ.get('SECRET_KEY'))"})),
            ("RunShellCommand", json.dumps({"command": "echo out; echo err >&2; exit 3"})),
        ),
        "Done.",
    )
    ask(thread)
    assert texts(thread, "result") == ["4 None", "out\nerr\nExit code 3."]
    assert [one.data["succeeded"] for one in thread.entries.filter(kind="result")] == [True, False]
    answers = [one for one in model.requests[1]["messages"] if one["role"] == "tool"]
    asked = model.requests[1]["messages"][2]["tool_calls"]
    assert [one["tool_call_id"] for one in answers] == [one["id"] for one in asked]


def test_a_blocked_result_never_reaches_the_model(
    sandboxed: RunnerSandbox, model: ScriptedModel, agent: Agent, thread: Thread
) -> None:
    hook(
        agent,
        "block",
        "PostToolUse",
        type="command",
        command=said("block", "It held a key.", additionalContext="Note."),
    )
    model.script(call("RunShellCommand", command="echo THE-$((40+2))-KEY"), "I could not see it.")
    ask(thread)
    assert thread.entries.get(kind="result").text == "THE-42-KEY"
    assert all("THE-42-KEY" not in sent(model, number) for number in range(len(model.requests)))
    assert [one["content"] for one in model.requests[1]["messages"][-2:]] == ["It held a key.", "Note."]
    assert all("THE-42-KEY" not in (one.transcript or "") for one in agent.evaluations.filter(event="Stop"))


@pytest.mark.parametrize("approve", [True, False])
def test_a_person_approves_or_denies(
    sandboxed: RunnerSandbox, model: ScriptedModel, agent: Agent, thread: Thread, approve: bool
) -> None:
    hook(agent, "gate", "PreToolUse", type="command", command=said("ask", "Really?"))
    model.script(call("RunShellCommand", command="echo ran"), "So be it.")
    ask(thread)
    assert (thread.state, len(model.requests)) == ("asking", 1)
    threads.decide(thread=thread, approve=approve, by=BOB)
    played(thread)
    assert thread.state == "idle"
    result = model.requests[1]["messages"][-1]["content"]
    assert result == "ran" if approve else "said no" in result


def test_nobody_answers_in_time(sandboxed: RunnerSandbox, model: ScriptedModel, agent: Agent, thread: Thread) -> None:
    hook(agent, "gate", "PreToolUse", type="command", command=said("ask", "Really?"))
    model.script(call("RunShellCommand", command="echo ran"), "So be it.")
    ask(thread)
    Thread.objects.update(asked_until=thread.created_at)
    work.end_lost()
    played(thread)
    assert thread.entries.get(kind="ask").state == "expired"
    assert "did not answer in time" in sent(model)


def test_a_forced_stop_after_three_rejections(
    sandboxed: RunnerSandbox, model: ScriptedModel, agent: Agent, thread: Thread
) -> None:
    hook(agent, "judge", type="prompt", prompt="Done?")
    no = '{"ok": false, "reason": "Not yet."}'
    model.script("4", no, "4", no, "4", no, "4")
    ask(thread)
    assert [one.state for one in thread.entries.filter(kind="assistant")] == ["held", "held", "held", "forced"]
    assert agent.evaluations.order_by("id").last().forced_stop


def test_handing_over_brings_other_instructions_and_hooks(
    sandboxed: RunnerSandbox, model: ScriptedModel, agent: Agent
) -> None:
    custom_agent(agent, "triage", instructions="You triage.", handoffs=["fixer"])
    custom_agent(agent, "fixer", {"Stop": [{"type": "command", "command": "true"}]}, instructions="You fix.")
    thread = threads.create_thread(agent=agent, by=BOB, mode="model", custom_agent="triage")
    model.script(call("transfer_to_fixer", note="broken"), "Fixed.")
    ask(thread)
    assert thread.custom_agent == "fixer"
    assert [one["messages"][0]["content"] for one in model.requests] == ["You triage.", "You fix."]
    assert {tool["function"]["name"] for tool in model.requests[0]["tools"]} == {
        "ExecutePythonCode",
        "RunShellCommand",
        "transfer_to_fixer",
    }
    stop = agent.evaluations.get(event="Stop")
    assert (stop.custom_agent, stop.results.count()) == ("fixer", 1)


def test_what_cannot_be_called_is_said_to_the_model(
    sandboxed: RunnerSandbox, model: ScriptedModel, thread: Thread
) -> None:
    model.script(
        calls(
            ("DropTables", "{}"),
            ("RunShellCommand", "{not json"),
            ("RunShellCommand", "[1]"),
            ("RunShellCommand", "{}"),
        ),
        "Sorry.",
    )
    ask(thread)
    assert [text.split(".")[0] for text in texts(thread, "result")] == [
        "There is no tool 'DropTables'",
        "The arguments of RunShellCommand are not a JSON object: Expecting property name enclosed in double quotes: line 1"
        " column 2 (char 1)",
        "The arguments of RunShellCommand are not a JSON object: it is JSON, but no object",
        "RunShellCommand needs 'command', a text",
    ]
    assert [one["function"]["arguments"] for one in model.requests[1]["messages"][2]["tool_calls"]][1:3] == ["{}", "{}"]
    assert thread.entries.filter(kind="assistant", state="final").exists()


def test_a_model_that_loops_is_stopped_and_can_go_on(
    sandboxed: RunnerSandbox, model: ScriptedModel, thread: Thread
) -> None:
    Thread.objects.update(max_turns=2)
    thread.refresh_from_db()
    model.script(*[call("RunShellCommand", command="true")] * 2, "At last.")
    ask(thread)
    assert (told(thread), thread.unfinished, len(model.requests)) == (["max_turns"], True, 2)
    threads.go_on(thread=thread, by=BOB)
    played(thread)
    assert texts(thread, "assistant") == ["At last."]
    assert not thread.unfinished


@pytest.mark.parametrize(
    ("replies", "code", "detail"),
    [
        ([failure(400, "unknown model")], "model_error", "unknown model"),
        ([failure(500, "overloaded")] * 2, "model_error", "overloaded"),
        ([""], "model_error", "answered with nothing"),
        ([replace(says("half of it all"), broken=True)], "model_error", "ended before the answer was whole"),
        ([says("x", sleep=5)], "model_timeout", "did not answer in time"),
    ],
)
def test_a_model_that_fails_is_shown_and_asked_again(
    sandboxed: RunnerSandbox,
    model: ScriptedModel,
    thread: Thread,
    monkeypatch: pytest.MonkeyPatch,
    replies: list[Any],
    code: str,
    detail: str,
) -> None:
    monkeypatch.setattr("agents.playground.model_turn.TIMEOUT", 1.0)
    model.script(*replies)
    ask(thread)
    assert told(thread) == [code]
    assert detail in thread.entries.get(kind="notice").data["detail"]
    assert (thread.state, thread.unfinished) == ("idle", True)
    model.script("Now.")
    threads.go_on(thread=thread, by=BOB)
    played(thread)
    assert texts(thread, "assistant") == ["Now."]


def test_without_a_model_it_says_what_to_set(sandboxed: RunnerSandbox, thread: Thread) -> None:
    ask(thread)
    assert "set OPENAI_API_KEY" in thread.entries.get(kind="notice").data["detail"]


def later(do: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        time.sleep(1.5)
        do()

    return run


def test_cancelling_in_the_middle_of_a_tool_ends_its_process(
    sandboxed: RunnerSandbox, model: ScriptedModel, thread: Thread
) -> None:
    model.script(call("RunShellCommand", command="sleep 59.875"))
    threads.say(thread=thread, text="Wait", by=BOB)
    begun = time.monotonic()
    at_once(lambda: work.play(thread_id=thread.pk), later(lambda: work.cancel(thread=thread)))
    assert time.monotonic() - begun < 20
    thread.refresh_from_db()
    assert (thread.state, thread.unfinished, told(thread)) == ("idle", True, ["cancelled"])
    assert not running("59.875")
    # What was not carried out is told, so that the conversation can go on.
    model.script("Never mind.")
    threads.say(thread=thread, text="Leave it", by=BOB)
    played(thread)
    assert "cancelled by a person" in sent(model) and len(model.requests) == 2


def running(sign: str) -> bool:
    from pathlib import Path

    return any(
        sign in path.read_text(errors="replace") for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()
    )


def test_what_a_model_writes_is_seen_as_it_comes_and_kept_when_cancelled(
    sandboxed: RunnerSandbox, model: ScriptedModel, thread: Thread
) -> None:
    model.script(replace(says("one two three four five six seven " * 20), pace=0.2))
    drafts: list[str] = []

    def watch() -> None:
        while not Thread.objects.get().draft:
            time.sleep(0.1)
        drafts.append(Thread.objects.get().draft)
        work.cancel(thread=thread)

    threads.say(thread=thread, text="Count", by=BOB)
    at_once(lambda: work.play(thread_id=thread.pk), watch)
    assert drafts[0].startswith("one two")
    assert thread.entries.get(kind="assistant").state == "partial"
    assert texts(thread, "assistant")[0].startswith(drafts[0])


def test_two_threads_at_once_do_not_mix(sandboxed: RunnerSandbox, model: ScriptedModel, agent: Agent) -> None:
    made = [threads.create_thread(agent=agent, by=BOB, mode="model") for _ in range(2)]
    for number, one in enumerate(made):
        threads.say(thread=one, text=f"I am {number}", by=BOB)
    model.script(*[call("RunShellCommand", command="echo $RANDOM")] * 2, "Done.", "Done.")
    at_once(*[lambda one=one: work.play(thread_id=one.pk) for one in made])
    for number, one in enumerate(made):
        assert shape(one)[-2:] == [("assistant", "final"), ("Stop allow", "")]
        other = texts(made[1 - number], "result")[0]
        mine = [json.dumps(asked["messages"]) for asked in model.requests if f"I am {number}" in str(asked)]
        assert len(mine) == 2 and not any(f"I am {1 - number}" in text for text in mine)
        assert texts(one, "result")[0] in mine[1] or other == texts(one, "result")[0]


def test_a_secret_is_masked_where_it_is_shown_and_true_where_it_is_needed(
    sandboxed: RunnerSandbox, model: ScriptedModel, thread: Thread, as_bob: Client
) -> None:
    secret = "postgres://admin:hunter2hunter2@db/prod"
    model.script("Thank you.")
    ask(thread, f"Use {secret} please")
    assert secret in sent(model)
    page = as_bob.get(f"/playground/{thread.pk}/").content.decode()
    export = b"".join(as_bob.get(f"/playground/{thread.pk}/export").streaming_content)  # type: ignore[attr-defined]
    assert "hunter2" not in page and b"hunter2" not in export
