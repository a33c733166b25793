"""Test runs of a form that is not saved, begun again, kept, listed and compared."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from hooks import services
from hooks.models import Hook, TestRun
from hooks.services import testing, testruns
from hooks.services.liveoutput import Printed
from hooks.views import telling
from tests.pages import HTMX, hook, words
from tests.shell import BY

FORM = {
    "name": "no-sudo",
    "event": "PostToolUse",
    "type": "command",
    "command": "echo no >&2; exit 2",
    "matcher": "Bash",
}
FORM |= {"timeout": "30", "failMode": "allow", "activationMode": "always", "enabled": "on"}
BASH = '{"tool_name": "Bash", "tool_input": {}, "tool_result": "", "tool_succeeded": true}'
OWN = {"using": "context", "context": BASH}


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch, sandboxed: object) -> Iterator[None]:
    """Runs go nowhere by themselves: `done` is the worker."""
    monkeypatch.setattr(testruns, "send", lambda run: True)
    monkeypatch.setattr(testing, "POLL_SECONDS", 600)
    monkeypatch.setattr(telling, "AT_ONCE", 0)
    yield


def done(page: Any) -> TestRun:
    assert page.status_code == 303, words(page)
    run = TestRun.objects.get(pk=page.headers["Location"].rsplit("/", 1)[1])
    services.execute_test_run(run_id=run.pk)
    run.refresh_from_db()
    return run


def sample(agent: Agent, name: str, event: str = "Stop", **document: Any) -> None:
    raw = {"event": event, "context": {"final_output": "4"}, **document}
    values = services.read_sample(raw, agent_name=agent.name)
    services.save_sample(agent=agent, name=name, values=values, by=BY)


def test_it_works(as_bob: Client, agent: Agent) -> None:
    page = as_bob.post("/hooks/test", FORM, headers=HTMX)
    body = page.content.decode()
    assert 'role="dialog"' in body and 'hx-include="#hook-form"' in body and 'data-opener="test-form"' in body
    without_scripts = as_bob.post("/hooks/test", FORM).content.decode()
    assert '<input type="hidden" name="command" value="echo no &gt;&amp;2; exit 2">' in without_scripts
    run = done(as_bob.post("/hooks/test", {**FORM, **OWN}))
    assert (run.status, run.name, run.hook, Hook.objects.count()) == ("succeeded", "no-sudo", None, 0)
    text = words(as_bob.get(f"/test-runs/{run.pk}"))
    assert "would be withheld" in text and "as it was typed, not saved" in text
    assert "It has no turn yet: saved and enabled, it would run as number 1 on PostToolUse" in text


def test_what_cannot_be_tested_names_its_faults(as_bob: Client) -> None:
    page = as_bob.post("/hooks/test", {**FORM, "timeout": "301"}, headers=HTMX)
    assert page.status_code == 422
    assert "Cannot be tested yet: 1 fault" in words(page) and 'href="#id_timeout"' in page.content.decode()


def test_a_run_of_a_form_is_among_those_of_the_hook_it_changes(as_bob: Client, agent: Agent) -> None:
    stored = hook(agent, "no-sudo", "PostToolUse", type="command", command="true")
    run = done(as_bob.post("/hooks/test", {**FORM, "name": "renamed", "was": "no-sudo", **OWN}))
    assert run.hook == stored
    text = words(as_bob.get("/hooks/no-sudo/test-runs"))
    assert "with a context · unsaved form" in text and "Blocked" in text


def test_several_samples_are_chosen(as_bob: Client, agent: Agent) -> None:
    hook(agent, "judge", "Stop", type="command", command="true")
    for name in ("aaa", "bbb", "ccc"):
        sample(agent, name)
    assert as_bob.get("/hooks/judge/test").content.decode().count('name="sample"') == 3
    run = done(as_bob.post("/hooks/judge/test", {"using": "samples", "sample": ["aaa", "ccc"]}))
    assert run.input == {"samples": ["aaa", "ccc"]}
    nothing = as_bob.post("/hooks/judge/test", {"using": "samples"})
    assert nothing.status_code == 422 and "Choose at least one sample." in words(nothing)


def test_a_real_evaluation_is_found_and_replayed(as_bob: Client, agent: Agent) -> None:
    hook(agent, "judge", "PostToolUse", type="command", command="exit 2", matcher="Bash")
    first = done(as_bob.post("/hooks/judge/test", OWN)).evaluations.get()
    first.kind = "runtime"
    first.save()
    listed = as_bob.post("/hooks/test/evaluations?event=PostToolUse", {"find": "bas"}, headers=HTMX)
    assert first.pk in listed.content.decode()
    nothing = as_bob.post("/hooks/test/evaluations?event=PostToolUse", {"find": "zzz"}, headers=HTMX)
    assert "No evaluation of the log fits." in words(nothing)
    run = done(as_bob.post("/hooks/judge/test", {"using": "evaluation", "evaluation": first.pk}))
    assert run.evaluations.get().replay_of == first.pk
    lost = as_bob.post("/hooks/judge/test", {"using": "evaluation", "evaluation": "x"})
    assert lost.status_code == 422 and "There is no evaluation" in words(lost)


def test_a_disabled_hook_is_tested_as_if_enabled_where_one_says_so(as_bob: Client, agent: Agent) -> None:
    hook(agent, "off", "PostToolUse", type="command", command="exit 2", matcher="Bash", enabled=False)
    assert "as it is, it does not fire" in words(as_bob.get("/hooks/off/test"))
    as_it_is = done(as_bob.post("/hooks/off/test", OWN))
    assert "Did not fire" in words(as_bob.get(f"/test-runs/{as_it_is.pk}"))
    run = done(as_bob.post("/hooks/off/test", {**OWN, "as_enabled": "on"}))
    assert run.evaluations.get().decision == "block"
    assert Hook.objects.get().enabled is False


def test_it_is_begun_again(as_bob: Client, agent: Agent) -> None:
    stored = hook(agent, "judge", "PostToolUse", type="command", command="true", matcher="Bash")
    run = done(as_bob.post("/hooks/judge/test", OWN))
    second = done(as_bob.post(f"/test-runs/{run.pk}/again"))
    assert (second.target, second.input, second.hook) == (run.target, run.input, stored)
    typed = done(as_bob.post("/hooks/test", {**FORM, "using": "again", "again": run.pk}))
    assert typed.input == run.input and typed.evaluations.get().decision == "block"
    stored.delete()
    refused = as_bob.post(f"/test-runs/{run.pk}/again")
    assert refused.status_code == 422 and "There is no agent-level hook" in words(refused)
    assert "the hook has been deleted since" in words(as_bob.get(f"/test-runs/{run.pk}"))
    assert "Deleted" in words(as_bob.get("/hooks/judge/test-runs"))


def test_its_context_is_kept_as_a_sample(as_bob: Client, agent: Agent) -> None:
    run = done(as_bob.post("/hooks/test", {**FORM, **OWN}))
    given = {"evaluation": run.evaluations.get().pk, "name": "sudo", "decision": "block", "reason": "no"}
    page = as_bob.post(f"/test-runs/{run.pk}/keep", given, headers=HTMX)
    assert "sudo is saved as a sample." in words(page)
    kept = agent.samples.get()
    assert (kept.event, kept.expected) == ("PostToolUse", {"decision": "block", "reasonContains": "no"})
    again = as_bob.post(f"/test-runs/{run.pk}/keep", given, headers=HTMX)
    assert again.status_code == 422 and "There is a sample of this name already" in words(again)


def test_the_expected_decision_of_its_sample_is_set(as_bob: Client, agent: Agent) -> None:
    hook(agent, "judge", "Stop", type="command", command="true")
    sample(agent, "four", expected={"decision": "block"})
    run = done(as_bob.post("/hooks/judge/test", {"using": "samples", "sample": "four"}))
    given = {"evaluation": run.evaluations.get().pk, "decision": "allow"}
    assert "four has a new expected decision" in words(as_bob.post(f"/test-runs/{run.pk}/keep", given, headers=HTMX))
    assert agent.samples.get().expected == {"decision": "allow"}


def test_two_runs_are_compared(as_bob: Client, agent: Agent, django_assert_max_num_queries: Any) -> None:
    stored = hook(agent, "judge", "Stop", type="command", command="echo '<b>one' >&2; exit 2")
    for name in ("aaa", "bbb"):
        sample(agent, name)
    old = done(as_bob.post("/hooks/judge/test", {"using": "all"}))
    stored.options = {**stored.options, "command": "echo two >&2; exit 0"}
    stored.save()
    new = done(as_bob.post("/hooks/judge/test", {"using": "all"}))
    with django_assert_max_num_queries(12):
        page = as_bob.get(f"/test-runs/{new.pk}/compare")
    text = words(page)
    assert "2 contexts, 0 the same" in text and "aaa Rejected" in text and "decision reason output" in text
    assert "<b>one" not in page.content.decode()
    assert words(as_bob.get(f"/test-runs/{old.pk}/compare?with={new.pk}&of=bbb")).count("stderr") == 1
    assert as_bob.get(f"/test-runs/{old.pk}/compare").status_code == 404


def test_what_it_prints_is_shown_while_it_runs(as_bob: Client, agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    run = TestRun.objects.create(agent=agent, target={}, input={}, status="running", total=2)
    said = Printed(item=1, name="four", stdout="<script>\x1b[31m\u202e\x00", stderr="", cut=True)
    monkeypatch.setattr(telling.services, "printed", lambda run_id: said)
    body = as_bob.get(f"/test-runs/{run.pk}", headers=HTMX).content.decode()
    assert "&lt;script&gt;␛[31m⟨U+202E⟩␀" in body and "Only the newest is shown here." in body


def test_the_list_has_pages_and_few_queries(as_bob: Client, agent: Agent, django_assert_max_num_queries: Any) -> None:
    stored = hook(agent, "judge", "Stop", type="command", command="true")
    for _ in range(30):
        TestRun.objects.create(agent=agent, hook=stored, target={"hook": "judge"}, input={"samples": ["a"]}, total=1)
    with django_assert_max_num_queries(12):
        text = words(as_bob.get("/hooks/judge/test-runs"))
    assert "30, the newest first" in text and "Page 1 of 2" in text
    assert as_bob.get("/hooks/nobody/test-runs").status_code == 404


def test_a_viewer_looks_and_changes_nothing(
    signed_in: Callable[[User], Client], dana: User, as_bob: Client, agent: Agent
) -> None:
    run = done(as_bob.post("/hooks/test", {**FORM, **OWN}))
    client = signed_in(dana)
    text = words(client.get(f"/test-runs/{run.pk}"))
    assert "Test again" not in text and "Save context as sample" not in text
    for path in (f"/test-runs/{run.pk}/again", f"/test-runs/{run.pk}/keep", "/hooks/test"):
        assert client.post(path, FORM).status_code == 403
