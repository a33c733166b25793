"""Custom agents as resources."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.models import Agent
from hooks.models import Hook
from portal.audit.models import AuditEvent
from tests.shell import Caller, command, put_agent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
URL = "/api/v2/extendedAgent/agents"
YAML = {"type": "application/yaml", "accept": "application/yaml"}
SEEDS = sorted((Path(__file__).parent.parent.parent.parent / "shared" / "seeds").glob("*.txt"))
DOCUMENT = """
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata:
  name: keeper
spec:
  zebra: {deep: [1, 2.5, null, "x"]}
  instructions: |
    Keep things.
  handoffDescription: ""
  hooks:
    PostToolUse:
      - type: command
        matcher: "Bash|Shell"
        timeout: 30
        failMode: block
        script: |
          #!/usr/bin/env python3
          print("{}")
    Stop:
      - name: named
        type: prompt
        prompt: |
          Good?
          $ARGUMENTS
        timeout: 20
  enableVanillaMode: true
  aardvark: last
"""


def in_order(value: Any) -> Any:
    """Make order count in a comparison."""
    if isinstance(value, dict):
        return [(key, in_order(inner)) for key, inner in value.items()]
    return [in_order(one) for one in value] if isinstance(value, list) else value


def test_it_works(api: Caller) -> None:
    body = {
        "name": "my_hooked_agent",
        "type": "ExtendedAgent",
        "tags": ["a"],
        "owner": "sre",
        "properties": {"instructions": "Help.", "hooks": {"Stop": [command("true")]}},
    }
    created = api.put(f"{URL}/my_hooked_agent", body)
    assert created.status == 201
    assert created.body == {**body, "version": 1}
    replaced = api.put(f"{URL}/my_hooked_agent", {**body, "tags": []})
    assert (replaced.status, replaced.body["version"]) == (200, 2)
    assert api.get(f"{URL}/my_hooked_agent").body == replaced.body
    assert api.get(URL).body == {"value": [replaced.body], "nextLink": None}
    assert api.delete(f"{URL}/my_hooked_agent").status == 204
    assert (api.get(f"{URL}/my_hooked_agent").status, Hook.objects.count()) == (404, 0)


def test_a_document_comes_back_as_it_was(api: Caller) -> None:
    created = api.put(f"{URL}/keeper", raw=DOCUMENT, **YAML)
    assert created.status == 201
    got = api.get(f"{URL}/keeper", accept="application/yaml")
    document = yaml.safe_load(DOCUMENT)
    items = document["spec"]["hooks"]["PostToolUse"][0]
    document["spec"]["hooks"]["PostToolUse"][0] = {
        key: items[key] for key in ("type", "script", "matcher", "timeout", "failMode")
    }
    assert in_order(got.body) == in_order(document)
    assert "script: |\n" in got.text
    assert api.put(f"{URL}/keeper", raw=got.text, **YAML).text == got.text
    assert api.get(f"{URL}/keeper").body["version"] == 1


@pytest.mark.skipif(not SEEDS, reason="the published sample documents are not beside this checkout")
@pytest.mark.parametrize("place", SEEDS, ids=[place.stem for place in SEEDS])
def test_published_documents_go_in_and_come_out(place: Path, api: Caller) -> None:
    text = place.read_text(encoding="utf-8")
    found = re.search(r"^api_version: azuresre.*?^          print\(json[^\n]*\n", text, re.DOTALL | re.MULTILINE)
    assert found
    document = yaml.safe_load(found[0])
    created = api.put(f"{URL}/my_hooked_agent", raw=found[0], **YAML)
    assert created.status == 201
    assert created.body == document
    assert list(created.body["spec"]) == list(document["spec"])
    envelope = api.get(f"{URL}/my_hooked_agent").body
    assert envelope["properties"] == document["spec"]
    again = api.put(f"{URL}/my_hooked_agent", envelope)
    assert (again.status, again.body) == (200, envelope)


def test_a_v1_document_keeps_the_hooks_and_says_so(api: Caller) -> None:
    put_agent(api, "keeper", {"Stop": [command("true")]})
    document = {
        "api_version": "azuresre.ai/v1",
        "kind": "AgentConfiguration",
        "spec": {"name": "keeper", "system_prompt": "New.", "handoff_description": "d", "tools": ["A"], "odd": 1},
    }
    answer = api.put(f"{URL}/keeper", document)
    assert answer.status == 200
    assert [warning["code"] for warning in answer.body["warnings"]] == ["hooks_kept"]
    assert answer.body["properties"] == {
        "instructions": "New.",
        "handoffDescription": "d",
        "tools": ["A"],
        "odd": 1,
        "hooks": {"Stop": [command("true")]},
    }


def test_a_documents_warnings_stand_in_it_and_do_no_harm_when_sent_back(api: Caller) -> None:
    document = {
        "kind": "ExtendedAgent",
        "metadata": {"name": "keeper"},
        "spec": {"hooks": {"Stop": [command("x", matcher="y")]}},
    }
    answer = api.put(f"{URL}/keeper", document, **YAML)
    assert [warning["target"] for warning in answer.body["warnings"]] == ["spec.hooks.Stop[0].matcher"]
    assert api.put(f"{URL}/keeper", answer.body, **YAML).status == 200


def test_a_v1_document_has_no_hooks(api: Caller) -> None:
    document = {"kind": "AgentConfiguration", "spec": {"hooks": {}}}
    assert api.put(f"{URL}/keeper", document).targets == ["spec.hooks"]


def test_a_put_replaces_the_hooks_as_well(api: Caller) -> None:
    put_agent(api, "keeper", {"Stop": [command("true")], "Start": []})
    assert api.get(f"{URL}/keeper").body["properties"]["hooks"] == {"Stop": [command("true")], "Start": []}
    answer = api.put(f"{URL}/keeper", {"properties": {"instructions": "x"}})
    assert answer.body["properties"] == {"instructions": "x"}
    assert Hook.objects.count() == 0


def test_names_must_agree(api: Caller) -> None:
    assert api.put(f"{URL}/keeper", {"name": "other", "properties": {}}).code == "Conflict"
    assert api.put(f"{URL}/other", raw=DOCUMENT, **YAML).status == 409


def test_the_agents_own_name_is_taken(api: Caller) -> None:
    assert api.put(f"{URL}/SRE-agent", {"properties": {}}).targets == ["name"]


def test_null_handoffs_are_refused_with_a_hint(api: Caller) -> None:
    answer = api.put(f"{URL}/keeper", {"properties": {"handoffs": None, "tools": None}})
    assert answer.targets == ["properties.handoffs", "properties.tools"]
    assert "[]" in answer.body["error"]["details"][0]["message"]


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ([], [""]),
        ({"kind": "Robot", "metadata": {}, "spec": {}}, ["kind"]),
        ({"api_version": "azuresre.ai/v3", "kind": "ExtendedAgent", "metadata": {}, "spec": {}}, ["api_version"]),
        ({"kind": "ExtendedAgent", "metadata": [], "spec": {}}, ["metadata"]),
        ({"kind": "ExtendedAgent", "metadata": {}}, ["spec"]),
        ({"properties": []}, ["properties"]),
        ({"properties": {}, "tag": []}, ["tag"]),
        ({"type": "GlobalHook", "tags": [1], "owner": 2, "properties": {}}, ["type", "tags", "owner"]),
        (
            {"properties": {"instructions": 1, "enableVanillaMode": "on"}},
            ["properties.instructions", "properties.enableVanillaMode"],
        ),
        ({"properties": {"handoffs": [1], "tools": "x"}}, ["properties.handoffs", "properties.tools"]),
        ({"properties": {"hooks": []}}, ["properties.hooks"]),
        ({"properties": {"hooks": {"stop": [], "Stop": {}}}}, ["properties.hooks.stop", "properties.hooks.Stop"]),
        (
            {"properties": {"hooks": {"Stop": [{"prompt": "p", "activationMode": "always"}]}}},
            ["properties.hooks.Stop[0].activationMode"],
        ),
        (
            {"kind": "ExtendedAgent", "metadata": {}, "spec": {"hooks": {"Stop": [{}, {"prompt": ""}]}}},
            ["spec.hooks.Stop[0].prompt", "spec.hooks.Stop[1].prompt"],
        ),
    ],
)
def test_faults_are_named(api: Caller, agent: Agent, body: Any, targets: list[str]) -> None:
    answer = api.put(f"{URL}/keeper", body)
    assert (answer.status, sorted(answer.targets)) == (400, sorted(targets))
    assert agent.custom_agents.count() == 0


@pytest.mark.parametrize("name", ["a b", "x" * 65, "x%00", "_x", "a%2Fb"])
def test_names_follow_the_rule(api: Caller, name: str) -> None:
    assert api.put(f"{URL}/{name}", {"properties": {}}).status in (400, 404)
    assert api.get(f"{URL}/{name}").status == 404


def test_hooks_keep_their_identity(api: Caller, agent: Agent) -> None:
    put_agent(api, "keeper", {"Stop": [command("echo 1"), command("echo 2"), command("echo 3", name="n")]})
    before = {hook.options["command"]: hook.pk for hook in agent.hooks.all()}
    put_agent(api, "keeper", {"Stop": [command("echo 4", name="n"), command("echo 2"), command("echo 5")]})
    after = {hook.options["command"]: (hook.pk, hook.version) for hook in agent.hooks.all()}
    assert after["echo 4"] == (before["echo 3"], 2)
    assert after["echo 2"] == (before["echo 2"], 1)
    assert after["echo 5"][0] not in (before["echo 2"], before["echo 3"])
    assert [hook.position for hook in agent.hooks.order_by("position")] == [0, 1, 2]


def test_one_change_is_one_audit_event(api: Caller) -> None:
    put_agent(api, "keeper", {"Stop": [command("echo 1")]})
    put_agent(api, "keeper", {"Stop": [command("echo 1")]})
    put_agent(api, "keeper", {"Stop": [command("echo 2")], "Start": [command("true")]})
    events = AuditEvent.objects.filter(object_type="custom agent").order_by("sequence")
    assert [event.verb for event in events] == ["custom_agent.created", "custom_agent.updated"]
    assert events[1].before["properties"]["hooks"] == {"Stop": [command("echo 1")]}


def test_preconditions_and_dry_run(api: Caller, agent: Agent) -> None:
    assert api.put(f"{URL}/keeper?dryRun=true", {"properties": {}}).status == 200
    assert agent.custom_agents.count() == 0
    tag = api.put(f"{URL}/keeper", {"properties": {}}, If_None_Match="*").headers["ETag"]
    assert api.put(f"{URL}/keeper", {"properties": {}}, If_None_Match="*").status == 412
    assert api.put(f"{URL}/keeper", {"properties": {"a": 1}}, If_Match=tag).status == 200
    assert api.put(f"{URL}/keeper", {"properties": {}}, If_Match=tag).status == 412
    assert api.delete(f"{URL}/keeper", If_Match=tag).status == 412


def test_a_page_at_a_time(api: Caller) -> None:
    for number in range(5):
        put_agent(api, f"a{number}", {})
    first = api.get(f"{URL}?top=2").body
    assert [one["name"] for one in first["value"]] == ["a0", "a1"]
    put_agent(api, "a00", {})
    second = api.get(first["nextLink"]).body
    assert [one["name"] for one in second["value"]] == ["a2", "a3"]
    third = api.get(second["nextLink"]).body
    assert ([one["name"] for one in third["value"]], third["nextLink"]) == (["a4"], None)
    assert api.get(f"{URL}?top=0").targets == api.get(f"{URL}?top=x").targets == ["top"]
    assert api.get(f"{URL}?cursor=%00").targets == api.get(f"{URL}?cursor=AA").targets == ["cursor"]
