"""All hooks of an agent and of its custom agents as one document."""

from typing import Any

import pytest

from agents.models import Agent
from agents.services import create_agent
from hooks.engine import yamldoc
from hooks.models import Hook, HookVersion
from portal.audit.models import AuditEvent
from tests.shell import BY, Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
HOOKS, AGENTS = "/api/v2/extendedAgent/hooks", "/api/v2/extendedAgent/agents"
URL = f"{HOOKS}:bundle"
YAML = {"type": "application/yaml", "accept": "application/yaml"}
SCRIPT = "#!/usr/bin/env python3\nimport json\n\nprint(json.dumps({'decision': 'allow'}))\n"


@pytest.fixture
def filled(api: Caller) -> str:
    """A few of everything; the bundle's text."""
    put_hook(api, "b", "Stop", command("true"), description="yes", activationMode="onDemand")
    put_hook(api, "a", "Stop", {"prompt": "yes"}, enabled=False)
    put_hook(api, "t", "PostToolUse", {"type": "command", "script": SCRIPT, "matcher": "*", "timeout": 12})
    put_agent(api, "worker", {"Stop": [{"prompt": "on", "name": "n"}], "Start": []}, zebra="12:30", tools=["Bash"])
    put_agent(api, "idle", {}, aardvark={"b": 1, "a": [None, "off"]})
    return api.get(URL, accept="*/*").text


def counts() -> tuple[int, int, int]:
    return Hook.objects.count(), HookVersion.objects.count(), AuditEvent.objects.count()


def order(agent: Agent) -> list[str]:
    return [hook.name for hook in agent.hooks.filter(custom_agent=None, event="Stop").order_by("position")]


def test_it_works(api: Caller, filled: str, caller: type[Caller]) -> None:
    other = create_agent(name="other", by=BY)
    theirs = caller(of=other)
    answer = theirs.put(URL, raw=filled, **YAML)
    assert (answer.status, {change["action"] for change in answer.body["diff"]}) == (200, {"created"})
    exported = theirs.get(URL, accept="*/*")
    assert exported.headers["Content-Type"].startswith("application/yaml")
    assert exported.text == filled.replace("agent: sre-agent", "agent: other")
    assert answer.headers["ETag"] == exported.headers["ETag"]
    assert order(other) == ["b", "a"]


def test_it_is_readable(filled: str) -> None:
    assert "script: |\n" in filled
    assert "- name: b\n" in filled
    assert yamldoc.load(filled)["hooks"][0]["name"] == "t"


def test_the_same_twice_changes_nothing(api: Caller, filled: str) -> None:
    before = counts()
    for options in (YAML, {"type": "application/yaml"}):
        answer = api.put(URL, raw=filled, **options)
        assert (answer.status, answer.body["diff"]) == (200, [])
    assert api.put(URL, api.get(URL, accept="application/json").body).body["diff"] == []
    assert api.put(f"{URL}?prune=true", raw=filled, **YAML).body["diff"] == []
    assert api.put(URL, answer.body).body["diff"] == []  # an answer may be sent back
    assert counts() == before


def test_it_comes_in_json_where_asked(api: Caller, filled: str) -> None:
    assert api.get(URL, accept="application/json").body == yamldoc.load(filled)
    assert api.get(URL, accept="*/*").text == filled
    assert api.put(URL, raw=filled, type="application/yaml", accept="*/*").headers["Content-Type"] == "application/json"


def test_a_dry_run_shows_the_difference_and_stores_nothing(api: Caller, filled: str) -> None:
    before, bundle = counts(), yamldoc.load(filled)
    bundle["hooks"][0]["properties"]["hook"]["timeout"] = 13
    bundle["hooks"] = bundle["hooks"][:2]
    bundle["agents"][1]["spec"]["zebra"] = 1
    del bundle["agents"][0]
    answer = api.put(f"{URL}?dryRun=true&prune=true", bundle)
    found = {change["resource"]: change["action"] for change in answer.body["diff"]}
    assert found == {
        "hook a": "deleted",
        "custom agent idle": "deleted",
        "hook t": "changed",
        "custom agent worker": "changed",
    }
    changed = next(change for change in answer.body["diff"] if change["resource"] == "hook t")
    assert {"path": "properties.hook.timeout", "before": 12, "after": 13} in changed["changes"]
    assert [hook["name"] for hook in answer.body["hooks"]] == ["t", "b"]
    assert "ETag" not in answer.headers
    assert (counts(), api.get(URL, accept="*/*").text) == (before, filled)


def test_what_it_lacks_stays_unless_pruned(api: Caller, filled: str, agent: Agent) -> None:
    bundle = yamldoc.load(filled)
    bundle["hooks"], bundle["agents"] = bundle["hooks"][:1], []
    assert api.put(URL, bundle).body["diff"] == []
    assert (order(agent), agent.custom_agents.count()) == (["b", "a"], 2)
    assert len(api.put(f"{URL}?prune=true", bundle).body["diff"]) == 4
    assert (order(agent), agent.custom_agents.count()) == ([], 0)
    assert set(AuditEvent.objects.values_list("verb", flat=True)) >= {"hook.deleted", "custom_agent.deleted"}


def test_pruning_takes_both_lists(api: Caller, filled: str) -> None:
    before = counts()
    assert api.put(f"{URL}?prune=true", {}).targets == ["hooks", "agents"]
    assert api.put(f"{URL}?prune=true", {"hooks": []}).targets == ["agents"]
    assert counts() == before


def test_pruning_makes_room_first(api: Caller, agent: Agent) -> None:
    Hook.objects.bulk_create(
        Hook(agent=agent, name=f"h{n}", event="Stop", position=n, type="prompt") for n in range(100)
    )
    one = {"name": "new", "properties": {"eventType": "Stop", "hook": command("true")}}
    full = api.put(URL, {"hooks": [one]})
    assert (full.status, full.targets) == (400, ["hooks[0].properties.eventType"])
    assert api.put(f"{URL}?prune=true", {"hooks": [one], "agents": []}).status == 200
    assert order(agent) == ["new"]


def test_its_order_is_the_running_order(api: Caller, filled: str, agent: Agent) -> None:
    put_hook(api, "between", "Stop", command("true"))
    put_hook(api, "c", "Stop", command("true"))
    bundle = yamldoc.load(filled)
    bundle["hooks"] = [
        {"name": "c", "properties": {"eventType": "Stop", "hook": command("true")}},
        *reversed(bundle["hooks"]),
    ]
    answer = api.put(URL, bundle)
    assert [(change["resource"], change["action"]) for change in answer.body["diff"]] == [("order of Stop", "changed")]
    assert order(agent) == ["c", "a", "between", "b"]  # what the bundle does not name keeps its place


def test_entity_tags(api: Caller, filled: str) -> None:
    tag = api.get(URL).headers["ETag"]
    put_hook(api, "b", "Stop", command("false"))
    assert api.put(URL, raw=filled, If_Match=tag, **YAML).code == "PreconditionFailed"
    assert api.put(URL, raw=filled, If_Match=api.get(URL).headers["ETag"], **YAML).headers["ETag"] == tag
    assert api.put(URL, raw=filled, If_Match="*", **YAML).status == 200
    assert api.put(URL, raw=filled, If_None_Match="*", **YAML).status == 412


@pytest.mark.parametrize(
    ("bundle", "targets"),
    [
        ([], [""]),
        ({"api_version": "v9", "kind": "Pod", "zzz": 1}, ["zzz", "api_version", "kind"]),
        ({"hooks": {}, "agents": 7}, ["hooks", "agents"]),
        ({"hooks": [7], "agents": [7]}, ["hooks[0]", "agents[0]"]),
        ({"agents": [{"kind": "ExtendedAgent", "metadata": {"name": "a b"}, "spec": {}}]}, ["agents[0].metadata.name"]),
        ({"agents": [{"properties": {}}]}, ["agents[0].metadata.name"]),
        ({"agents": [{"name": "SRE-agent", "properties": {}}]}, ["agents[0].metadata.name"]),
        ({"agents": [{"name": name, "properties": {}} for name in "aA"]}, ["agents[1].metadata.name"]),
    ],
)
def test_faults(api: Caller, bundle: Any, targets: list[str]) -> None:
    before = counts()
    answer = api.put(URL, bundle)
    assert (answer.status, answer.targets) == (400, targets)
    assert counts() == before


def test_warnings(api: Caller) -> None:
    hook = {"name": "h", "properties": {"eventType": "Stop", "hook": command("true", matcher="x")}}
    custom = {"name": "a", "properties": {"hooks": {"Stop": [command("true", model="x")]}}}
    answer = api.put(URL, {"hooks": [hook], "agents": [custom]})
    places = [warning["target"] for warning in answer.body["warnings"]]
    assert places == ["hooks[0].properties.hook.matcher", "agents[0].properties.hooks.Stop[0].model"]


def test_a_v1_document_in_it_keeps_the_hooks(api: Caller, filled: str, agent: Agent) -> None:
    document = {"kind": "AgentConfiguration", "metadata": {"name": "worker"}, "spec": {"system_prompt": "New."}}
    answer = api.put(URL, {"agents": [document]})
    assert [warning["code"] for warning in answer.body["warnings"]] == ["hooks_kept"]
    assert agent.custom_agents.get(name="worker").hooks.count() == 1
