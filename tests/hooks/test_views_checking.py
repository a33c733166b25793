"""The faults of a field as one leaves it: the same words as on a save, below the field alone."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from agents.models import Agent
from portal.troubles import MEANINGS, watch
from tests.pages import HTMX, fields, words


def check(client: Client, touched: str, **changed: str) -> HttpResponse:
    return client.post("/hooks/check", fields(touched=touched, **changed), headers=HTMX)


def test_it_works(as_bob: Client, agent: Agent) -> None:
    page = check(as_bob, "timeout", timeout="301", name="not yet left")
    body = page.content.decode()
    assert page.status_code == 200
    assert 'hx-swap-oob="innerHTML:#id_timeout_said"' in body and "id_name_said" not in body
    assert words(page) == "Timeout must be a whole number of seconds from 1 to 300, not 301."


def test_the_words_are_those_of_a_save(as_bob: Client, agent: Agent) -> None:
    wrong = {"timeout": "0", "matcher": "Bash(", "name": "bad name"}
    saved = words(as_bob.post("/hooks/create", fields(**wrong)))
    for name in wrong:
        assert words(check(as_bob, name, **wrong)) in saved


def test_a_field_that_is_right_again_is_cleared(as_bob: Client, agent: Agent) -> None:
    page = check(as_bob, "timeout", timeout="30")
    assert 'hx-swap-oob="innerHTML:#id_timeout_said"' in page.content.decode() and words(page) == ""


def test_warnings_stand_at_their_field(as_bob: Client, agent: Agent) -> None:
    page = check(as_bob, "matcher", matcher="Bash(git *)")
    assert "looks like a call" in words(page) and 'class="doubt"' in page.content.decode()


@pytest.mark.usefixtures("sandboxed")
def test_a_script_that_does_not_parse_names_its_line(as_bob: Client, agent: Agent) -> None:
    script = {"command": "", "aside": "prompt,command"}
    page = check(as_bob, "script", script="#!/usr/bin/env python3\nif True\n    pass\n", **script)
    assert 'data-line="2"' in page.content.decode() and "Line 2: expected ':'" in words(page)
    assert "Parses" in words(check(as_bob, "script", script="#!/usr/bin/env python3\npass\n", **script))
    assert "data-line" in check(as_bob, "script", script="#!/bin/bash\nif\n", **script).content.decode()


def test_without_the_sandbox_nothing_is_said_to_parse(
    as_bob: Client, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_look", lambda: [MEANINGS["sandbox"]])
    watch.forget()
    page = check(as_bob, "script", script="#!/bin/bash\ntrue\n", command="", aside="prompt,command")
    assert words(page) == "Cannot be checked: the sandbox is not available"


def test_what_is_touched_may_be_anything(as_bob: Client, agent: Agent) -> None:
    page = check(as_bob, "nothing,<b>,version,aside," + "name," * 5_000)
    assert page.status_code == 200 and len(page.content) < 2_000


def test_a_viewer_may_not_run_parsers(signed_in: Callable[[User], Client], dana: User) -> None:
    assert check(signed_in(dana), "name").status_code == 403
