"""Recorded evaluations."""

from datetime import timedelta

import pytest
from ulid import ULID

from agents.models import Agent
from agents.services import create_agent
from hooks.models import Evaluation
from portal.access.actors import Actor
from tests.shell import STOP, TOOL, Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
URL = "/api/v2/evaluations"


def test_it_works(api: Caller) -> None:
    put_agent(api, "worker", {"Stop": [command("echo no >&2; exit 2")]})
    body = {"context": {**STOP, "agent_name": "worker"}, "threadId": "t", "transcript": "user: x"}
    made = api.post("/api/v2/hooks/evaluate", body, X_Request_Id="abc").body
    got = api.get(f"{URL}/{made['id']}").body
    assert {key: got[key] for key in made} == made
    assert (got["kind"], got["customAgent"], got["threadId"], got["requestId"]) == ("runtime", "worker", "t", "abc")
    assert got["transcript"] == "user: x"
    (row,) = api.get(URL).body["value"]
    assert (row["id"], row["decision"], row["toolName"]) == (made["id"], "block", None)
    assert not {"context", "hooks", "transcript"} & set(row)


def aged(one: Evaluation, age: timedelta) -> str:
    """Make it so much older, as its id tells too."""
    moment = one.created_at - age
    key = str(ULID.from_datetime(moment))
    Evaluation.objects.filter(pk=one.pk).update(id=key, created_at=moment)
    one.results.update(evaluation_id=key)
    return key


def test_filters(api: Caller) -> None:
    put_hook(api, "gate", "PostToolUse", command("echo no >&2; exit 2", matcher="Bash"))
    blocked = api.post("/api/v2/hooks/evaluate", {"context": TOOL, "threadId": "a"}).body["id"]
    allowed = api.post("/api/v2/hooks/evaluate", {"context": {**TOOL, "tool_name": "Read"}, "threadId": "b"}).body["id"]
    checked = api.post("/api/v2/hooks/check", {"context": STOP, "hooks": {}}).body["id"]
    old = Evaluation.objects.get(pk=blocked)
    blocked = aged(old, timedelta(days=2))

    def found(query: str) -> list[str]:
        answer = api.get(f"{URL}?{query}")
        assert answer.status == 200, answer.text
        return [row["id"] for row in answer.body["value"]]

    assert found("") == [checked, allowed, blocked]
    assert found("decision=block") == found("hook=gate") == found("outcome=block") == found("threadId=a") == [blocked]
    assert found("kind=check") == found("event=Stop") == [checked]
    yesterday = (old.created_at - timedelta(days=1)).isoformat()
    assert found(f"until={yesterday}") == [blocked]  # its plus sign arrives as a blank
    assert found(f"since={yesterday.replace('+', '%2B')}") == [checked, allowed]
    assert found("since=2020-01-01&until=2020-01-02") == []
    assert found("threadId=%00") == found("customAgent=x") == found("hook=x") == found("hook=gate&outcome=allow") == []
    assert found("error=yes") == found("error=yes&kind=check") == [] and found("error=no&event=PostToolUse") == [
        allowed,
        blocked,
    ]
    assert found("hook=gate&decision=block&event=PostToolUse&kind=runtime&threadId=a&customAgent=&outcome=block") == [
        blocked
    ]
    assert found("outcome=block&event=Stop") == found("outcome=allow") == found("outcome=error") == []
    assert found("event=&decision=&since=") == [checked, allowed, blocked]
    assert found("since=0002-01-01T00:00:00&until=9998-12-31T23:59:59Z") == [checked, allowed, blocked]


def test_filters_that_are_none(api: Caller) -> None:
    answer = api.get(f"{URL}?event=stop&decision=no&outcome=x&kind=%00&since=soon&until=2026-13-01")
    assert (answer.status, answer.targets) == (400, ["event", "decision", "outcome", "kind", "since", "until"])
    assert "must be one of allow, block, deny, ask, none, not 'no'." in answer.text
    for moment in ("0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-14:00", "2026-02-30", "12:00", "%00", "T"):
        assert api.get(f"{URL}?since={moment}").targets == ["since"]


def test_a_page_at_a_time(api: Caller) -> None:
    ids = [api.post("/api/v2/hooks/check", {"context": STOP, "hooks": {}}).body["id"] for _ in range(3)]
    first = api.get(f"{URL}?top=2&kind=check").body
    api.post("/api/v2/hooks/check", {"context": STOP, "hooks": {}})
    second = api.get(first["nextLink"]).body
    seen = [row["id"] for row in first["value"] + second["value"]]
    assert (sorted(seen), second["nextLink"]) == (sorted(ids), None)


def test_those_of_another_agent_are_not_there(api: Caller, caller: type[Caller], agent: Agent) -> None:
    made = api.post("/api/v2/hooks/check", {"context": STOP, "hooks": {}}).body["id"]
    other = caller(of=create_agent(name="other", by=Actor.system("test")))
    assert other.get(f"{URL}/{made}").status == 404
    assert other.get(URL).body["value"] == []
    assert api.get(f"{URL}/x%00").status == 404


def test_what_made_the_decision_is_recorded(api: Caller) -> None:
    def source(event: dict[str, object], hook: dict[str, object] | None = None) -> tuple[str, dict[str, object]]:
        hooks = {"agent": {event["hook_event_name"]: [{"name": "gate", **hook}]}} if hook else {}
        made = api.post("/api/v2/hooks/check", {"context": event, "hooks": hooks}).body
        return made["decision"], api.get(f"{URL}/{made['id']}").body["source"]

    failing = {"matcher": "Bash", "timeout": 5}
    assert source(TOOL) == ("allow", {"kind": "no_hook", "hook": None, "error": None})
    assert source(STOP, command("true")) == ("allow", {"kind": "no_objection", "hook": None, "error": None})
    assert source(STOP, command("echo no >&2; exit 2")) == ("block", {"kind": "hook", "hook": "gate", "error": None})
    by_mode = {"kind": "fail_mode", "hook": "gate", "error": "exit_code"}
    assert source(TOOL, command("exit 3", **failing)) == ("allow", by_mode)
    assert source(TOOL, command("exit 3", failMode="block", **failing)) == ("block", by_mode)
    judge = {"type": "prompt", "prompt": "Good?"}
    limit = {"kind": "limit", "hook": None, "error": None}
    assert source({**STOP, "stop_rejection_count": 3}, judge) == ("allow", limit)
