"""The kill switch: live events pass with a warning, everything else goes on, and the log says who turned it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from hooks import services
from hooks.models import Evaluation, Kind
from hooks.services import killswitch
from portal.access.actors import Actor
from portal.audit.models import AuditEvent
from tests.pages import words
from tests.shell import STOP, TOOL, Caller, command, put_agent, put_hook

SWITCH, EVALUATE, CHECK = "/api/v2/killSwitch", "/api/v2/hooks/evaluate", "/api/v2/hooks/check"
BLOCKS = command("echo no >&2; exit 2")
PAGE = "/hooks/kill-switch"


@pytest.fixture
def guarded(api: Caller, sandboxed: object) -> Caller:
    """An agent whose hooks block whatever they can."""
    put_hook(api, "no-answer", "Stop", BLOCKS)
    put_hook(api, "no-result", "PostToolUse", {**BLOCKS, "matcher": "*"})
    put_hook(api, "no-call", "PreToolUse", {**BLOCKS, "matcher": "*"})
    put_agent(api, "writer", {"Stop": [BLOCKS]})
    return api


def event(name: str) -> dict[str, Any]:
    if name == "Start":
        return {"hook_event_name": "Start", "agent_name": "sre-agent"}
    if name == "Stop":
        return {**STOP, "agent_name": "writer"}
    given = {**TOOL, "hook_event_name": name}
    return (
        given
        if name == "PostToolUse"
        else {key: given[key] for key in [*STOP, "tool_name", "tool_input"] if key in given}
    )


@pytest.mark.parametrize(
    ("name", "on", "off"),
    [
        ("Stop", "block", "allow"),
        ("PostToolUse", "block", "allow"),
        ("PreToolUse", "deny", "none"),
        ("Start", "allow", "allow"),
    ],
)
def test_it_works(guarded: Caller, name: str, on: str, off: str) -> None:
    def decide() -> Any:
        return guarded.post(EVALUATE, {"context": event(name)}).body

    assert decide()["decision"] == on
    assert guarded.put(SWITCH, {"reason": "The judge is down."}).body["off"] is True
    found = decide()
    assert (found["decision"], found["hooks"]) == (off, [])
    assert [(one["code"], one["message"].endswith(": The judge is down.")) for one in found["warnings"]] == [
        ("hooks_off", True)
    ]
    kept = guarded.get(f"/api/v2/evaluations/{found['id']}").body
    assert (kept["hooksOff"], kept["warnings"]) == (True, found["warnings"])
    assert guarded.delete(SWITCH).status == 204
    assert decide()["decision"] == on
    assert Evaluation.objects.filter(hooks_off=True).count() == 1


def test_the_state_can_be_read(guarded: Caller, caller: Callable[..., Caller]) -> None:
    reader = caller("read")
    assert reader.get(SWITCH).body == {"off": False, "reason": None, "since": None, "until": None, "by": None}
    until = "2090-01-02T03:04:05Z"
    put = guarded.put(SWITCH, {"reason": " Why ", "until": until}).body
    assert (put["reason"], put["until"], put["by"].startswith("test (hk_")) == ("Why", until, True)
    assert reader.get(SWITCH).body == put
    again = guarded.put(SWITCH, {"reason": "Better"}).body
    assert (again["since"], again["until"], again["reason"]) == (put["since"], None, "Better")


def test_checks_and_tests_still_run(guarded: Caller) -> None:
    guarded.put(SWITCH, {"reason": "x"})
    hooks = {"agent": {"Stop": [BLOCKS]}}
    assert guarded.post(CHECK, {"context": STOP, "hooks": hooks}).body["decision"] == "block"
    run = guarded.post("/api/v2/testRuns", {"hook": "no-answer", "context": STOP}).body["id"]
    services.execute_test_run(run_id=run)
    assert guarded.get(f"/api/v2/testRuns/{run}").body["results"][0]["decision"] == "block"


def test_the_playground_is_as_the_live_agent_is(guarded: Caller, agent: Agent, by: Actor) -> None:
    killswitch.turn_hooks_off(agent=agent, reason="x", by=by)
    request = services.read_event({"context": STOP})
    assert services.evaluate(agent=agent, request=request, by=by, kind=Kind.PLAYGROUND).evaluation.hooks_off


def test_it_ends_by_itself(guarded: Caller, agent: Agent, by: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    until = timezone.now() + timedelta(minutes=15)
    killswitch.turn_hooks_off(agent=agent, reason="x", until=until, by=by)
    for after, decision in ((timedelta(minutes=-1), "allow"), (timedelta(0), "block")):
        monkeypatch.setattr(killswitch.timezone, "now", lambda at=until + after: at)
        assert guarded.post(EVALUATE, {"context": STOP}).body["decision"] == decision
    assert guarded.get(SWITCH).body["off"] is False
    assert killswitch.turn_hooks_on(agent=agent, by=by) is False


def test_other_agents_are_not_touched(guarded: Caller, agent: Agent, by: Actor) -> None:
    from agents.services import create_agent

    killswitch.turn_hooks_off(agent=create_agent(name="other", by=by), reason="x", by=by)
    assert guarded.post(EVALUATE, {"context": STOP}).body["decision"] == "block"


def test_the_log_says_who_turned_it(guarded: Caller) -> None:
    written = AuditEvent.objects.count()
    guarded.put(SWITCH, {"reason": "The judge is down."})
    guarded.put(SWITCH, {"reason": "The judge is down."})
    guarded.delete(SWITCH)
    guarded.delete(SWITCH)
    off, on = AuditEvent.objects.order_by("sequence")[written:]
    assert (off.verb, off.before["off"], off.after["off"]) == ("hooks.turned_off", False, True)
    assert off.summary == "Until turned on again: The judge is down."
    assert (on.verb, on.before["reason"], on.after["off"]) == ("hooks.turned_on", "The judge is down.", False)
    assert {off.actor_kind, on.actor_kind} == {"token"}


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ({}, ["reason"]),
        ({"reason": "  "}, ["reason"]),
        ({"reason": "x" * 501}, ["reason"]),
        ({"reason": 1}, ["reason"]),
        ({"reason": "x", "until": "tomorrow"}, ["until"]),
        ({"reason": "x", "until": "2020-01-01T00:00:00Z"}, ["until"]),
        ({"reason": "x", "until": 5}, ["until"]),
        ({"reason": "", "until": "2020-01-01T00:00:00Z"}, ["reason", "until"]),
        ({"reason": "x", "minutes": 5}, ["minutes"]),
        ([], [""]),
    ],
)
def test_bad_input(guarded: Caller, body: Any, targets: list[str]) -> None:
    answer = guarded.put(SWITCH, body)
    assert (answer.status, answer.targets) == (400, targets)
    assert guarded.get(SWITCH).body["off"] is False


@pytest.mark.parametrize("scopes", [("read",), ("read", "evaluate", "write")])
def test_only_admins_may(caller: Callable[..., Caller], scopes: tuple[str, ...]) -> None:
    one = caller(*scopes)
    assert one.put(SWITCH, {"reason": "x"}).status == 403
    assert one.delete(SWITCH).status == 403


def test_in_the_browser(
    signed_in: Callable[[User], Client], alice: User, bob: User, agent: Agent, guarded: Caller
) -> None:
    admin, editor = signed_in(alice), signed_in(bob)
    assert "All hooks off…" in words(admin.get("/hooks/"))
    assert "All hooks off…" not in words(editor.get("/hooks/"))
    asked = words(admin.get(PAGE))
    assert "3 enabled hooks of the agent stop at once" in asked and "1 hook of its custom agents" in asked
    empty = admin.post(PAGE, {"do": "off", "reason": " ", "minutes": "15"})
    assert empty.status_code == 422 and "reason is required" in words(empty)
    assert admin.post(PAGE, {"do": "off", "reason": "<b>down</b>", "minutes": "15"}).status_code == 303
    for address in ("/hooks/", "/samples/", "/custom-agents/", PAGE):
        shown = words(admin.get(address))
        assert "All hooks of sre-agent are off. Turned off by alice" in shown
        assert ": <b>down</b> Turn hooks on again" in shown and "by themselves in 1" in shown
    assert "All hooks of sre-agent are off" in words(editor.get("/samples/"))
    assert "Turn hooks on again" not in words(editor.get("/samples/"))
    assert editor.post(PAGE, {"do": "on"}).status_code == 403
    back = admin.post(PAGE, {"do": "on", "next": "/samples/"})
    assert back.headers["Location"] == "/samples/"
    assert "are off" not in words(admin.get("/samples/"))
    assert admin.post(PAGE, {"do": "on", "next": "https://evil.example/"}).headers["Location"] == "/hooks/"
