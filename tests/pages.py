"""What tests of pages share: Django's client signed in as one of the cast, and hooks to look at.

Load it in a conftest.py beside `tests.shell`. dana, a viewer, joins the cast.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from agents.models import Agent
from hooks import services
from hooks.engine.parsing import parse
from hooks.models import Hook
from portal.troubles import watch
from tests.shell import BY, person

__all__ = ["as_bob", "dana", "no_trouble", "signed_in"]

HTMX = {"HX-Request": "true"}


@pytest.fixture
def dana(agent: Agent) -> User:
    return person("dana", agent, "viewer")


@pytest.fixture
def signed_in() -> Callable[[User], Client]:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def as_bob(signed_in: Callable[[User], Client], bob: User) -> Client:
    """bob, an editor, at his browser."""
    return signed_in(bob)


@pytest.fixture(autouse=True)
def no_trouble(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is down, as far as the banner knows."""
    monkeypatch.setattr(watch, "_look", list)
    watch.forget()
    yield
    watch.forget()


def words(response: HttpResponse) -> str:
    """The text of a page, as people read it."""
    body = re.sub(r"<(style|script|svg|template)\b.*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def hook(agent: Agent, name: str, event: str = "Stop", **options: Any) -> Hook:
    """Store an agent-level hook; by default one whose command allows everything."""
    given = options or {"type": "command", "command": "true"}
    if event.endswith("ToolUse"):
        given = {"matcher": "*", **given}
    parsed = parse({"name": name, **given}, event=event)
    assert parsed.spec, parsed.faults
    return services.save_hook(agent=agent, spec=parsed.spec, by=BY).hook


def fields(**changed: Any) -> dict[str, Any]:
    """What a browser posts of a form that is filled in well; None leaves a field out."""
    filled = {
        "name": "no-sudo",
        "event": "PostToolUse",
        "description": "",
        "activationMode": "always",
        "type": "command",
        "model": "",
        "prompt": "",
        "script": "",
        "command": "true",
        "matcher": "Bash",
        "timeout": "30",
        "failMode": "allow",
        "maxRejections": "",
        "enabled": "on",
        "aside": "prompt,model,script,maxRejections",
        "version": "",
    }
    return {name: value for name, value in (filled | changed).items() if value is not None}
