"""Agent-level hooks as resources."""

import pytest

from agents.models import Agent
from portal.audit.models import AuditEvent
from tests.shell import Caller, command, envelope, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
URL = "/api/v2/extendedAgent/hooks"
TRUE = command("true")


def test_it_works(api: Caller) -> None:
    created = put_hook(api, "require-evidence", "Stop", {"prompt": "Is there evidence? $ARGUMENTS"}, description="why")
    assert created.status == 201
    assert created.body == {
        "name": "require-evidence",
        "type": "GlobalHook",
        "tags": [],
        "owner": "",
        "properties": {
            "eventType": "Stop",
            "activationMode": "always",
            "description": "why",
            "enabled": True,
            "hook": {
                "type": "prompt",
                "prompt": "Is there evidence? $ARGUMENTS",
                "command": None,
                "script": None,
                "matcher": None,
                "timeout": 30,
                "failMode": "allow",
                "model": "ReasoningFast",
                "maxRejections": 3,
            },
        },
        "version": 1,
        "contentHash": created.body["contentHash"],
    }
    got = api.get(f"{URL}/require-evidence")
    assert (got.status, got.body) == (200, created.body)
    assert got.headers["ETag"] == created.headers["ETag"]
    assert api.get(URL).body == {"value": [created.body], "nextLink": None}


def test_an_answer_may_be_sent_back(api: Caller) -> None:
    created = put_hook(api, "h", "Stop", TRUE)
    again = api.put(f"{URL}/h", created.body)
    assert (again.status, again.body) == (200, created.body)


def test_each_change_is_a_version_and_an_audit_event(api: Caller) -> None:
    first = put_hook(api, "h", "Stop", TRUE).body
    put_hook(api, "h", "Stop", TRUE)
    second = put_hook(api, "h", "Stop", command("false")).body
    assert (first["version"], second["version"]) == (1, 2)
    assert first["contentHash"] != second["contentHash"]
    versions = api.get(f"{URL}/h/versions").body["value"]
    assert [(one["version"], one["change"]) for one in versions] == [(2, "hook.updated"), (1, "hook.created")]
    old = api.get(f"{URL}/h?version=1").body
    assert old["properties"]["hook"] == TRUE
    events = AuditEvent.objects.filter(object_type="hook").order_by("sequence")
    assert [event.verb for event in events] == ["hook.created", "hook.updated"]
    assert events[1].before == first
    assert events[1].after == second
    assert events[1].actor_kind == "token"


def test_a_put_replaces_the_whole(api: Caller) -> None:
    put_hook(api, "h", "PostToolUse", command("true", matcher="*", timeout=5), description="x", enabled=False)
    answer = put_hook(api, "h", "Stop", {"prompt": "p"})
    assert answer.status == 200
    assert answer.body["properties"]["hook"]["type"] == "prompt"
    assert answer.body["properties"]["hook"]["timeout"] == 30
    assert (answer.body["properties"]["description"], answer.body["properties"]["enabled"]) == ("", True)


def test_a_hook_that_is_made_anew_counts_on(api: Caller) -> None:
    put_hook(api, "h", "Stop", TRUE)
    put_hook(api, "h", "Stop", command("false"))
    assert api.delete(f"{URL}/h").status == 204
    assert api.get(f"{URL}/h").status == 404
    assert put_hook(api, "h", "Stop", TRUE).body["version"] == 3


def test_names_are_unique_in_any_case(api: Caller, agent: Agent) -> None:
    put_hook(api, "gate", "Stop", TRUE)
    answer = put_hook(api, "GATE", "Stop", TRUE)
    assert answer.status == 200
    assert [hook.name for hook in agent.hooks.all()] == ["GATE"]
    assert api.get(f"{URL}/gate").body["name"] == "GATE"


def test_the_body_must_name_the_same(api: Caller) -> None:
    assert api.put(f"{URL}/a", envelope("b", "Stop", TRUE)).code == "Conflict"


@pytest.mark.parametrize("name", ["system__x", "a b", "a" * 65, "x%00", "%E4%B8%AD"])
def test_names_follow_the_rule(api: Caller, name: str) -> None:
    answer = api.put(f"{URL}/{name}", {"properties": {"eventType": "Stop", "hook": TRUE}})
    assert (answer.status, answer.targets) == (400, ["name"])
    assert api.get(f"{URL}/{name}").status == 404
    assert api.delete(f"{URL}/{name}").status == 404


def test_all_faults_at_their_paths(api: Caller) -> None:
    hook = {"type": "command", "timeout": 0, "zzz": 1}
    answer = api.put(f"{URL}/h", {"properties": {"eventType": "PostToolUse", "hook": hook, "enabled": 1}})
    wanted = ["hook.timeout", "hook.zzz", "hook.script", "hook.matcher", "enabled"]
    assert sorted(answer.targets) == sorted(f"properties.{one}" for one in wanted)


def test_a_script_that_does_not_parse_is_refused(api: Caller) -> None:
    answer = api.put(f"{URL}/h", envelope("h", "Stop", command("if then")))
    assert answer.targets == ["properties.hook.command"]


def test_warnings_come_with_the_resource(api: Caller) -> None:
    answer = put_hook(api, "h", "Stop", command("true", matcher="Bash"))
    assert [warning["target"] for warning in answer.body["warnings"]] == ["properties.hook.matcher"]
    assert "warnings" not in api.get(f"{URL}/h").body


def test_preconditions(api: Caller) -> None:
    body = envelope("h", "Stop", TRUE)
    assert api.put(f"{URL}/h", body, If_Match='"1.1"').status == 412
    tag = api.put(f"{URL}/h", body, If_None_Match="*").headers["ETag"]
    assert api.put(f"{URL}/h", body, If_None_Match="*").code == "PreconditionFailed"
    changed = api.put(f"{URL}/h", envelope("h", "Stop", command("false")), If_Match=tag)
    assert changed.status == 200
    assert api.put(f"{URL}/h", body, If_Match=tag).status == 412
    assert api.delete(f"{URL}/h", If_Match=tag).status == 412
    assert api.delete(f"{URL}/h", If_Match=changed.headers["ETag"]).status == 204


def test_a_dry_run_stores_nothing(api: Caller, agent: Agent) -> None:
    answer = api.put(f"{URL}/h?dryRun=true", envelope("h", "Stop", TRUE))
    assert (answer.status, agent.hooks.count()) == (200, 0)
    put_hook(api, "h", "Stop", TRUE)
    events = AuditEvent.objects.count()
    answer = api.put(f"{URL}/h?dryRun=true", envelope("h", "Stop", command("false")))
    changes = {change["path"]: (change["before"], change["after"]) for change in answer.body["diff"]}
    assert changes["properties.hook.command"] == ("true", "false")
    assert api.get(f"{URL}/h").body["version"] == 1
    assert AuditEvent.objects.count() == events
    assert api.put(f"{URL}/h?dryRun=maybe", envelope("h", "Stop", TRUE)).targets == ["dryRun"]


def test_at_most_a_hundred_of_an_event(api: Caller, agent: Agent) -> None:
    from hooks.models import Hook

    Hook.objects.bulk_create(
        Hook(agent=agent, name=f"h{n}", event="Stop", position=n, type="prompt") for n in range(100)
    )
    answer = api.put(f"{URL}/one-more", envelope("one-more", "Stop", TRUE))
    assert (answer.status, answer.targets) == (400, ["properties.eventType"])


def test_hooks_stand_in_running_order(api: Caller) -> None:
    for name in ("c", "a", "b"):
        put_hook(api, name, "Stop", TRUE)
    put_hook(api, "c", "Start", TRUE)
    put_hook(api, "c", "Stop", TRUE)
    assert [hook["name"] for hook in api.get(URL).body["value"]] == ["a", "b", "c"]


def test_yaml_in_and_out(api: Caller) -> None:
    body = envelope("h", "Stop", {"type": "command", "script": "#!/bin/bash\r\ntrue\r\n"})
    answer = api.put(f"{URL}/h", body, type="application/yaml", accept="application/yaml")
    assert answer.status == 201
    assert answer.body["properties"]["hook"]["script"] == "#!/bin/bash\ntrue\n"
    assert "script: |\n" in answer.text
