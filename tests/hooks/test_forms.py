"""Each kind of bad input through the form, the API and YAML: the same words at each door."""

from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from agents.models import Agent
from hooks.engine import yamldoc
from hooks.forms import HookForm, values_of
from tests.bad_hooks import BAD
from tests.pages import fields, hook, words
from tests.shell import Caller


@pytest.mark.parametrize(("filled", "option", "said"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_the_same_words_at_each_door(
    as_bob: Client, api: Caller, filled: dict[str, Any], option: dict[str, Any], said: str
) -> None:
    options = {"type": "command", "command": "true", "matcher": "Bash", **option}
    options = {name: value for name, value in options.items() if value is not None}
    at_form = as_bob.post("/hooks/create", fields(**filled))
    body = {"name": "no-sudo", "properties": {"eventType": "PostToolUse", "hook": options}}
    at_api = api.put("/api/v2/extendedAgent/hooks/no-sudo", body)
    document = {"api_version": "azuresre.ai/v2", "kind": "ExtendedAgent", "metadata": {"name": "x"}}
    document["spec"] = {"hooks": {"PostToolUse": [options]}}
    in_yaml = as_bob.post("/custom-agents/create-yaml", {"document": yamldoc.dump(document)})
    assert (at_form.status_code, at_api.status, in_yaml.status_code) == (422, 400, 422)
    assert said in words(at_form)
    assert any(said in detail["message"] for detail in at_api.body["error"]["details"])
    assert said in words(in_yaml)
    assert "spec.hooks.PostToolUse[0]." in words(in_yaml)


@pytest.mark.parametrize("name", ["a b", "a" * 65, "system__x", "é"])
def test_names_have_the_same_words_too(as_bob: Client, api: Caller, name: str) -> None:
    body = {"name": name, "properties": {"eventType": "Stop", "hook": {"type": "command", "command": "true"}}}
    said = api.put(f"/api/v2/extendedAgent/hooks/{quote(name)}", body).body["error"]["details"][0]["message"]
    assert said in words(as_bob.post("/hooks/create", fields(name=name)))


def test_a_syntax_error_is_refused(as_bob: Client, sandboxed: object) -> None:
    page = as_bob.post("/hooks/create", fields(command="if then"))
    assert page.status_code == 422
    assert "Command does not parse: line 1: syntax error" in words(page)


def test_each_option_of_the_schema_has_a_field_with_a_label() -> None:
    form = HookForm()
    names = [info.alias or name for name, info in HookForm.spec.model_fields.items()]
    assert set(names) <= set(form.fields)
    assert set(names) == set(form.labels)


def test_what_is_stored_comes_back_from_the_form_unchanged(as_bob: Client, agent: Agent) -> None:
    one = hook(agent, "judge", "Stop", type="prompt", prompt="  Good?\n", model="my-deployment", maxRejections=5)
    shown = {name: value for name, value in values_of(one).items() if value is not False}
    as_bob.post("/hooks/judge/edit", {**shown, "aside": "script,command,matcher"})
    before, one = one.content_hash, agent.hooks.get()
    assert one.content_hash == before
