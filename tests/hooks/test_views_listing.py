"""Builder → Hooks: the grid and its switches."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from hooks.models import Evaluation, Hook, HookResult, Kind
from tests.pages import HTMX, hook, words
from tests.shell import BY


def result(of: Hook, outcome: str, kind: Kind = Kind.RUNTIME) -> None:
    now = timezone.now()
    evaluation = Evaluation.objects.create(
        agent=of.agent, kind=kind, event=of.event, context={}, decision="allow", duration_ms=1, created_at=now
    )
    HookResult.objects.create(
        evaluation=evaluation,
        index=0,
        hook=of,
        name=of.name,
        level="agent",
        position=0,
        outcome=outcome,
        kind=kind,
        created_at=now,
    )


def test_it_works(as_bob: Client, agent: Agent) -> None:
    hook(agent, "second-thoughts", "Stop", type="prompt", prompt="Good?", model="Fast")
    hook(agent, "no-sudo", "PostToolUse", type="command", script="#!/usr/bin/env python3\n", matcher="Bash|Shell")
    page = as_bob.get("/hooks/")
    assert page.status_code == 200
    assert page.headers["Vary"].count("HX-Request") == 1
    text = words(page)
    assert text.index("PostToolUse") < text.index("no-sudo") < text.index("second-thoughts")
    assert "Bash|Shell" in text and "Command Python" in text and "Prompt Fast" in text
    assert "2 hooks · 2 enabled" in text
    assert "Not run yet" in text


def test_hooks_of_one_event_stand_in_running_order(as_bob: Client, agent: Agent) -> None:
    for name in ("zebra", "ant", "monkey"):
        hook(agent, name)
    text = words(as_bob.get("/hooks/"))
    assert text.index("zebra") < text.index("ant") < text.index("monkey")


def test_without_hooks_it_says_what_to_do(as_bob: Client) -> None:
    text = words(as_bob.get("/hooks/"))
    assert "No hooks yet" in text
    assert "Create hook" in text


def test_a_viewer_sees_no_buttons_to_change(signed_in: Callable[[User], Client], dana: User, agent: Agent) -> None:
    hook(agent, "no-sudo")
    page = signed_in(dana).get("/hooks/").content.decode()
    assert "no-sudo" in page
    assert "Create hook" not in page and 'role="switch"' not in page and "Delete" not in page


def test_a_viewer_without_hooks_hears_who_can_make_one(signed_in: Callable[[User], Client], dana: User) -> None:
    assert "your role is Viewer" in words(signed_in(dana).get("/hooks/"))


@pytest.mark.parametrize(
    ("outcome", "word"), [("allow", "Allowed"), ("block", "Rejected"), ("error", "Error"), ("skipped", "Skipped")]
)
def test_the_last_result_is_shown(as_bob: Client, agent: Agent, outcome: str, word: str) -> None:
    result(hook(agent, "no-sudo"), outcome)
    text = words(as_bob.get("/hooks/"))
    assert f"{word} 0 s ago" in text


def test_a_result_of_a_test_says_so(as_bob: Client, agent: Agent) -> None:
    result(hook(agent, "no-sudo"), "block", Kind.TEST)
    assert "Rejected Test, 0 s ago" in words(as_bob.get("/hooks/"))


def test_the_switch_disables_and_enables(as_bob: Client, agent: Agent) -> None:
    one = hook(agent, "no-sudo")
    page = as_bob.post("/hooks/no-sudo/switch", {"enabled": "off"}, headers=HTMX)
    one.refresh_from_db()
    assert not one.enabled
    assert page.content.decode().lstrip().startswith("<section")
    assert "no-sudo disabled" in page.headers["HX-Trigger"]
    back = as_bob.post("/hooks/no-sudo/switch", {"enabled": "on"})
    one.refresh_from_db()
    assert one.enabled
    assert back.status_code == 303


def test_a_viewer_may_not_switch(signed_in: Callable[[User], Client], dana: User, agent: Agent) -> None:
    one = hook(agent, "no-sudo")
    page = signed_in(dana).post("/hooks/no-sudo/switch", {"enabled": "off"})
    one.refresh_from_db()
    assert page.status_code == 403
    assert one.enabled
    assert "the role Editor; yours is Viewer" in words(page)


def test_another_agents_hook_is_not_there(signed_in: Callable[[User], Client], bob: User) -> None:
    hook(create_agent(name="other", by=BY), "theirs")
    client = signed_in(bob)
    assert client.get("/hooks/theirs/edit").status_code == 404
    assert client.post("/hooks/theirs/switch", {"enabled": "off"}).status_code == 404
    assert client.get("/hooks/?agent=other").status_code == 403


def test_links_keep_the_agent_that_was_chosen(signed_in: Callable[[User], Client], root: User, agent: Agent) -> None:
    hook(create_agent(name="other", by=BY), "theirs")
    page = signed_in(root).get("/hooks/?agent=other").content.decode()
    assert "/hooks/theirs/edit?agent=other" in page


def test_twelve_queries_serve_whatever_the_number(
    as_bob: Client, agent: Agent, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        result(hook(agent, f"hook-{number}"), "allow")
    with django_assert_max_num_queries(12):
        as_bob.get("/hooks/")


def test_hostile_text_is_only_text(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", type="command", command="true", description='<script>alert(1)</script>\u202e"\x1b[31m')
    page = as_bob.get("/hooks/").content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page and "\x1b" not in page
    assert "⟨U+202E⟩" in page and "␛" in page
