"""What stands beside the form: the hook as YAML, and its matcher tried on the tools that are known."""

import html
import re
import time
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from hooks.engine import yamldoc
from hooks.models import SeenTool
from tests.pages import HTMX, fields, hook, words


@pytest.fixture(autouse=True)
def tools(agent: Agent) -> None:
    now = timezone.now()
    SeenTool.objects.bulk_create(
        SeenTool(agent=agent, name=name, last_seen=now) for name in ("Bash", "BashOutput", "ReadFile")
    )


def preview(client: Client, **changed: str) -> HttpResponse:
    return client.post("/hooks/preview", fields(**changed), headers=HTMX)


def yaml_of(page: HttpResponse) -> str:
    found = re.search(r'<pre class="code" id="yaml"[^>]*>(.*?)</pre>', page.content.decode(), re.DOTALL)
    assert found
    return html.unescape(re.sub(r"<[^>]*>", "", found[1]))


def test_it_works(as_bob: Client) -> None:
    page = preview(as_bob, timeout="10")
    assert yamldoc.load(yaml_of(page)) == {
        "name": "no-sudo",
        "type": "GlobalHook",
        "properties": {
            "eventType": "PostToolUse",
            "activationMode": "always",
            "enabled": True,
            "hook": {"type": "command", "command": "true", "matcher": "Bash", "timeout": 10, "failMode": "allow"},
        },
    }
    text = words(page)
    assert "hits 1 of 3 known tools" in text and "Read as ^( Bash )$" in text.replace("^(Bash)$", "^( Bash )$")
    assert "Bash match BashOutput no match ReadFile no match" in text
    assert 'class="nt"' in page.content.decode() and "style=" not in page.content.decode()


def test_the_page_has_it_from_the_start(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse", type="command", command="true", matcher="Bash.*")
    page = as_bob.get("/hooks/no-sudo/edit")
    assert yamldoc.load(yaml_of(page))["name"] == "no-sudo"
    assert "hits 2 of 3 known tools" in words(page)
    assert "YAML" in words(as_bob.get("/hooks/create"))


def test_tags_of_the_hook_are_kept(as_bob: Client, agent: Agent) -> None:
    one = hook(agent, "no-sudo", "PostToolUse")
    one.tags = ["security"]
    one.save(update_fields=["tags"])
    assert yamldoc.load(yaml_of(preview(as_bob, was="no-sudo")))["tags"] == ["security"]


def test_what_is_not_valid_yet_is_shown_as_it_is(as_bob: Client) -> None:
    page = preview(as_bob, timeout="301", name="")
    assert "not valid yet" in words(page)
    assert yamldoc.load(yaml_of(page))["properties"]["hook"]["timeout"] == 301


def test_another_tool_name_can_be_tried(as_bob: Client) -> None:
    assert "Bash4 tried match" in words(preview(as_bob, matcher=r"Bash\d", **{"try": "Bash4"}))
    assert "Bash tried no match" in words(preview(as_bob, matcher=r"Bash\d", **{"try": "Bash"}))
    assert "matches none of the agent's known tools" in words(preview(as_bob, matcher=r"Bash\d"))


def test_a_star_is_every_tool_and_nothing_is_none(as_bob: Client) -> None:
    assert "hits 3 of 3" in words(preview(as_bob, matcher="*"))
    assert "is empty, matches nothing" in words(preview(as_bob, matcher=""))


def test_a_pattern_that_cannot_be_used_says_why(as_bob: Client) -> None:
    text = words(preview(as_bob, matcher="Bash("))
    assert "cannot be used" in text and "is not a valid regular expression" in text


def test_an_event_without_tools_has_no_matcher(as_bob: Client) -> None:
    assert "Matcher" not in words(preview(as_bob, event="Stop", matcher=""))


def test_a_slow_pattern_ends_soon(as_bob: Client, agent: Agent) -> None:
    SeenTool.objects.create(agent=agent, name="a" * 60 + "!", last_seen=timezone.now())
    begun = time.monotonic()
    text = words(preview(as_bob, matcher="(a|a)*b|(a|aa)+$"))
    assert time.monotonic() - begun < 3
    assert "Matcher" in text


def test_hostile_text_is_escaped_and_bounded(as_bob: Client, agent: Agent) -> None:
    SeenTool.objects.create(agent=agent, name="<b>\u202e" + "x" * 190, last_seen=timezone.now())
    page = preview(
        as_bob, script="#!/bin/bash\n" + "</pre><script>" * 4_000, command="", aside="prompt,command", matcher="<i>"
    )
    body = page.content.decode()
    assert len(body) < 120_000
    assert "<script>" not in body and "<b>\u202e" not in body and "<i>" not in body
    assert "more characters" in body


def test_many_tools_are_counted_and_not_all_listed(as_bob: Client, agent: Agent) -> None:
    now = timezone.now()
    SeenTool.objects.bulk_create(SeenTool(agent=agent, name=f"Tool{n}", last_seen=now) for n in range(200))
    text = words(preview(as_bob, matcher="Tool.*"))
    assert "hits 200 of 203" in text and "and 163 more, hits among them" in text


def test_a_viewer_may_look(signed_in: Callable[[User], Client], dana: User) -> None:
    assert preview(signed_in(dana)).status_code == 200
