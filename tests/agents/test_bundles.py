"""Bundles, and the commands about them."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents import services
from agents.models import Agent
from hooks.engine import yamldoc
from hooks.engine.errors import Invalid
from portal.access.actors import Actor
from portal.audit.models import AuditEvent
from tests.shell import Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]


@pytest.fixture
def filled(api: Caller, agent: Agent) -> Agent:
    put_hook(api, "b", "Stop", command("true"), description="x")
    put_hook(api, "a", "Stop", {"prompt": "p\n$ARGUMENTS"}, activationMode="onDemand")
    put_agent(api, "worker", {"PostToolUse": [command("true", matcher="*", name="n")]}, tools=["Bash"], odd={"k": [1]})
    return agent


def run(name: str, *arguments: str) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_it_works(filled: Agent, by: Actor, tmp_path: Path) -> None:
    text = run("dump_bundle")
    other = services.create_agent(name="other", by=by)
    place = tmp_path / "bundle.yaml"
    place.write_text(text)
    assert "3 of 3 would change" in run("load_bundle", str(place), "--agent", "other", "--dry-run")
    assert other.hooks.count() == 0
    assert "3 of 3 changed" in run("load_bundle", str(place), "--agent", "other")
    assert run("dump_bundle", "--agent", "other") == text.replace("sre-agent", "other")
    assert "0 of 3 changed" in run("load_bundle", str(place), "--agent", "other")
    assert [hook.name for hook in other.hooks.filter(custom_agent=None).order_by("position")] == ["b", "a"]


def test_a_dry_run_shows_the_difference(filled: Agent, tmp_path: Path) -> None:
    place = tmp_path / "bundle.yaml"
    place.write_text(
        run("dump_bundle").replace("command: 'true'", "command: 'false'").replace('command: "true"', 'command: "false"')
    )
    events = AuditEvent.objects.count()
    shown = run("load_bundle", str(place), "--dry-run")
    assert "changed   hook b" in shown
    assert 'properties.hook.command\n      - "true"\n      + "false"' in shown
    assert "unchanged hook a" in shown
    assert AuditEvent.objects.count() == events


def test_all_or_nothing(agent: Agent, by: Actor) -> None:
    bundle = {
        "hooks": [
            {"name": "good", "properties": {"eventType": "Stop", "hook": command("true")}},
            {"name": "bad", "properties": {"eventType": "Stop", "hook": {"timeout": 0}}},
        ],
        "agents": [{"kind": "ExtendedAgent", "metadata": {}, "spec": {"hooks": {"Stop": [{}]}}}],
    }
    with pytest.raises(Invalid) as refused:
        services.load_bundle(agent=agent, bundle=bundle, by=by)
    assert [fault.target for fault in refused.value.faults] == [
        "hooks[1].properties.hook.timeout",
        "hooks[1].properties.hook.prompt",
        "agents[0].spec.hooks.Stop[0].prompt",
        "agents[0].metadata.name",
    ]
    assert agent.hooks.count() == 0


@pytest.mark.parametrize(
    ("bundle", "targets"),
    [
        ([], [""]),
        ({"kind": "x", "zzz": 1, "hooks": {}, "agents": 7}, ["zzz", "kind", "hooks", "agents"]),
        (
            {"hooks": [{"name": n, "properties": {"eventType": "Stop", "hook": {"prompt": "p"}}} for n in "aA"]},
            ["hooks[1].name"],
        ),
    ],
)
def test_faults_are_named(agent: Agent, by: Actor, bundle: Any, targets: list[str]) -> None:
    with pytest.raises(Invalid) as refused:
        services.load_bundle(agent=agent, bundle=bundle, by=by)
    assert [fault.target for fault in refused.value.faults] == targets


def test_the_command_says_what_is_wrong(agent: Agent, tmp_path: Path) -> None:
    place = tmp_path / "bundle.yaml"
    for text, word in (
        ("a: [", "Line"),
        ("hooks: 7", "hooks: must be a list"),
        ("agents: [{kind: ExtendedAgent, metadata: {name: sre-agent}, spec: {}}]", "own name"),
    ):
        place.write_text(text)
        with pytest.raises(CommandError, match=word):
            run("load_bundle", str(place))
    with pytest.raises(CommandError, match="No such file"):
        run("load_bundle", str(tmp_path / "none.yaml"))
    with pytest.raises(CommandError, match="no agent 'nobody'"):
        run("dump_bundle", "--agent", "nobody")


def test_warnings_are_shown(agent: Agent, tmp_path: Path) -> None:
    place = tmp_path / "bundle.yaml"
    hook = {"name": "h", "properties": {"eventType": "Stop", "hook": command("true", matcher="x")}}
    place.write_text(yamldoc.dump({"hooks": [hook]}))
    assert "warning: hooks[0].properties.hook.matcher" in run("load_bundle", str(place))
