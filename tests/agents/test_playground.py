"""Threads played by hand: each event where it belongs, and what the agent then knows."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.models import Agent, Thread, ThreadEntry
from agents.playground import conversation, entries, examples, retention, threads, work
from agents.playground.playing import Play, Waiting
from hooks import services
from hooks.engine.errors import Invalid
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.models import Kind
from portal.access.actors import Actor
from portal.errors import Conflict
from tests.agents.cast import custom_agent
from tests.pages import hook
from tests.shell import BY

MARKER = (
    """case "$(jq -r .final_output)" in *"Task complete.") exit 0;; esac; echo 'End with: Task complete.' >&2; exit 2"""
)
BOB = Actor(kind="user", key="1", text="bob")


def play(thread: Thread) -> bool:
    """Do what a worker does; tell whether it waits for a person."""
    thread.refresh_from_db()
    assert thread.state == "queued"
    try:
        Play(thread, by=BY, cancelled=lambda: False).run()
    except Waiting:
        Thread.objects.filter(pk=thread.pk).update(state="asking")
        return True
    Thread.objects.filter(pk=thread.pk).update(state="idle")
    return False


def shape(thread: Thread) -> list[tuple[str, str]]:
    """Kind and state of each entry, evaluations with their decision."""
    return [
        (f"{one.data['event']} {one.data['decision']}" if one.kind == "evaluation" else one.kind, one.state)
        for one in thread.entries.all()
    ]


def texts(thread: Thread, kind: str) -> list[str]:
    return [one.text for one in thread.entries.filter(kind=kind)]


@pytest.fixture
def thread(agent: Agent) -> Thread:
    return threads.create_thread(agent=agent, by=BOB)


@pytest.fixture
def answered(thread: Thread) -> Callable[[str], None]:
    def answer(text: str) -> None:
        threads.answer(thread=thread, text=text, by=BOB)
        play(thread)

    return answer


def test_it_works(sandboxed: RunnerSandbox, agent: Agent, thread: Thread, answered: Callable[[str], None]) -> None:
    hook(agent, "marker", command=MARKER, type="command")
    threads.say(thread=thread, text="What is 2 + 2?", by=BOB)
    play(thread)
    answered("4")
    answered("4\n\nTask complete.")
    assert shape(thread) == [
        ("user", ""),
        ("Start allow", ""),
        ("assistant", "held"),
        ("Stop block", ""),
        ("injected", ""),
        ("assistant", "final"),
        ("Stop allow", ""),
    ]
    assert texts(thread, "injected") == ["End with: Task complete."]
    stops = list(agent.evaluations.filter(event="Stop").order_by("id"))
    assert {one.kind for one in stops} == {Kind.PLAYGROUND}
    assert [one.context["stop_rejection_count"] for one in stops] == [0, 1]
    assert [one.context["stop_hook_active"] for one in stops] == [False, True]
    assert stops[1].transcript == (
        "user: What is 2 + 2?\nassistant: 4\nuser: End with: Task complete.\nassistant: 4\n    \n    Task complete.\n"
    )
    thread.refresh_from_db()
    assert (thread.title, thread.stop_rejections, thread.length) == ("What is 2 + 2?", 0, 7)


def test_the_context_of_start_enters_the_conversation(sandboxed: RunnerSandbox, agent: Agent, thread: Thread) -> None:
    hook(agent, "note", "Start", type="command", command=said(additionalContext="Team Amber."))
    threads.say(thread=thread, text="Hello", by=BOB)
    play(thread)
    assert conversation.messages(conversation.said(thread.entries)) == [
        {"role": "user", "content": "Hello"},
        {"role": "user", "content": "Team Amber."},
    ]


def said(decision: str = "allow", reason: str = "", **more: Any) -> str:
    verdict = {"decision": decision, **({"reason": reason} if reason else {}), "hookSpecificOutput": more}
    return f"cat >/dev/null; echo '{json.dumps(verdict)}'"


def tool(thread: Thread, name: str = "Bash", given: str = '{"command": "ls"}', result: str = "a.txt") -> bool:
    threads.call_tool(thread=thread, tool=name, given=given, result=result, succeeded=True, by=BOB)
    return play(thread)


def test_a_denied_call_is_not_made_and_the_agent_gets_the_reason(
    sandboxed: RunnerSandbox, agent: Agent, thread: Thread
) -> None:
    hook(agent, "no", "PreToolUse", type="command", command=said("deny", "Not that."))
    tool(thread)
    assert shape(thread) == [
        ("call", "done"),
        ("Start allow", ""),
        ("PreToolUse deny", ""),
        ("result", "given"),
    ]
    result = thread.entries.get(kind="result")
    assert (result.text, result.data["ran"]) == ("Denied: Not that.", False)
    assert "a.txt" not in str(conversation.messages(conversation.said(thread.entries)))


def test_a_blocked_result_is_withheld_and_the_reason_takes_its_place(
    sandboxed: RunnerSandbox, agent: Agent, thread: Thread
) -> None:
    hook(agent, "secret", "PostToolUse", type="command", command=said("block", "It held a key.", additionalContext="!"))
    tool(thread, result="AKIA-SECRET")
    assert thread.entries.get(kind="result").state == "withheld"
    told = str(conversation.messages(conversation.said(thread.entries)))
    assert "AKIA-SECRET" not in told and "It held a key." in told
    assert "AKIA-SECRET" not in str(conversation.transcript(conversation.said(thread.entries)))
    assert texts(thread, "injected") == ["!"]


@pytest.mark.parametrize(("approve", "text"), [(True, "a.txt"), (False, "A person was asked and said no. (bob)")])
def test_a_person_is_asked(sandboxed: RunnerSandbox, agent: Agent, thread: Thread, approve: bool, text: str) -> None:
    hook(agent, "gate", "PreToolUse", type="command", command=said("ask", "Production!"))
    assert tool(thread)
    assert texts(thread, "ask") == ["Production!"]
    threads.decide(thread=thread, approve=approve, by=BOB)
    assert not play(thread)
    result = thread.entries.get(kind="result")
    assert (result.text, result.data["ran"]) == (text, approve)
    assert agent.evaluations.filter(event="PostToolUse").exists() == approve
    question = thread.entries.get(kind="ask")
    assert (question.state, question.by) == ("approved" if approve else "denied", "bob")
    with pytest.raises(Conflict):
        threads.decide(thread=thread, approve=True, by=BOB)


def test_a_forced_stop_after_as_many_rejections_as_there_may_be(
    sandboxed: RunnerSandbox, agent: Agent, thread: Thread, model: Any, answered: Callable[[str], None]
) -> None:
    hook(agent, "judge", type="prompt", prompt="Done?", maxRejections=2)
    model.script(*['{"ok": false, "reason": "No."}'] * 2)
    for _ in range(3):
        answered("4")
    assert [one.state for one in thread.entries.filter(kind="assistant")] == ["held", "held", "forced"]
    shown = [one.data for one in thread.entries.filter(kind="evaluation") if one.data["event"] == "Stop"]
    assert [(one["attempt"], one["limit"], one["forced"]) for one in shown] == [
        (1, 2, False),
        (2, 2, False),
        (3, 2, True),
    ]


def test_a_hook_switched_in_the_thread_counts_from_the_next_event(
    sandboxed: RunnerSandbox, agent: Agent, thread: Thread, answered: Callable[[str], None]
) -> None:
    hook(agent, "never", type="command", command="echo No >&2; exit 2")
    services.set_active(agent=agent, key=thread.key, name="never", active=False, by=BY)
    answered("4")
    services.set_active(agent=agent, key=thread.key, name="never", active=True, by=BY)
    answered("4")
    assert [one.state for one in thread.entries.filter(kind="assistant")] == ["final", "held"]


@pytest.mark.parametrize("key", examples.EXAMPLES)
def test_an_example_plays_itself_with_the_gallerys_hook(sandboxed: RunnerSandbox, agent: Agent, key: str) -> None:
    thread = threads.begin_example(agent=agent, key=key, by=BOB)
    while play(thread):
        threads.decide(thread=thread, approve=False, by=BOB)
    example = examples.EXAMPLES[key]
    made = agent.hooks.get(name=example.hook)
    assert made.activation_mode == "onDemand"
    assert thread.entries.filter(kind="step").count() == len(example.steps)
    expected = {
        "completion-marker": ("Stop block", "Stop allow"),
        "block-dangerous-commands": ("PreToolUse none", "PreToolUse deny"),
        "audit-all-tools": ("injected", "PostToolUse allow"),
        "ask-before-production": ("PreToolUse none", "PreToolUse ask"),
    }[key]
    assert set(expected) <= {what for what, _ in shape(thread)}
    # A second one finds the hook that is there.
    threads.begin_example(agent=agent, key=key, by=BOB)
    assert agent.hooks.count() == 1


def test_an_example_leaves_a_hook_of_that_name_alone_if_it_does_something_else(agent: Agent) -> None:
    hook(agent, "completion-marker", "PreToolUse")
    threads.begin_example(agent=agent, key="completion-marker", by=BOB)
    assert {one.name for one in agent.hooks.all()} == {"completion-marker", "completion-marker-example"}


@pytest.mark.parametrize(
    ("given", "message"), [("[1]", "must be a JSON object"), ("{", "is not JSON"), ('{"a": NaN}', "is not JSON")]
)
def test_an_input_that_is_no_object_is_refused(thread: Thread, given: str, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        threads.call_tool(thread=thread, tool="Bash", given=given, result="", succeeded=True, by=BOB)
    assert thread.entries.count() == 0


def test_two_people_cannot_write_at_once(thread: Thread) -> None:
    threads.say(thread=thread, text="One", by=BOB)
    with pytest.raises(Conflict, match="Somebody else is at work"):
        threads.say(thread=thread, text="Two", by=BY)
    assert texts(thread, "user") == ["One"]


def test_hostile_text_comes_through_whole(sandboxed: RunnerSandbox, thread: Thread) -> None:
    text = "<script>\x00\x1b[2J\u202e\u2028\ud800" + "x" * 1_000_000
    threads.say(thread=thread, text=text, by=BOB)
    play(thread)
    entry = thread.entries.get(kind="user")
    assert entry.text == text.replace("\ud800", "\ufffd")
    assert "␀" in entry.preview and "\x00" not in entry.preview and len(entry.preview) < 5000


def test_what_is_too_large_to_judge_is_said_and_the_thread_goes_on(thread: Thread, sandboxed: RunnerSandbox) -> None:
    with pytest.raises(Invalid, match="longer than"):
        threads.say(thread=thread, text="x" * 3_000_000, by=BOB)
    threads.say(thread=thread, text="small", by=BOB)
    play(thread)


def test_a_custom_agents_own_hooks_run_and_its_deletion_is_said(
    sandboxed: RunnerSandbox, agent: Agent, transactional_db: None
) -> None:
    found = custom_agent(agent, "triage", {"Stop": [{"type": "command", "command": "echo Own >&2; exit 2"}]})
    thread = threads.create_thread(agent=agent, by=BOB, custom_agent="triage")
    threads.answer(thread=thread, text="4", by=BOB)
    work.play(thread_id=thread.pk)
    assert shape(thread)[-2:] == [("Stop block", ""), ("injected", "")]
    found.delete()
    threads.answer(thread=thread, text="5", by=BOB)
    work.play(thread_id=thread.pk)
    thread.refresh_from_db()
    assert thread.entries.last().data == {"code": "agent_gone", "detail": "triage"}  # type: ignore[union-attr]
    assert thread.state == "idle"
    threads.edit_thread(thread=thread, title="t", custom_agent="", mode="hand", model="Fast", max_turns=20, by=BOB)
    threads.go_on(thread=thread, by=BOB)
    work.play(thread_id=thread.pk)
    assert ThreadEntry.objects.filter(kind="assistant", text="5", state="final").exists()


def test_old_threads_go_as_old_evaluations_do(agent: Agent, thread: Thread, settings: Any) -> None:
    old = threads.create_thread(agent=agent, by=BOB)
    Thread.objects.filter(pk=old.pk).update(last_event_at=timezone.now() - timedelta(days=91))
    assert retention.purge() == 1
    assert list(Thread.objects.values_list("pk", flat=True)) == [thread.pk]


def test_a_hook_edited_in_between_counts_from_the_next_event(
    sandboxed: RunnerSandbox, agent: Agent, thread: Thread, answered: Callable[[str], None]
) -> None:
    made = hook(agent, "judge", type="command", command="echo One >&2; exit 2")
    answered("4")
    made.options = {**made.options, "command": "echo Two >&2; exit 2"}
    made.save()
    answered("4")
    assert texts(thread, "injected") == ["One", "Two"]


def test_a_full_thread_says_so(thread: Thread) -> None:
    Thread.objects.filter(pk=thread.pk).update(length=entries.MOST)
    with pytest.raises(Conflict, match="Start a new one"):
        threads.say(thread=thread, text="One more", by=BOB)
    thread.refresh_from_db()
    assert thread.state == "idle"
