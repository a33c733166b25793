"""Manage Hooks: a draft of all hooks of a custom agent in the form, saved as one change."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from agents.drafts import changes
from agents.models import Agent, CustomAgent
from agents.services import set_hooks
from hooks.services import hook_lists
from portal.audit.models import AuditEvent
from tests.agents.cast import JUDGE, RUN, custom_agent
from tests.pages import HTMX, hook, words
from tests.shell import BY

PAGE = "/custom-agents/triage/hooks"
ONE, TWO = {"name": "one", **RUN}, {"name": "two", **RUN, "timeout": 5}
FILLED = {"name": "new", "type": "command", "command": "true", "failMode": "allow", "timeout": "30", "enabled": "on"}


@pytest.fixture
def triage(agent: Agent) -> CustomAgent:
    return custom_agent(agent, "triage", {"Stop": [ONE, TWO]})


def carried(page: Any) -> dict[str, str]:
    """What the form carries to the next request."""
    desk = page.context["desk"]
    editing = {"editing": str(desk.editing)} if desk.editing else {}
    return {"draft": desk.draft.dump(), "etag": desk.etag, **editing}


def press(client: Client, page: Any, do: str, **fields: str) -> HttpResponse:
    return client.post(PAGE, {**carried(page), "do": do, **fields})


def names(page: Any, event: str = "Stop") -> list[str]:
    return [item.get("name", "") for item in page.context["desk"].draft.of(event)]


def test_it_works(triage: CustomAgent, agent: Agent, as_bob: Client) -> None:
    hook(agent, "of-the-agent", "Stop")
    page: Any = as_bob.get(PAGE)
    assert "1 agent-level hook runs first" in words(page)
    page = press(as_bob, page, "down:Stop:0")
    page = press(as_bob, page, "clone:Stop:0")
    assert names(page) == ["two", "two-2", "one"]
    page = press(as_bob, page, "add:PostToolUse:new")
    page = press(as_bob, page, "toggle:Stop:2", **FILLED, matcher="Bash")
    assert "Save 3 changes" in words(page)
    before = AuditEvent.objects.count()
    assert press(as_bob, page, "save").status_code == 303
    assert AuditEvent.objects.count() == before + 1
    triage.refresh_from_db()
    assert hook_lists(triage) == {
        "PostToolUse": [{"name": "new", **RUN, "matcher": "Bash"}],
        "Stop": [TWO, {**TWO, "name": "two-2"}, {"name": "one", "enabled": False, **RUN}],
    }


def test_nothing_is_stored_before_save(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, as_bob.get(PAGE), "delete:Stop:0")
    assert names(page) == ["two"]
    assert triage.hooks.count() == 2


def test_a_hook_is_edited_where_it_stands(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, as_bob.get(PAGE), "edit:Stop:1")
    assert page.context["desk"].form["timeout"].value() == 5  # type: ignore[attr-defined]
    page = press(as_bob, page, "apply", **{**FILLED, "name": "two", "timeout": "0"})
    assert page.status_code == 422
    assert "Timeout must be" in words(page)
    page = press(as_bob, page, "apply", **{**FILLED, "name": "two", "timeout": "7"})
    assert page.context["desk"].draft.of("Stop")[1] == {**TWO, "timeout": 7}  # type: ignore[attr-defined]


def test_what_is_open_is_kept_by_every_button_and_lost_by_cancel_alone(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, as_bob.get(PAGE), "add:Stop:new")
    assert names(press(as_bob, page, "up:Stop:1", **FILLED)) == ["two", "one", "new"]
    assert names(press(as_bob, page, "close", **FILLED)) == ["one", "two"]
    wrong = press(as_bob, page, "save", **{**FILLED, "command": "if"})
    assert wrong.status_code in (422, 303)
    refused = press(as_bob, page, "save", **{**FILLED, "name": "not a name"})
    assert refused.status_code == 422 and "not a name" in refused.content.decode()
    assert triage.hooks.filter(name="not a name").count() == 0


def test_what_is_of_the_other_type_is_left_out(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, as_bob.get(PAGE), "add:Stop:new")
    page = press(as_bob, page, "apply", **{**FILLED, "prompt": "typed before", "maxRejections": "2"})
    assert page.context["desk"].draft.of("Stop")[2] == {"name": "new", **RUN}  # type: ignore[attr-defined]


def test_the_second_of_two_is_told_and_loses_nothing(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, as_bob.get(PAGE), "delete:Stop:0")
    from hooks.engine.parsing import parse_lists

    theirs = parse_lists({"Stop": [ONE, TWO, JUDGE]}, path="", level="customAgent").hooks
    set_hooks(custom_agent=triage, lists=theirs, by=BY)
    refused = press(as_bob, page, "save")
    assert refused.status_code == 409
    assert "Somebody changed this custom agent" in words(refused) and "Is it done?" in words(refused)
    assert names(refused) == ["two"]
    assert triage.hooks.count() == 3
    assert press(as_bob, refused, "save").status_code == 303
    assert triage.hooks.count() == 1


def test_the_difference_is_shown_before_it_is_saved(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, press(as_bob, as_bob.get(PAGE), "delete:Stop:0"), "diff")
    assert "What saving changes" in words(page)


def test_a_fragment_says_what_happened_and_where_the_focus_goes(triage: CustomAgent, as_bob: Client) -> None:
    given = {**carried(as_bob.get(PAGE)), "do": "down:Stop:0"}
    body = as_bob.post(PAGE, given, headers=HTMX).content.decode()
    assert body.lstrip().startswith("<form") and 'data-focus="up-Stop-1"' in body
    assert 'data-announce="one is now number 2 of 2"' in body


@pytest.mark.parametrize("draft", ["", "[]", "{", '{"Stop": 1}', '{"Nope": []}', '{"Stop": [1]}', "[" * 9999])
def test_a_draft_that_is_none_is_refused(triage: CustomAgent, as_bob: Client, draft: str) -> None:
    assert as_bob.post(PAGE, {"draft": draft, "do": "save"}).status_code == 400


def test_a_draft_is_checked_like_any_document(triage: CustomAgent, as_bob: Client) -> None:
    draft = json.dumps({"Stop": [{"type": "command", "command": "true", "<b>": 1}]})
    page = as_bob.post(PAGE, {"draft": draft, "etag": '"1.1"', "do": "save"})
    assert page.status_code == 422 and "spec.hooks.Stop[0].<b>" in words(page)


def test_a_viewer_sees_them_and_may_not_change_them(
    triage: CustomAgent, signed_in: Callable[[User], Client], dana: User
) -> None:
    client = signed_in(dana)
    page = client.get(PAGE)
    assert "two" in words(page) and "Save" not in words(page)
    assert client.post(PAGE, carried(page)).status_code == 403


def test_few_queries(triage: CustomAgent, as_bob: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(12):
        as_bob.get(PAGE)


@pytest.mark.parametrize(
    ("after", "count"),
    [([1, 2, 3], 0), ([2, 1, 3], 1), ([1, 3], 1), ([1, 2, 3, 4], 1), ([1, 9, 3], 1), ([3, 1, 2], 1), ([], 3)],
)
def test_changes_are_counted(after: list[int], count: int) -> None:
    assert changes({"Stop": [1, 2, 3]}, {"Stop": after}) == count


def test_a_hook_is_put_elsewhere_by_its_handle(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, press(as_bob, as_bob.get(PAGE), "clone:Stop:1"), "to:Stop:0", to="2")
    assert names(page) == ["two", "two-2", "one"]
    assert names(press(as_bob, page, "to:Stop:2", to="0")) == ["one", "two", "two-2"]
    assert names(press(as_bob, page, "to:Stop:9", to="x")) == ["two", "two-2", "one"]


def test_a_hook_of_the_draft_is_tested_as_it_is_typed(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, as_bob.get(PAGE), "add:PostToolUse:new")
    typed = {**carried(page), **FILLED, "matcher": "Bash", "place": "PostToolUse:new"}
    body = as_bob.post(f"{PAGE}/test", typed, headers=HTMX).content.decode()
    assert 'hx-include="#manage"' in body and "Draft of triage" in body and 'value="PostToolUse:new"' in body
    context = '{"tool_name": "Bash", "tool_input": {}, "tool_result": "", "tool_succeeded": true}'
    begun = as_bob.post(f"{PAGE}/test", {**typed, "using": "context", "context": context})
    assert begun.status_code == 303
    in_the_drawer = as_bob.post(f"{PAGE}/test", {**typed, "using": "context", "context": context}, headers=HTMX)
    assert 'data-opener="test-PostToolUse-0"' in in_the_drawer.content.decode()
    run = triage.agent.test_runs.first()
    assert (run.custom_agent, run.name, run.target["index"], run.target["definition"]["command"]) == (
        *("triage", "new", 0, "true"),
    )
    assert triage.hooks.filter(event="PostToolUse").count() == 0
    assert "new with a context · unsaved form" in words(as_bob.get("/custom-agents/triage/test-runs"))
    wrong = as_bob.post(f"{PAGE}/test", {**typed, "timeout": "0"}, headers=HTMX)
    assert wrong.status_code == 422 and "Timeout must be" in words(wrong)
    gone = as_bob.post(f"{PAGE}/test", {**carried(page), **FILLED, "matcher": "x", "place": "Stop:9"}, headers=HTMX)
    assert gone.status_code == 404


def test_what_is_open_is_checked_as_one_leaves_its_fields(triage: CustomAgent, as_bob: Client) -> None:
    page = press(as_bob, as_bob.get(PAGE), "add:PostToolUse:new")
    typed = {**carried(page), **FILLED, "matcher": "[", "timeout": "0", "touched": "timeout,matcher"}
    text = words(as_bob.post(f"{PAGE}/check", typed, headers=HTMX))
    assert "cannot be used" in text and "Timeout must be" in text
