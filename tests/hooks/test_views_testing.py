"""A hook tested from its row: chosen what with, queued, watched, told."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from hooks import services
from hooks.models import TestRun
from hooks.services import testing, testruns
from portal.troubles import MEANINGS, watch
from tests.pages import HTMX, hook, words
from tests.scripted_model import ScriptedModel
from tests.shell import BY

CONTEXT = '{"tool_name": "Bash", "tool_input": {"command": "sudo ls"}, "tool_result": "", "tool_succeeded": true}'
STOP = '{"final_output": "4"}'
BLOCKS = "echo 'sudo is not allowed' >&2; exit 2"


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was handed to the workers; a test runs it itself."""
    found: list[str] = []
    monkeypatch.setattr(testruns, "send", lambda run: found.append(run.pk) or True)
    # The pulse has a connection of its own, which does not see what a test's transaction holds.
    monkeypatch.setattr(testing, "POLL_SECONDS", 600)
    return found


@pytest.fixture
def begin(
    as_bob: Client, sent: list[str], django_capture_on_commit_callbacks: Callable[..., Any]
) -> Callable[..., TestRun]:
    """Post the form of a test; answer the run that was queued."""

    def post(name: str, context: str = CONTEXT, **more: Any) -> TestRun:
        given = {"using": "context", "context": context, "transcript": "", **more}
        with django_capture_on_commit_callbacks(execute=True):
            page = as_bob.post(f"/hooks/{name}/test", given)
        assert page.status_code == 303, words(page)
        return TestRun.objects.get(pk=page.headers["Location"].rsplit("/", 1)[1])

    return post


@pytest.fixture
def told(as_bob: Client, begin: Callable[..., TestRun], sandboxed: object) -> Callable[..., str]:
    """Test a hook to the end; answer the text of the result."""

    def tell(name: str, context: str = CONTEXT, **more: Any) -> str:
        run = begin(name, context, **more)
        services.execute_test_run(run_id=run.pk)
        return words(as_bob.get(f"/test-runs/{run.pk}"))

    return tell


def command(agent: Agent, source: str, event: str = "PostToolUse", **options: Any) -> None:
    hook(agent, "no-sudo", event, type="command", command=source, **options)


def sample(agent: Agent, name: str, **document: Any) -> None:
    raw = {"event": "Stop", "context": {"final_output": "4"}, **document}
    values = services.read_sample(raw, agent_name=agent.name)
    services.save_sample(agent=agent, name=name, values=values, by=BY)


def test_it_works(told: Callable[..., str], agent: Agent) -> None:
    command(agent, BLOCKS, matcher="Bash")
    text = told("no-sudo")
    assert "Blocked exit code 2 The result of Bash would be withheld from the agent. The tool has already run." in text
    assert "Matcher hits Bash Exit code 2 always blocks; stderr is the reason" in text
    assert "The agent will see in place of the result of Bash sudo is not allowed" in text
    assert "stderr sudo is not allowed stdout empty" in text


def test_the_panel_offers_samples_of_the_event_only(as_bob: Client, agent: Agent) -> None:
    hook(agent, "judge")
    sample(agent, "of-stop")
    sample(agent, "of-start", event="Start", context={})
    page = as_bob.get("/hooks/judge/test", headers=HTMX)
    body = page.content.decode()
    assert body.lstrip().startswith('<section class="drawer" id="panel"')
    assert "of-stop" in body and "of-start" not in body


def test_bad_json_is_a_fault_of_the_context(as_bob: Client, agent: Agent) -> None:
    hook(agent, "judge")
    page = as_bob.post("/hooks/judge/test", {"using": "context", "context": '{"a": 1, "a": 2}'}, headers=HTMX)
    assert page.status_code == 422
    assert "Context is no JSON: the key 'a' stands twice" in words(page)


def test_what_a_context_lacks_is_named(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse")
    text = words(as_bob.post("/hooks/no-sudo/test", {"using": "context", "context": "{}"}))
    for name in ("tool_name", "tool_input", "tool_result", "tool_succeeded"):
        assert f"context.{name} is required" in text
    assert not TestRun.objects.exists()


def test_queued_running_and_done_are_told_to_the_poll(
    as_bob: Client, begin: Callable[..., TestRun], sandboxed: object, agent: Agent
) -> None:
    command(agent, "true")
    run = begin("no-sudo")
    page = as_bob.get(f"/test-runs/{run.pk}", headers=HTMX)
    assert page.status_code == 200
    assert "Queued 0 s" in words(page) and "Cancel" in words(page)
    body = page.content.decode()
    assert 'id="run"' in body and 'hx-trigger="every' in body
    poll = body.split('hx-get="')[1].split('"')[0].replace("&amp;", "&")
    TestRun.objects.update(created_at=timezone.now())  # so that the pace stays what it was
    assert as_bob.get(poll, headers=HTMX).status_code == 204
    TestRun.objects.update(status="running", started_at=run.created_at, heartbeat=run.created_at)
    assert "Running" in words(as_bob.get(f"/test-runs/{run.pk}", headers=HTMX))
    TestRun.objects.update(status="queued")
    services.execute_test_run(run_id=run.pk)
    page = as_bob.get(f"/test-runs/{run.pk}?seen=queued", headers=HTMX)
    assert page.status_code == 286
    assert page.headers["HX-Trigger"] == "run-ended"
    assert 'hx-trigger="every' not in page.content.decode()
    assert "Allowed" in words(page)


def test_cancel_stops_it(as_bob: Client, begin: Callable[..., TestRun], agent: Agent) -> None:
    command(agent, "true")
    run = begin("no-sudo")
    page = as_bob.post(f"/test-runs/{run.pk}/cancel", headers=HTMX)
    assert "The test was cancelled" in words(page)
    run.refresh_from_db()
    assert run.status == "cancelled"


@pytest.mark.parametrize(("mode", "words_of_it"), [("allow", "Error, let pass"), ("block", "Error, blocked")])
def test_an_error_is_never_a_plain_allow(told: Callable[..., str], agent: Agent, mode: str, words_of_it: str) -> None:
    command(agent, "exit 3", failMode=mode)
    text = told("no-sudo")
    assert words_of_it in text
    assert "Allowed" not in text.split("Save context as sample")[0]
    assert "The hook has no verdict:" in text and "code 3" in text


def test_a_hook_that_does_not_fire_says_why(told: Callable[..., str], agent: Agent) -> None:
    command(agent, BLOCKS, matcher="Shell")
    text = told("no-sudo")
    assert "Did not fire" in text
    assert "its matcher 'Shell' does not match the tool 'Bash'" in text


def test_expected_stands_against_actual(told: Callable[..., str], agent: Agent) -> None:
    command(agent, BLOCKS, "Stop")
    sample(agent, "four", expected={"decision": "allow"})
    text = told("no-sudo", using="samples", sample="four")
    assert "Expected Allowed not as expected Actual Rejected" in text
    assert "This answer would be rejected" in text and "as a message of the user sudo is not allowed" in text


def test_all_samples_are_listed_and_the_first_wrong_one_is_told(told: Callable[..., str], agent: Agent) -> None:
    command(agent, "true", "Stop")
    sample(agent, "aaa", expected={"decision": "allow"})
    sample(agent, "bbb", expected={"decision": "block"})
    text = told("no-sudo", using="all")
    assert "2 samples, 1 of 2 as expected" in text
    assert "Expected Rejected not as expected Actual Allowed" in text


def test_a_prompt_hook_shows_what_the_model_said(told: Callable[..., str], agent: Agent, model: ScriptedModel) -> None:
    hook(agent, "judge", "Stop", type="prompt", prompt="Good?")
    model.script('{"ok": false, "reason": "No root cause."}')
    text = told("judge", STOP)
    assert "Rejected" in text and "No root cause." in text
    assert "The model’s answer" in text and '{"ok": false' in text and "Tokens in, out" in text


def test_without_a_model_the_error_says_what_to_set(told: Callable[..., str], agent: Agent) -> None:
    hook(agent, "judge", "Stop", type="prompt", prompt="Good?")
    assert "no model is configured: set OPENAI_API_KEY" in told("judge", STOP)


def test_hostile_output_is_bounded_text(told: Callable[..., str], as_bob: Client, agent: Agent) -> None:
    command(agent, r"printf '<img src=x onerror=alert(1)>\033[31m\342\200\256%0100000d' 1 >&2; exit 2")
    told("no-sudo")
    page = as_bob.get(f"/test-runs/{TestRun.objects.get().pk}").content.decode()
    assert "<img src=x" not in page and "\x1b" not in page and "\u202e" not in page
    assert "more characters" in page
    assert len(page) < 200_000


@pytest.mark.parametrize("error", [testruns.LOST, testruns.NOT_TAKEN])
def test_a_failed_run_says_why(as_bob: Client, begin: Callable[..., TestRun], agent: Agent, error: str) -> None:
    command(agent, "true")
    run = begin("no-sudo")
    TestRun.objects.update(status="failed", error=error)
    text = words(as_bob.get(f"/test-runs/{run.pk}"))
    assert error in text and "Failed" in text and "Test again" in text


def test_a_queued_run_says_what_keeps_it(
    as_bob: Client, begin: Callable[..., TestRun], agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(agent, "true")
    run = begin("no-sudo")
    monkeypatch.setattr(watch, "_look", lambda: [MEANINGS["broker"]])
    watch.forget()
    text = words(as_bob.get(f"/test-runs/{run.pk}", headers=HTMX))
    assert "The message broker cannot be reached. Tests stay queued" in text


def test_a_viewer_may_look_and_not_test(signed_in: Callable[[User], Client], dana: User, agent: Agent) -> None:
    command(agent, "true")
    client = signed_in(dana)
    assert "may run tests" in words(client.get("/hooks/no-sudo/test"))
    assert client.post("/hooks/no-sudo/test", {"using": "context", "context": CONTEXT}).status_code == 403


def test_another_agents_run_is_not_there(as_bob: Client, agent: Agent) -> None:
    run = TestRun.objects.create(agent=create_agent(name="other", by=BY), target={}, input={})
    assert as_bob.get(f"/test-runs/{run.pk}").status_code == 404
    assert as_bob.post(f"/test-runs/{run.pk}/cancel").status_code == 404


def test_twelve_queries_serve_a_poll(
    as_bob: Client, begin: Callable[..., TestRun], sandboxed: object, agent: Agent, django_assert_max_num_queries: Any
) -> None:
    command(agent, "true", "Stop")
    for number in range(20):
        sample(agent, f"sample-{number}")
    run = begin("no-sudo", using="all")
    services.execute_test_run(run_id=run.pk)
    with django_assert_max_num_queries(12):
        as_bob.get(f"/test-runs/{run.pk}", headers=HTMX)
    with django_assert_max_num_queries(12):
        as_bob.get(f"/test-runs/{run.pk}")
