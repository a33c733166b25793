"""Sample contexts as resources."""

from typing import Any

import pytest

from agents.models import Agent
from portal.audit.models import AuditEvent
from tests.shell import STOP, TOOL, Caller

pytestmark = pytest.mark.django_db
URL = "/api/v2/sampleContexts"
SAMPLE = {
    "event": "Stop",
    "context": STOP,
    "transcript": [{"role": "user", "text": "hello"}],
    "expected": {"decision": "block", "reasonContains": "marker"},
    "description": "A bare answer.",
}


def test_it_works(api: Caller) -> None:
    created = api.put(f"{URL}/bare", SAMPLE)
    assert created.status == 201
    assert created.body == {"name": "bare", **SAMPLE, "version": 1}
    assert api.get(f"{URL}/bare").body == created.body
    assert api.put(f"{URL}/bare", created.body).body == created.body
    changed = api.put(f"{URL}/bare", {**SAMPLE, "expected": None})
    assert (changed.status, changed.body["version"], changed.body["expected"]) == (200, 2, None)
    assert [one["name"] for one in api.get(URL).body["value"]] == ["bare"]
    assert api.delete(f"{URL}/bare").status == 204
    assert api.get(f"{URL}/bare").status == api.delete(f"{URL}/bare").status == 404
    verbs = ["sample.created", "sample.updated", "sample.deleted"]
    assert [event.verb for event in AuditEvent.objects.filter(object_type="sample").order_by("sequence")] == verbs


def test_what_the_name_says_may_be_left_out(api: Caller) -> None:
    assert api.put(f"{URL}/short", {"event": "Stop", "context": {"final_output": "x"}}).status == 201
    assert api.put(f"{URL}/own", {"context": {"hook_event_name": "Stop", "final_output": "x"}}).body["event"] == "Stop"


def test_samples_of_one_event(api: Caller) -> None:
    api.put(f"{URL}/a", SAMPLE)
    api.put(f"{URL}/b", {"event": "PostToolUse", "context": TOOL})
    assert [one["name"] for one in api.get(f"{URL}?event=PostToolUse").body["value"]] == ["b"]
    assert api.get(f"{URL}?event=%00").targets == api.get(f"{URL}?event=stop").targets == ["event"]


@pytest.mark.parametrize(
    ("change", "targets"),
    [
        ({"event": "stop"}, ["event"]),
        ({"event": 7}, ["event"]),
        ({"context": None}, ["context"]),
        ({"context": {"hook_event_name": "Start", "final_output": ""}}, ["context.hook_event_name"]),
        ({"context": {}}, ["context.final_output"]),
        ({"transcript": 7}, ["transcript"]),
        ({"transcript": [{"role": "x"}]}, ["transcript[0].text"]),
        ({"expected": "block"}, ["expected"]),
        (
            {"expected": {"decision": "ask", "reasonContains": 1, "x": 1}},
            ["expected.decision", "expected.reasonContains", "expected.x"],
        ),
        ({"description": "x\x00"}, ["description"]),
        ({"contxt": {}}, ["contxt"]),
    ],
)
def test_faults_are_named(api: Caller, agent: Agent, change: dict[str, Any], targets: list[str]) -> None:
    answer = api.put(f"{URL}/bad", {**SAMPLE, **change})
    assert (answer.status, sorted(answer.targets)) == (400, targets)
    assert agent.samples.count() == 0


def test_names_follow_the_rule(api: Caller) -> None:
    for name in ("a b", "x" * 65, "x%00"):
        assert api.put(f"{URL}/{name}", SAMPLE).targets == ["name"]
        assert api.get(f"{URL}/{name}").status == 404
    assert api.put(f"{URL}/a", {**SAMPLE, "name": "b"}).status == 409


def test_a_context_may_be_hostile(api: Caller) -> None:
    context = {**STOP, "final_output": "\x00\u2028🚀", "big": 10**3000, "deep": [[[{}]]]}
    assert api.put(f"{URL}/odd", {**SAMPLE, "context": context}).body["context"] == context


def test_a_context_may_be_too_large(api: Caller) -> None:
    answer = api.put(f"{URL}/large", {**SAMPLE, "context": {**STOP, "final_output": "x" * 9_000_000}})
    assert (answer.status, answer.code, answer.targets) == (413, "PayloadTooLarge", ["context"])


def test_preconditions(api: Caller) -> None:
    tag = api.put(f"{URL}/a", SAMPLE, If_None_Match="*").headers["ETag"]
    assert api.put(f"{URL}/a", SAMPLE, If_None_Match="*").status == 412
    assert api.put(f"{URL}/a?dryRun=true", {**SAMPLE, "description": "new"}).body["diff"] == [
        {"path": "description", "before": "A bare answer.", "after": "new"},
        {"path": "version", "before": 1, "after": 2},
    ]
    assert api.get(f"{URL}/a").headers["ETag"] == tag
    api.put(f"{URL}/a", {**SAMPLE, "description": "new"}, If_Match=tag)
    assert api.delete(f"{URL}/a", If_Match=tag).status == 412
