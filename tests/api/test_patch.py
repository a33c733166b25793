"""Hooks and custom agents changed in part."""

from typing import Any

import pytest

from agents.models import Agent
from hooks.engine.mergepatch import merge
from portal.audit.models import AuditEvent
from tests.shell import Answer, Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
HOOKS, AGENTS = "/api/v2/extendedAgent/hooks", "/api/v2/extendedAgent/agents"
MERGE = "application/merge-patch+json"


def patch(api: Caller, path: str, body: Any, **options: Any) -> Answer:
    return api.call("PATCH", path, body, **{"type": MERGE, **options})


@pytest.mark.parametrize(
    ("target", "change", "result"),
    [  # the examples of RFC 7396, Appendix A
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_examples_of_the_rfc(target: Any, change: Any, result: Any) -> None:
    assert merge(target, change) == result


def test_it_works(api: Caller) -> None:
    put_hook(api, "h", "PostToolUse", command("true", matcher="Bash", timeout=5), description="why", enabled=False)
    answer = patch(api, f"{HOOKS}/h", {"tags": ["a"], "properties": {"enabled": True, "hook": {"timeout": 9}}})
    assert (answer.status, answer.body["version"], answer.body["tags"]) == (200, 2, ["a"])
    properties = answer.body["properties"]
    assert (properties["enabled"], properties["description"]) == (True, "why")
    assert (properties["hook"]["timeout"], properties["hook"]["matcher"]) == (9, "Bash")
    assert answer.headers["ETag"] == api.get(f"{HOOKS}/h").headers["ETag"]
    assert api.call("PATCH", f"{HOOKS}/h", {"owner": "sre"}).body["owner"] == "sre"


def test_a_null_gives_the_default(api: Caller) -> None:
    put_hook(api, "h", "Stop", {"prompt": "p", "timeout": 5, "model": "Fast"}, description="x", enabled=False)
    body = {"properties": {"description": None, "enabled": None, "hook": {"timeout": None, "model": None}}}
    properties = patch(api, f"{HOOKS}/h", body).body["properties"]
    assert (properties["description"], properties["enabled"]) == ("", True)
    assert (properties["hook"]["timeout"], properties["hook"]["model"]) == (30, "ReasoningFast")


def test_the_type_may_change_too(api: Caller) -> None:
    put_hook(api, "h", "Stop", {"prompt": "p", "maxRejections": 5})
    change = {"type": "command", "command": "true", "prompt": None, "maxRejections": None}
    answer = patch(api, f"{HOOKS}/h", {"properties": {"hook": change}})
    assert (answer.status, answer.body["properties"]["hook"]["type"]) == (200, "command")
    assert "warnings" not in answer.body


def test_a_patch_may_be_in_snake_case(api: Caller) -> None:
    put_hook(api, "h", "Stop", command("true", failMode="block"), activationMode="onDemand")
    answer = patch(api, f"{HOOKS}/h", {"properties": {"activation_mode": "always", "hook": {"fail_mode": "allow"}}})
    assert answer.body["properties"]["activationMode"] == "always"
    assert answer.body["properties"]["hook"]["failMode"] == "allow"
    twice = patch(api, f"{HOOKS}/h", {"properties": {"hook": {"fail_mode": "allow", "failMode": "block"}}})
    assert twice.targets == ["properties.hook.failMode"]


@pytest.mark.parametrize(
    ("change", "targets"),
    [
        ([], [""]),
        ({"zzz": 1}, ["zzz"]),
        ({"properties": None}, ["properties"]),
        ({"properties": {"hook": None}}, ["properties.hook"]),
        ({"properties": {"eventType": None}}, ["properties.eventType"]),
        (
            {"properties": {"hook": {"timeout": 0, "prompt": "p"}}},
            ["properties.hook.timeout", "properties.hook.prompt"],
        ),
        ({"properties": {"hook": {"command": "if then"}}}, ["properties.hook.command"]),
        ({"properties": {"hook": {"script": "#!/bin/bash\n"}}}, ["properties.hook.script"]),
    ],
)
def test_faults_are_those_of_a_put(api: Caller, change: Any, targets: list[str]) -> None:
    stored = put_hook(api, "h", "Stop", command("true")).body
    answer = patch(api, f"{HOOKS}/h", change)
    assert (answer.status, sorted(answer.targets)) == (400, sorted(targets))
    assert api.get(f"{HOOKS}/h").body == stored


def test_a_patch_is_json_of_what_is_there(api: Caller) -> None:
    assert patch(api, f"{HOOKS}/h", {}).status == patch(api, f"{AGENTS}/a", {}).status == 404
    put_hook(api, "h", "Stop", command("true"))
    refused = patch(api, f"{HOOKS}/h", {}, type="application/yaml")
    assert (refused.status, "merge-patch+json" in refused.message) == (415, True)
    assert patch(api, f"{HOOKS}/h", {"name": "other"}).code == "Conflict"
    assert api.call("PATCH", f"{HOOKS}/h", raw="{").code == "MalformedBody"
    assert api.put(f"{HOOKS}/h", {}, type=MERGE).status == 415


def test_preconditions_and_dry_run(api: Caller) -> None:
    tag = put_hook(api, "h", "Stop", command("true")).headers["ETag"]
    events, change = AuditEvent.objects.count(), {"owner": "sre"}
    dry = patch(api, f"{HOOKS}/h?dryRun=true", change)
    assert dry.body["diff"] == [
        {"path": "owner", "before": "", "after": "sre"},
        {"path": "version", "before": 1, "after": 2},
    ]
    assert (api.get(f"{HOOKS}/h").body["version"], AuditEvent.objects.count()) == (1, events)
    assert patch(api, f"{HOOKS}/h", change, If_None_Match="*").status == 412
    assert patch(api, f"{HOOKS}/h", change, If_Match=tag).status == 200
    assert patch(api, f"{HOOKS}/h", change, If_Match=tag).status == 412
    assert patch(api, f"{HOOKS}/h", change).body["version"] == 2


def test_warnings(api: Caller) -> None:
    put_hook(api, "h", "Stop", command("true"))
    answer = patch(api, f"{HOOKS}/h", {"properties": {"hook": {"matcher": "Bash"}}})
    assert [warning["target"] for warning in answer.body["warnings"]] == ["properties.hook.matcher"]


def test_a_custom_agent(api: Caller, agent: Agent) -> None:
    put_agent(api, "Keeper", {"Stop": [command("true")], "Start": []}, zebra={"a": [1], "b": 2}, tools=["A"], aard=1)
    change = {"owner": "sre", "properties": {"instructions": "New.", "zebra": {"b": None, "c": 3}, "tools": None}}
    answer = patch(api, f"{AGENTS}/keeper", {**change, "tags": ["x"]})
    assert (answer.status, answer.body["name"], answer.body["owner"], answer.body["version"]) == (
        200,
        "Keeper",
        "sre",
        2,
    )
    properties = answer.body["properties"]
    assert list(properties) == ["instructions", "zebra", "aard", "hooks"]
    assert properties["zebra"] == {"a": [1], "c": 3}
    assert properties["hooks"] == {"Stop": [command("true")], "Start": []}
    hooks = patch(api, f"{AGENTS}/keeper", {"properties": {"hooks": {"Start": None, "Stop": [{"prompt": "p"}]}}})
    assert hooks.body["properties"]["hooks"] == {"Stop": [{"prompt": "p"}]}
    assert patch(api, f"{AGENTS}/keeper", {"name": "other"}).code == "Conflict"


def test_a_custom_agents_document(api: Caller) -> None:
    put_agent(api, "keeper", {"Stop": [command("true")]})
    answer = patch(api, f"{AGENTS}/keeper", {"spec": {"instructions": "New."}}, accept="application/yaml")
    assert answer.body["spec"] == {"instructions": "New.", "hooks": {"Stop": [command("true")]}}
    of_v1 = patch(api, f"{AGENTS}/keeper", {"kind": "AgentConfiguration", "spec": {}})
    assert of_v1.targets == ["kind"]


@pytest.mark.parametrize(
    ("change", "targets"),
    [
        (7, [""]),
        ({"properties": {"hooks": {"stop": []}}}, ["properties.hooks.stop"]),
        ({"spec": {"hooks": {"Stop": [{}]}}}, ["spec.hooks.Stop[0].prompt"]),
        ({"spec": None}, ["spec"]),
    ],
)
def test_a_custom_agents_faults(api: Caller, change: Any, targets: list[str]) -> None:
    put_agent(api, "keeper", {})
    answer = patch(api, f"{AGENTS}/keeper", change)
    assert (answer.status, answer.targets) == (400, targets)


def test_a_custom_agents_preconditions_and_dry_run(api: Caller, agent: Agent) -> None:
    tag = put_agent(api, "keeper", {}).headers["ETag"]
    assert patch(api, f"{AGENTS}/keeper?dryRun=true", {"owner": "x"}).body["diff"][0]["path"] == "owner"
    assert agent.custom_agents.get().owner == ""
    assert patch(api, f"{AGENTS}/keeper", {"owner": "x"}, If_Match='"0.0"').status == 412
    assert patch(api, f"{AGENTS}/keeper", {"owner": "x"}, If_Match=tag).status == 200
