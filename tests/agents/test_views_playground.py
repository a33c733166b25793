"""The pages of the playground: what people see of threads, and what their forms do."""

import json
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent, Thread
from agents.playground import entries, threads, work
from hooks.engine.sandbox.client import RunnerSandbox
from tests.agents.cast import custom_agent
from tests.agents.test_playground import BOB, play
from tests.pages import HTMX, hook, words
from tests.shell import BY


@pytest.fixture
def thread(agent: Agent) -> Thread:
    return threads.create_thread(agent=agent, by=BOB)


def at(thread: Thread, what: str = "") -> str:
    return f"/playground/{thread.pk}/{what}"


def test_it_works(as_bob: Client, agent: Agent, sandboxed: RunnerSandbox) -> None:
    hook(agent, "never", type="command", command="echo 'Say <more>.' >&2; exit 2")
    custom_agent(agent, "triage")
    page = as_bob.post("/playground/", {"mode": "hand", "custom_agent": "triage", "model": ""})
    thread = Thread.objects.get()
    assert page.headers["Location"] == at(thread)
    assert (thread.custom_agent, thread.mode, thread.created_by) == ("triage", "hand", "bob")
    assert as_bob.post(at(thread, "say"), {"as": "message", "text": "Hi"}).headers["Location"] == at(thread)
    play(thread)
    as_bob.post(at(thread, "say"), {"as": "answer", "text": "4"})
    play(thread)
    said = words(as_bob.get(at(thread)))
    for text in (
        "Hi",
        "held back, not shown to the user",
        "Stop never Rejected attempt 1, no limit",
        "Reason: Say <more>.",
    ):
        assert text in said, text
    assert "Injected as a user message by never on Stop" in said
    assert "Hi" in words(as_bob.get("/playground/"))


def test_an_example_is_one_click(as_bob: Client, agent: Agent) -> None:
    page = as_bob.post("/playground/example", {"example": "completion-marker", "mode": "hand"})
    thread = Thread.objects.get()
    assert page.headers["Location"] == at(thread)
    assert (thread.state, thread.example) == ("queued", "completion-marker")
    assert "is active in this thread" in words(as_bob.get(at(thread)))
    assert as_bob.post("/playground/example", {"example": "none"}).status_code == 404


def test_a_poll_answers_what_is_new_and_nothing_else(as_bob: Client, thread: Thread, sandboxed: RunnerSandbox) -> None:
    threads.say(thread=thread, text="One", by=BOB)
    play(thread)
    thread.refresh_from_db()
    known = {"since": thread.revision, "length": thread.length, "state": "idle"}
    assert as_bob.get(at(thread), known, headers=HTMX).status_code == 204
    threads.answer(thread=thread, text="Two", by=BOB)
    fresh = as_bob.get(at(thread), known, headers=HTMX).content.decode()
    assert "beforeend:#log" in fresh and "Two" in fresh and "One" not in fresh
    before = {**known, "since": thread.revision, "length": thread.length}
    play(thread)
    changed = as_bob.get(at(thread), before, headers=HTMX).content.decode()
    assert re.search(r'id="e-\d" class="entry" hx-swap-oob="true"', changed) and "final answer" in changed


def test_what_was_typed_is_kept_when_somebody_else_is_at_work(as_bob: Client, thread: Thread) -> None:
    threads.say(thread=thread, text="First", by=BY)
    page = as_bob.post(at(thread, "say"), {"as": "answer", "text": "My long answer"}, headers=HTMX)
    assert page.status_code == 409
    assert "Somebody else is at work" in words(page) and "My long answer" in page.content.decode()
    plain = as_bob.post(at(thread, "say"), {"as": "answer", "text": "My long answer"})
    assert plain.status_code == 409 and "My long answer" in plain.content.decode()


def test_a_bad_input_of_a_tool_is_said_and_kept(as_bob: Client, thread: Thread) -> None:
    page = as_bob.post(at(thread, "say"), {"as": "tool", "tool": "Bash", "input": "[<1>", "result": "r"}, headers=HTMX)
    assert page.status_code == 422
    assert "input is not JSON" in words(page) and "[&lt;1&gt;" in page.content.decode()


def test_approving_and_denying_from_the_page(as_bob: Client, thread: Thread) -> None:
    call = entries.append(thread, "call", "{}", state="asked", tool="Bash", id="call_1", group=1)
    entries.append(thread, "ask", "Why?", state="waiting", tool="Bash", call=call.number)
    Thread.objects.filter(pk=thread.pk).update(state="asking")
    assert "May Bash be called?" in words(as_bob.get(at(thread)))
    page = as_bob.post(at(thread, "decide"), {"decision": "deny", "since": 2, "length": 2}, headers=HTMX)
    assert "Denied by bob" in words(page)
    again = as_bob.post(at(thread, "decide"), {"decision": "approve"}, headers=HTMX)
    assert again.status_code == 409 and "decided already" in words(again)


def test_hooks_are_switched_in_the_thread_as_by_the_api(as_bob: Client, agent: Agent, thread: Thread) -> None:
    hook(agent, "one")
    page = as_bob.post(at(thread, "hooks/one"), {"active": "off"}, headers=HTMX)
    assert "paused here" in words(page)
    answer = as_bob.get(f"/api/v1/threads/{thread.key}/hooks")
    assert [one["isActive"] for one in answer.json()["hooks"]] == [False]


def test_viewers_watch_and_do_not_play(
    signed_in: Callable[[User], Client], dana: User, agent: Agent, thread: Thread
) -> None:
    hook(agent, "one")
    client = signed_in(dana)
    page = client.get(at(thread))
    assert "Your role is Viewer: you can watch." in words(page)
    assert "<textarea" not in page.content.decode() and 'role="switch"' not in page.content.decode()
    for what in ("say", "decide", "go-on", "cancel", "hooks/one", "edit", "delete"):
        assert client.post(at(thread, what)).status_code == 403
    assert client.post("/playground/example", {"example": "completion-marker"}).status_code in (200, 403)
    assert Thread.objects.count() == 1


def test_another_agents_thread_is_not_found(as_bob: Client, thread: Thread, root: User) -> None:
    from agents.services import create_agent

    other = create_agent(name="other", by=BY)
    theirs = threads.create_thread(agent=other, by=BY)
    assert as_bob.get(at(theirs)).status_code == 404
    assert as_bob.get(f"{at(theirs)}?agent=other").status_code == 403
    assert as_bob.get("/playground/99999999999999999999/").status_code == 404


def test_hostile_text_is_escaped_and_cut(as_bob: Client, thread: Thread, sandboxed: RunnerSandbox) -> None:
    threads.say(thread=thread, text="<script>alert(1)</script>\x00\u202e" + "x" * 1_000_000, by=BOB)
    play(thread)
    page = as_bob.get(at(thread))
    body = page.content.decode()
    assert "<script>alert" not in body and len(body) < 100_000
    assert "996," in words(page) or "more characters" in words(page)
    whole = json.loads(b"".join(as_bob.get(at(thread, "export")).streaming_content))  # type: ignore[attr-defined]
    assert len(whole["entries"][0]["text"]) > 1_000_000


def test_a_thread_is_renamed_and_handed_to_another_player(as_bob: Client, agent: Agent, thread: Thread) -> None:
    custom_agent(agent, "triage")
    form = {"title": "  A <b>  ", "custom_agent": "triage", "mode": "model", "model": "Fast", "max_turns": "5"}
    assert as_bob.post(at(thread, "edit"), form).status_code == 303
    thread.refresh_from_db()
    assert (thread.title, thread.custom_agent, thread.mode, thread.max_turns) == ("A <b>", "triage", "model", 5)
    page = as_bob.post(at(thread, "edit"), {**form, "title": " ", "max_turns": "500"})
    assert page.status_code == 422
    assert "must not be blank" in words(page) or "must be a whole number from 1 to 100" in words(page)
    told = words(as_bob.get(at(thread)))
    assert "No model is configured: set OPENAI_API_KEY" in told


def test_a_thread_is_deleted_after_a_question(as_bob: Client, thread: Thread) -> None:
    assert "Delete the thread" in words(as_bob.get(at(thread, "delete")))
    assert as_bob.post(at(thread, "delete")).headers["Location"] == "/playground/"
    assert not Thread.objects.exists()


def test_search_filters_and_pages(as_bob: Client, agent: Agent) -> None:
    for number in range(60):
        agent.threads.create(key=f"k{number}", title=f"Title {number}", mode="hand" if number % 2 else "")
    assert "60 threads" in words(as_bob.get("/playground/")) and "Page 1 of 2" in words(as_bob.get("/playground/"))
    assert "1 thread" in words(as_bob.get("/playground/", {"q": "title 59"}))
    assert "30 threads" in words(as_bob.get("/playground/", {"mode": "live"}))
    assert "No thread matches" in words(as_bob.get("/playground/", {"q": "\x00nothing"}))


def test_a_live_agents_thread_shows_its_events(as_bob: Client, api: object, agent: Agent) -> None:
    found = agent.threads.create(key="live-1")
    page = as_bob.get(at(found))
    assert "the portal knows its events" in words(page)
    assert as_bob.post(at(found, "say"), {"as": "message", "text": "x"}, headers=HTMX).status_code == 409


def test_twelve_queries_whatever_there_is(
    as_bob: Client, agent: Agent, thread: Thread, django_assert_max_num_queries: Callable[..., object]
) -> None:
    for number in range(30):
        hook(agent, f"hook-{number}")
        entries.append(thread, "user", f"Message {number}", by="bob")
    with django_assert_max_num_queries(12):  # type: ignore[attr-defined]
        as_bob.get(at(thread) + "?as=tool")
    with django_assert_max_num_queries(12):  # type: ignore[attr-defined]
        as_bob.get("/playground/")


def test_a_thread_whose_worker_is_lost_says_so_and_can_be_continued(as_bob: Client, thread: Thread) -> None:
    from datetime import timedelta

    from django.utils import timezone

    threads.say(thread=thread, text="x", by=BOB)
    Thread.objects.filter(pk=thread.pk).update(state="running", heartbeat=timezone.now() - timedelta(seconds=60))
    page = words(as_bob.get(at(thread)))
    assert "The worker stopped in the middle of this thread" in page and "Continue" in page
    as_bob.post(at(thread, "go-on"))
    thread.refresh_from_db()
    assert thread.state == "queued"
    work.cancel(thread=thread)
    assert "Cancelled. What was running has been stopped." in words(as_bob.get(at(thread)))
