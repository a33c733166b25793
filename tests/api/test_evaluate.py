"""POST /api/v2/hooks/evaluate."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Agent
from hooks.models import Evaluation, SeenTool
from tests.scripted_model import ScriptedModel
from tests.shell import STOP, TOOL, Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
URL = "/api/v2/hooks/evaluate"
REJECT = command("echo again >&2; exit 2")


def test_it_works(api: Caller) -> None:
    put_hook(api, "no-sudo", "PostToolUse", command("echo no sudo >&2; exit 2", matcher="Bash"))
    answer = api.post(URL, {"context": TOOL})
    assert answer.status == 200
    assert answer.body["decision"] == "block"
    assert answer.body["reason"] == "no sudo"
    (hook,) = answer.body["hooks"]
    assert (hook["name"], hook["level"], hook["position"], hook["version"], hook["exitCode"]) == (
        "no-sudo",
        "agent",
        0,
        1,
        2,
    )
    assert len(hook["contentHash"]) == 64
    stored = Evaluation.objects.get(pk=answer.body["id"])
    assert stored.context == {
        **TOOL,
        "current_turn": 0,
        "max_turns": 0,
        "execution_summary": "/mnt/data/hook_transcript.txt",
    }


def test_where_the_time_went(api: Caller) -> None:
    put_hook(api, "no-sudo", "PostToolUse", command("sleep 0.1", matcher="Bash"))
    told = api.post(URL, {"context": TOOL}).headers["Server-Timing"]
    stages = {name: float(taken) for name, taken in (stage.split(";dur=") for stage in told.split(", "))}
    assert list(stages) == ["auth", "read", "load", "match", "hooks", "store"]
    assert stages["hooks"] >= 100
    kept = Evaluation.objects.get().stages
    assert kept == {name: pytest.approx(stages[name], abs=0.01) for name in list(stages)[:-1]}
    remembered = {"context": TOOL, "idempotencyKey": "k"}
    assert "hooks" in api.post(URL, remembered).headers["Server-Timing"]
    assert "hooks" not in api.post(URL, remembered).headers["Server-Timing"]


def test_what_is_answered_is_what_is_kept(api: Caller) -> None:
    put_hook(
        api,
        "loud",
        "Stop",
        command('printf \'a\\0b\\xff\' >&2; echo \'{"ok":false,"reason":"\\u0000\\ud800 \\u2028"}\''),
    )
    answer = api.post(URL, {"context": {**STOP, "final_output": "\x00\u2028 中 🚀"}, "transcript": "user: \x00"})
    kept = api.get(f"/api/v2/evaluations/{answer.body['id']}").body
    assert {key: kept[key] for key in answer.body} == answer.body
    assert kept["context"]["final_output"] == "\x00\u2028 中 🚀"
    assert kept["transcript"] == "user: \x00"
    assert "\x00" in kept["hooks"][0]["stderr"]


def test_both_levels_in_order(api: Caller) -> None:
    put_hook(api, "second", "Stop", command("echo 1 >&2; exit 2"))
    put_agent(api, "worker", {"Stop": [command("echo 2 >&2; exit 2"), command("echo 3 >&2; exit 2", enabled=False)]})
    put_hook(api, "first", "Stop", command("echo 4 >&2; exit 2"))
    answer = api.post(URL, {"context": {**STOP, "agent_name": "WORKER"}})
    assert [hook["name"] for hook in answer.body["hooks"]] == ["second", "first", "Stop[0]"]
    assert answer.body["reason"] == "1\n4\n2"
    assert answer.body["warnings"] == []


def test_hooks_of_other_custom_agents_do_not_run(api: Caller) -> None:
    put_agent(api, "worker", {"Stop": [REJECT]})
    put_agent(api, "other", {"Stop": []})
    assert api.post(URL, {"context": {**STOP, "agent_name": "other"}}).body["hooks"] == []


def test_an_unknown_agent_gets_the_agent_level_and_a_warning(api: Caller) -> None:
    put_hook(api, "all", "Stop", REJECT)
    answer = api.post(URL, {"context": {**STOP, "agent_name": "nobody\x00"}})
    assert answer.body["decision"] == "block"
    assert [warning["code"] for warning in answer.body["warnings"]] == ["unknown_agent"]
    assert api.post(URL, {"context": STOP}).body["warnings"] == []


def test_a_save_is_in_force_at_once(api: Caller) -> None:
    put_hook(api, "gate", "Stop", REJECT)
    assert api.post(URL, {"context": STOP}).body["decision"] == "block"
    put_hook(api, "gate", "Stop", REJECT, enabled=False)
    assert api.post(URL, {"context": STOP}).body["hooks"] == []


def test_missing_fields_are_all_named(api: Caller) -> None:
    answer = api.post(URL, {"context": {"hook_event_name": "PostToolUse"}})
    assert answer.status == 400
    assert answer.code == "ValidationFailure"
    wanted = ["agent_name", "tool_name", "tool_input", "tool_result", "tool_succeeded"]
    assert sorted(answer.targets) == sorted(f"context.{name}" for name in wanted)


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ([], ""),
        ({}, "context"),
        ({"context": []}, "context"),
        ({"context": STOP, "thread": "x"}, "thread"),
        ({"context": STOP, "threadId": 7}, "threadId"),
        ({"context": STOP, "threadId": "x\x00"}, "threadId"),
        ({"context": {**STOP, "thread_id": "y" * 201}}, "context.thread_id"),
        ({"context": {**STOP, "thread_id": "a"}, "threadId": "b"}, "threadId"),
        ({"context": STOP, "idempotencyKey": ""}, "idempotencyKey"),
        ({"context": STOP, "transcript": [{"role": "user"}]}, "transcript[0].text"),
        ({"context": {**STOP, "hook_event_name": "stop"}}, "context.hook_event_name"),
    ],
)
def test_faults_are_named(api: Caller, body: Any, target: str) -> None:
    answer = api.post(URL, body)
    assert (answer.status, answer.targets) == (400, [target])
    assert Evaluation.objects.count() == 0


def test_the_same_key_answers_the_stored_evaluation(api: Caller) -> None:
    put_hook(api, "gate", "Stop", REJECT)
    body = {"context": STOP, "idempotencyKey": "k1", "threadId": "t"}
    first, second = api.post(URL, body), api.post(URL, {**body, "context": {**STOP, "final_output": "other"}})
    assert second.body == first.body
    assert Evaluation.objects.count() == 1
    assert api.post(URL, {**body, "idempotencyKey": "k2"}).body["id"] != first.body["id"]


def test_a_key_is_free_again_after_a_day(api: Caller) -> None:
    from datetime import timedelta

    body = {"context": STOP, "idempotencyKey": "k1"}
    first = api.post(URL, body).body["id"]
    stored = Evaluation.objects.get(pk=first)
    Evaluation.objects.update(created_at=stored.created_at - timedelta(hours=25))
    second = api.post(URL, body).body["id"]
    assert second != first
    assert api.post(URL, body).body["id"] == second


def count_of(answer: Any) -> tuple[int, bool]:
    context = Evaluation.objects.get(pk=answer.body["id"]).context
    return context["stop_rejection_count"], context["stop_hook_active"]


def test_the_portal_counts_rejections_of_a_thread(api: Caller) -> None:
    put_hook(api, "gate", "Stop", command('[ "$(jq -r .final_output)" = good ] || { echo again >&2; exit 2; }'))
    stop, good = {"context": STOP, "threadId": "t"}, {"context": {**STOP, "final_output": "good"}, "threadId": "t"}
    assert count_of(api.post(URL, stop)) == (0, False)
    assert count_of(api.post(URL, stop)) == (1, True)
    assert count_of(api.post(URL, {"context": STOP, "threadId": "other"})) == (0, False)
    assert count_of(api.post(URL, {"context": {**STOP, "thread_id": "t"}})) == (2, True)
    assert count_of(api.post(URL, {"context": STOP})) == (0, False)
    assert count_of(api.post(URL, good)) == (3, True)
    assert count_of(api.post(URL, stop)) == (0, False)


def test_the_callers_count_is_authoritative(api: Caller) -> None:
    put_hook(api, "gate", "Stop", REJECT)
    api.post(URL, {"context": STOP, "threadId": "t"})
    answer = api.post(URL, {"context": {**STOP, "stop_rejection_count": 7}, "threadId": "t"})
    assert count_of(answer)[0] == 7


def test_a_prompt_hook_stops_rejecting_at_its_limit(api: Caller, model: ScriptedModel) -> None:
    put_hook(api, "judge", "Stop", {"prompt": "Good?", "maxRejections": 2})
    model.script(*['{"ok": false, "reason": "no"}'] * 2)
    decisions = [api.post(URL, {"context": STOP, "threadId": "t"}).body for _ in range(3)]
    assert [(one["decision"], one["forcedStop"]) for one in decisions] == [
        ("block", False),
        ("block", False),
        ("allow", True),
    ]
    assert decisions[2]["hooks"][0]["outcome"] == "skipped"


def test_hooks_on_demand_run_in_threads_where_they_were_activated(api: Caller) -> None:
    put_hook(api, "demand", "Stop", REJECT, activationMode="onDemand")
    put_hook(api, "always", "Stop", command("true"))

    def names(**more: Any) -> list[str]:
        return [hook["name"] for hook in api.post(URL, {"context": STOP, **more}).body["hooks"]]

    assert names() == names(threadId="t") == ["always"]
    assert api.post("/api/v1/threads/t/hooks/demand/activate", {}).status == 200
    assert names(threadId="t") == ["demand", "always"]
    assert names(threadId="u") == names() == ["always"]
    api.post("/api/v1/threads/t/hooks/always/deactivate", {})
    assert names(threadId="t") == ["demand"]


def test_an_invalid_stored_hook_is_an_error_of_its_own(api: Caller, agent: Agent) -> None:
    put_hook(api, "broken", "Stop", REJECT)
    put_hook(api, "whole", "Stop", command("true"))
    hook = agent.hooks.get(name="broken")
    hook.options = {"type": "command", "failMode": "block", "timeout": 0}
    hook.save()
    answer = api.post(URL, {"context": STOP})
    assert [(hook["outcome"], (hook["error"] or {}).get("code")) for hook in answer.body["hooks"]] == [
        ("error", "invalid_hook"),
        ("allow", None),
    ]
    assert answer.body["decision"] == "block"


def test_tools_that_were_seen_are_known(api: Caller, agent: Agent) -> None:
    api.post(URL, {"context": {**TOOL, "tool_name": "SeenOnce"}})
    assert SeenTool.objects.filter(agent=agent, name="SeenOnce").exists()
    answer = api.put(
        "/api/v2/extendedAgent/hooks/x",
        {"properties": {"eventType": "PostToolUse", "hook": command("true", matcher="NeverSeen")}},
    )
    assert [warning["target"] for warning in answer.body["warnings"]] == ["properties.hook.matcher"]


def queries(api: Caller, body: dict[str, Any]) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert api.post(URL, body).status == 200
    return [query["sql"] for query in captured if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))]


def test_queries_do_not_grow_with_hooks(api: Caller) -> None:
    put_agent(api, "worker", {"PostToolUse": [command("true", matcher="*")]})
    body = {"context": {**TOOL, "agent_name": "worker"}}
    api.post(URL, body)
    few = queries(api, body)
    for number in range(5):
        put_hook(api, f"h{number}", "PostToolUse", command("true", matcher="*"))
    many = queries(api, body)
    # Token, custom agent, hooks, the evaluation, its results.
    assert len(few) == len(many) == 5, "\n".join(query[:110] for query in many)
    assert sum('FROM "hooks_hook"' in query for query in many) == 1
    assert len(queries(api, {**body, "threadId": "t"})) <= 8


def test_without_a_sandbox_nothing_is_made_up(api: Caller, settings: Any) -> None:
    from hooks import runtime

    put_hook(api, "gate", "Stop", command("true", failMode="block"))
    settings.SANDBOX_SOCKET = settings.SANDBOX_SOCKET.with_name("nobody.sock")
    runtime.reset()
    answer = api.post(URL, {"context": STOP})
    assert answer.body["decision"] == "block"
    assert answer.body["hooks"][0]["error"]["code"] == "sandbox_unavailable"


def test_without_a_model_nothing_is_made_up(api: Caller) -> None:
    put_hook(api, "judge", "Stop", {"prompt": "Good?"})
    hook = api.post(URL, {"context": STOP}).body["hooks"][0]
    assert hook["error"]["code"] == "model_error"
    assert "OPENAI_API_KEY" in hook["error"]["message"]
