"""The same bad hooks through every door that is no form: the same words at each. Forms are in `tests/hooks/test_forms.py`."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from agents.models import Agent
from hooks.engine import yamldoc
from hooks.models import Hook
from tests.bad_hooks import BAD, LONG
from tests.pages import as_bob, no_trouble, signed_in, words
from tests.shell import *  # noqa: F403
from tests.shell import TOOL, Answer, Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db]
__all__ = ["as_bob", "no_trouble", "signed_in"]
HOOKS, AGENTS = "/api/v2/extendedAgent/hooks", "/api/v2/extendedAgent/agents"
YAML = "application/yaml"


def by_api(api: Caller, options: dict[str, Any]) -> Iterator[tuple[str, Answer, str]]:
    """Send one hook to each endpoint that takes one; give the answer and the path before the option's name."""
    properties = {"eventType": "PostToolUse", "hook": options}
    hook, lists = {"name": "h", "properties": properties}, {"PostToolUse": [options]}
    custom = {"name": "a", "properties": {"hooks": lists}}
    document = {"kind": "ExtendedAgent", "metadata": {"name": "a"}, "spec": {"hooks": lists}}
    own, theirs = "properties.hook.", "properties.hooks.PostToolUse[0]."
    for kind in ("application/json", YAML):
        yield f"PUT hook {kind}", api.put(f"{HOOKS}/h", hook, type=kind), own
        yield f"PUT agent {kind}", api.put(f"{AGENTS}/a", custom, type=kind), theirs
        yield f"PUT document {kind}", api.put(f"{AGENTS}/a", document, type=kind), "spec.hooks.PostToolUse[0]."
        yield f"bundle {kind}", api.put(f"{HOOKS}:bundle", {"hooks": [hook]}, type=kind), f"hooks[0].{own}"
        agents = api.put(f"{HOOKS}:bundle", {"agents": [custom]}, type=kind)
        yield f"bundle's agent {kind}", agents, f"agents[0].{theirs}"
        body = {"context": TOOL, "hooks": {"agent": lists}}
        yield f"check {kind}", api.post("/api/v2/hooks/check", body, type=kind), "hooks.agent.PostToolUse[0]."
    put_agent(api, "a", {})
    yield "PATCH agent", api.call("PATCH", f"{AGENTS}/a", custom), theirs
    put_hook(api, "h", "Start", command("true"))
    whole = {"command": None, **options}  # a patch keeps what it does not name
    yield "PATCH hook", api.call("PATCH", f"{HOOKS}/h", {"properties": {**properties, "hook": whole}}), own


@pytest.mark.parametrize(("option", "said"), [row[2:] for row in BAD], ids=[row[0] for row in BAD])
def test_at_each_endpoint_and_in_commands(
    api: Caller, agent: Agent, tmp_path: Path, option: dict[str, Any], said: str
) -> None:
    options = {"type": "command", "command": "true", "matcher": "Bash", **option}
    options = {name: value for name, value in options.items() if value is not None}
    for door, answer, path in by_api(api, options):
        assert answer.status == 400, (door, answer.text)
        faults = answer.body["error"]["details"]
        assert any(said in fault["message"] and fault["target"].startswith(path) for fault in faults), (door, faults)
    place = tmp_path / "bundle.yaml"
    place.write_text(
        yamldoc.dump({"hooks": [{"name": "h", "properties": {"eventType": "PostToolUse", "hook": options}}]})
    )
    with pytest.raises(CommandError) as refused:
        call_command("load_bundle", str(place), stdout=StringIO())
    assert said in str(refused.value)
    assert not Hook.objects.filter(event="PostToolUse").exists()


@pytest.mark.parametrize(
    ("handler", "matcher", "said"),
    [
        ({"command": "true"}, "Bash(", "The matcher is not a valid regular expression: "),
        ({"command": "true"}, "a)|(.*", "The matcher is not a valid regular"),
        ({"command": "a\x00b"}, "*", "must not contain a NUL character."),
        ({"command": "  "}, "*", "must not be blank."),
        ({"type": "prompt", "prompt": LONG}, "*", "has 66,000 bytes; at most 65,536 bytes are allowed."),
        ({"command": LONG}, "*", " bytes; at most 65,536 bytes are allowed."),
    ],
    ids=["matcher", "matcher-breaks-out", "nul", "blank", "prompt-long", "command-long"],
)
def test_in_other_products_files(
    api: Caller, as_bob: Client, tmp_path: Path, handler: dict[str, Any], matcher: str, said: str
) -> None:
    """What cannot be a hook is a fault, or is left out or off with a note that says the same."""
    file = {"hooks": {"PostToolUse": [{"matcher": matcher, "hooks": [{"type": "command", **handler}]}]}}
    answer = api.post("/api/v2/imports?product=claude&dryRun=true", file)
    told = answer.body["error"]["details"] if answer.status == 400 else answer.body["notes"]
    assert any(said in one["message"] for one in told)
    assert said in words(as_bob.post("/hooks/import", {"source": json.dumps(file), "product": "claude"}))
    place, out = tmp_path / "settings.json", StringIO()
    place.write_text(json.dumps(file))
    try:
        call_command("import_hooks", str(place), "--product", "claude", "--dry-run", stdout=out)
    except CommandError as refused:
        out.write(str(refused))
    assert said in out.getvalue()
    assert not Hook.objects.exists()
