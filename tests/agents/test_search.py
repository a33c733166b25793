"""Quick search: a page of its own, and the list that the field opens."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.models import Agent, CustomAgent
from agents.services import create_agent
from hooks.models import Evaluation, Hook
from tests.pages import HTMX, hook, words
from tests.shell import BY


@pytest.fixture
def evaluation(agent: Agent) -> Evaluation:
    return Evaluation.objects.create(
        agent=agent,
        kind="runtime",
        event="Stop",
        context={},
        decision="block",
        thread_key="incident-42",
        duration_ms=1,
        created_at=timezone.now(),
    )


def test_it_works(as_bob: Client, agent: Agent, evaluation: Evaluation) -> None:
    hook(agent, "no-incident")
    CustomAgent.objects.create(agent=agent, name="incident-helper")
    page = as_bob.get("/search?q=INCIDENT")
    text, body = words(page), page.content.decode()
    assert "2 results" in text and "Hooks no-incident Stop hook" in text and "Custom agents incident-helper" in text
    assert 'href="/hooks/no-incident/edit"' in body and 'href="/custom-agents/incident-helper/edit"' in body
    assert f"{evaluation.pk} in incident-42 Stop, rejected" in words(as_bob.get("/search?q=incident-4"))


def test_evaluations_are_found_by_the_beginning_of_their_id(as_bob: Client, evaluation: Evaluation) -> None:
    for text in (evaluation.pk, evaluation.pk[:20].lower()):
        assert f'href="/evaluations/{evaluation.pk}"' in as_bob.get(f"/search?q={text}").content.decode()
    assert "Nothing is called" in words(as_bob.get(f"/search?q={evaluation.pk[1:]}"))


def test_the_list_of_the_field(as_bob: Client, agent: Agent) -> None:
    for number in range(9):
        hook(agent, f"guard-{number}")
    body = as_bob.get("/search?q=guard", headers=HTMX).content.decode()
    assert body.startswith('<div class="menu found" id="found" role="listbox"')
    assert body.count('role="option"') == 6
    assert 'href="/search?q=guard"' in body
    assert 'role="option"' not in as_bob.get("/search?q=", headers=HTMX).content.decode()


def test_names_that_begin_so_come_first(as_bob: Client, agent: Agent) -> None:
    for name, more in (("a-guard", ""), ("guard", ""), ("other", "on guard")):
        hook(agent, name, type="command", command="true", description=more)
    text = words(as_bob.get("/search?q=guard", headers=HTMX))
    assert text.index("guard Stop") < text.index("a-guard") < text.index("other")


def test_a_custom_agents_hook_leads_to_its_hooks(as_bob: Client, agent: Agent) -> None:
    custom = CustomAgent.objects.create(agent=agent, name="helper")
    Hook.objects.create(agent=agent, custom_agent=custom, name="mine", event="Stop", type="prompt")
    page = as_bob.get("/search?q=mine")
    assert "Stop hook of helper" in words(page) and "/custom-agents/helper/hooks" in page.content.decode()


def test_only_of_the_agent_that_was_chosen(signed_in: Callable[[User], Client], root: User, agent: Agent) -> None:
    hook(create_agent(name="other", by=BY), "theirs")
    client = signed_in(root)
    assert "0 results" in words(client.get("/search?q=theirs"))
    body = client.get("/search?agent=other&q=theirs", headers=HTMX).content.decode()
    assert "/hooks/theirs/edit?agent=other" in body and "/search?agent=other&amp;q=theirs" in body


@pytest.mark.parametrize(
    "text", ["", "%", "\x00", "<script>alert(1)</script>", "x" * 9_000, "\u202e", "'; --", "\ud7ff\U0010ffff"]
)
def test_hostile_text(as_bob: Client, agent: Agent, evaluation: Evaluation, text: str) -> None:
    for headers in ({}, HTMX):
        page = as_bob.get("/search", {"q": text}, headers=headers)
        assert page.status_code == 200
        assert "<script>alert" not in page.content.decode()
        assert len(page.content) < 100_000


def test_queries(as_bob: Client, agent: Agent, evaluation: Evaluation, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(12):
        as_bob.get("/search?q=incident")
