"""Test runs through the API; the worker's part is done by the test itself where it says `carried_out`."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from agents.models import Agent
from hooks import services, tasks
from hooks.models import Evaluation, TestRun
from tests.scripted_model import ScriptedModel
from tests.shell import STOP, TOOL, Answer, Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandboxed")]
URL = "/api/v2/testRuns"
MARKER = command('[[ "$(jq -r .final_output)" == *done ]] || { echo no marker >&2; exit 2; }')


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Catch what would go to the broker."""
    sent: list[str] = []

    def take(args: tuple[str], **_: Any) -> None:
        sent.append(args[0])

    monkeypatch.setattr(tasks.run_test, "apply_async", take)
    return sent


def sample(api: Caller, name: str, output: str, decision: str | None = None, **expected: str) -> None:
    wanted = {"decision": decision, **expected} if decision else None
    body = {"event": "Stop", "context": {"final_output": output}, "expected": wanted}
    assert api.put(f"/api/v2/sampleContexts/{name}", body).status == 201


def carried_out(api: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Ask for a run, be the worker, and answer how it ended."""
    answer = api.post(URL, body)
    assert answer.status == 202, answer.text
    services.execute_test_run(run_id=answer.body["id"])
    ended: dict[str, Any] = api.get(answer.headers["Location"]).body
    return ended


def test_it_works(api: Caller, queue: list[str]) -> None:
    put_hook(api, "marker", "Stop", MARKER)
    sample(api, "bare", "4", "block", reasonContains="marker")
    answer = api.post(URL, {"hook": "marker", "sample": "bare"})
    assert answer.status == 202
    assert answer.headers["Location"] == f"{URL}/{answer.body['id']}"
    assert (answer.body["status"], answer.body["progress"]) == ("queued", {"done": 0, "total": 1})
    assert (queue, answer.body["warnings"]) == ([answer.body["id"]], [])
    tasks.run_test(answer.body["id"])
    run = api.get(answer.headers["Location"]).body
    assert (run["status"], run["progress"]) == ("succeeded", {"done": 1, "total": 1})
    (result,) = run["results"]
    assert (result["decision"], result["sample"], result["passed"], result["fired"]) == ("block", "bare", True, True)
    stored = Evaluation.objects.get()
    assert (stored.kind, stored.test_run_id, stored.context["agent_name"]) == ("test", run["id"], "sre-agent")
    tasks.run_test(answer.body["id"])
    assert Evaluation.objects.count() == 1


def test_all_samples_of_the_event(api: Caller) -> None:
    put_hook(api, "marker", "Stop", MARKER)
    sample(api, "a", "4", "block")
    sample(api, "b", "all done", "block")
    sample(api, "c", "done")
    api.put("/api/v2/sampleContexts/tool", {"event": "PostToolUse", "context": TOOL})
    run = carried_out(api, {"hook": "marker", "samples": "all"})
    assert [(one["sample"], one["decision"], one["passed"]) for one in run["results"]] == [
        ("a", "block", True),
        ("b", "allow", False),
        ("c", "allow", None),
    ]


def test_an_unsaved_definition(api: Caller, agent: Agent) -> None:
    run = carried_out(api, {"definition": {"event": "Stop", **MARKER}, "context": {"final_output": "x"}})
    assert (run["results"][0]["decision"], agent.hooks.count()) == ("block", 0)
    assert run["results"][0]["hooks"][0]["version"] is None


def test_a_custom_agents_hook(api: Caller) -> None:
    put_agent(api, "worker", {"Stop": [command("true"), MARKER]})
    run = carried_out(api, {"customAgent": "worker", "event": "Stop", "index": 1, "context": STOP, "transcript": "t"})
    (hook,) = run["results"][0]["hooks"]
    assert (hook["name"], hook["level"], hook["outcome"]) == ("Stop[1]", "customAgent", "block")


def test_an_unsaved_hook_of_a_custom_agent(api: Caller) -> None:
    put_agent(api, "worker", {"Stop": []})
    definition = {"event": "Stop", "type": "command", "command": "jq -r .agent_name >&2; exit 2"}
    run = carried_out(
        api, {"definition": definition, "customAgent": "Worker", "index": 3, "context": {"final_output": ""}}
    )
    (hook,) = run["results"][0]["hooks"]
    assert (hook["name"], hook["level"], hook["position"], hook["reason"]) == ("Stop[3]", "customAgent", 3, "worker")
    stored = TestRun.objects.get()
    assert (stored.name, stored.custom_agent, stored.hook) == ("Stop[3]", "worker", None)
    refused = api.post(
        URL, {"definition": {**definition, "activationMode": "always"}, "customAgent": "no", "index": -1}
    )
    assert refused.targets == ["customAgent", "index", "definition.activationMode", "sample"]


def test_several_samples_by_name(api: Caller) -> None:
    put_hook(api, "marker", "Stop", MARKER)
    for name in "abc":
        sample(api, name, "4", "block")
    run = carried_out(api, {"hook": "marker", "samples": ["c", "A"]})
    assert [one["sample"] for one in run["results"]] == ["c", "a"]


def test_a_replay(api: Caller) -> None:
    put_hook(api, "marker", "Stop", MARKER)
    old = api.post("/api/v2/hooks/evaluate", {"context": STOP, "transcript": "user: x"}).body
    put_hook(api, "marker", "Stop", command("cat /mnt/data/hook_transcript.txt >&2; exit 2"))
    put_hook(api, "other", "Stop", command("true"))
    run = carried_out(api, {"hook": "marker", "evaluation": old["id"]})
    assert run["results"][0]["reason"] == "user: x"
    stored = Evaluation.objects.get(pk=run["results"][0]["id"])
    assert (stored.kind, stored.replay_of) == ("replay", old["id"])
    run = carried_out(api, {"evaluation": old["id"]})
    assert [hook["name"] for hook in run["results"][0]["hooks"]] == ["marker", "other"]


def test_the_matcher_is_part_of_the_test(api: Caller) -> None:
    put_hook(api, "gate", "PostToolUse", command("exit 2", matcher="Write"))
    (result,) = carried_out(api, {"hook": "gate", "context": TOOL})["results"]
    assert (result["fired"], result["hooks"], result["decision"]) == (False, [], "allow")
    assert [warning["code"] for warning in result["warnings"]] == ["not_matched"]


def test_a_disabled_hook_does_not_fire_and_says_why(api: Caller) -> None:
    put_hook(api, "off", "Stop", MARKER, enabled=False)
    (result,) = carried_out(api, {"hook": "off", "context": STOP})["results"]
    assert (result["fired"], [warning["code"] for warning in result["warnings"]]) == (False, ["disabled"])


def test_a_hook_on_demand_is_tested_as_if_activated(api: Caller) -> None:
    put_hook(api, "demand", "Stop", MARKER, activationMode="onDemand")
    (result,) = carried_out(api, {"hook": "demand", "context": STOP})["results"]
    assert (result["decision"], [warning["code"] for warning in result["warnings"]]) == ("block", ["on_demand"])


def test_a_prompt_hook(api: Caller, model: ScriptedModel) -> None:
    model.script('{"ok": false, "reason": "incomplete"}')
    run = carried_out(api, {"definition": {"event": "Stop", "prompt": "Whole? $ARGUMENTS"}, "context": STOP})
    assert run["results"][0]["hooks"][0]["modelCall"]["promptTokens"] == 100


def test_a_test_touches_no_thread(api: Caller, agent: Agent) -> None:
    carried_out(api, {"definition": {"event": "Stop", **MARKER}, "context": {**STOP, "thread_id": "t"}})
    assert agent.threads.count() == 0


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ([], [""]),
        ({}, ["hook", "sample"]),
        ({"hook": "nobody", "sample": "none"}, ["hook", "sample"]),
        ({"hook": 7, "samples": [7]}, ["hook", "samples"]),
        ({"hook": "marker", "customAgent": "x", "sample": "a"}, ["customAgent"]),
        ({"hook": "marker", "sample": "a", "context": {}}, ["context"]),
        ({"hook": "marker", "sample": "tool"}, ["sample"]),
        ({"hook": "marker", "samples": "all", "transcript": "x"}, ["transcript"]),
        ({"hook": "marker", "context": TOOL}, ["context.hook_event_name"]),
        ({"hook": "marker", "context": {"final_output": 1}}, ["context.final_output"]),
        ({"hook": "marker", "evaluation": "x\x00"}, ["evaluation"]),
        ({"customAgent": "x", "index": -1, "context": STOP}, ["customAgent", "event", "index"]),
        ({"definition": {"event": "Stop", "timeout": 0}, "context": STOP}, ["definition.timeout", "definition.prompt"]),
        ({"definition": [], "context": STOP}, ["definition"]),
        ({"definition": {"event": "Start", "prompt": "p"}, "samples": "all"}, ["samples"]),
        ({"hook": "marker", "contxt": {}}, ["contxt", "sample"]),
    ],
)
def test_faults_are_named(api: Caller, queue: list[str], body: Any, targets: list[str]) -> None:
    put_hook(api, "marker", "Stop", MARKER)
    sample(api, "a", "x")
    api.put("/api/v2/sampleContexts/tool", {"event": "PostToolUse", "context": TOOL})
    answer = api.post(URL, body)
    assert (answer.status, sorted(answer.targets)) == (400, sorted(targets))
    assert (queue, TestRun.objects.count()) == ([], 0)


def queued(api: Caller, **body: Any) -> Answer:
    return api.post(URL, {"definition": {"event": "Stop", **MARKER}, "context": STOP, **body})


def test_a_queued_run_is_cancelled_at_once(api: Caller) -> None:
    place = queued(api).headers["Location"]
    assert api.post(f"{place}:cancel").body["status"] == "cancelled"
    services.execute_test_run(run_id=place.rsplit("/", 1)[1])
    assert api.get(place).body["status"] == "cancelled"
    assert api.post(f"{place}:cancel", {}).status == 200


def test_without_a_broker_the_run_is_kept(api: Caller, queue: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OperationalError("no Redis")

    with monkeypatch.context() as broken:
        broken.setattr(tasks.run_test, "apply_async", refuse)
        answer = queued(api)
        assert answer.status == 202
        assert [warning["code"] for warning in answer.body["warnings"]] == ["broker_unreachable"]
        assert services.resend() == 0
    tasks.end_lost_test_runs()
    assert queue == [answer.body["id"]]
    assert services.resend() == 0


def test_a_run_whose_worker_died_is_failed(api: Caller) -> None:
    place = queued(api).headers["Location"]
    old = timezone.now() - timedelta(seconds=30)
    TestRun.objects.update(status="running", heartbeat=old)
    run = api.get(place).body
    assert (run["status"], "worker" in run["error"]) == ("failed", True)


def test_a_run_that_nobody_took_is_failed_while_workers_run(api: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    from hooks.services import testruns

    place = queued(api).headers["Location"]
    TestRun.objects.update(
        created_at=timezone.now() - timedelta(minutes=16), enqueued_at=timezone.now() - timedelta(minutes=15)
    )
    monkeypatch.setattr(testruns, "worker_is_alive", lambda: False)
    assert api.get(place).body["status"] == "queued"
    monkeypatch.setattr(testruns, "worker_is_alive", lambda: True)
    assert api.get(place).body["status"] == "failed"


def test_a_hook_deleted_meanwhile_fails_the_run(api: Caller) -> None:
    put_hook(api, "marker", "Stop", MARKER)
    answer = api.post(URL, {"hook": "marker", "context": STOP})
    api.delete("/api/v2/extendedAgent/hooks/marker")
    services.execute_test_run(run_id=answer.body["id"])
    run = api.get(answer.headers["Location"]).body
    assert (run["status"], run["error"]) == ("failed", "The hook to test was deleted.")


def test_runs_of_others_are_not_there(api: Caller) -> None:
    assert api.get(f"{URL}/01ABC").status == api.post(f"{URL}/x%00:cancel").status == 404
