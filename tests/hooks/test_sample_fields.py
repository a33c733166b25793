"""A sample's context as the fields of its event, and as JSON: either is made of the other, and nothing is lost."""

from typing import Any

import pytest
from django.test import Client

from agents.models import Agent
from hooks.engine.events import COMMON, EVENTS
from hooks.samplefields import LABELS, EventForm, shown
from tests.pages import words

CONTEXTS: list[tuple[str, dict[str, Any]]] = [
    ("Stop", {"final_output": "4"}),
    ("Stop", {"final_output": ""}),
    ("Stop", {"final_output": "a\x00b", "stop_hook_active": True, "stop_rejection_count": 2}),
    ("Stop", {"final_output": "two\nlines", "hook_event_name": "Stop", "agent_name": "other"}),
    ("Stop", {"final_output": "x", "stop_rejection_count": 1.5, "tool_name": "Bash"}),
    ("Start", {"source": "alert", "thread_id": "t-1", "deep": {"a": [1, None]}}),
    ("Start", {"source": ""}),
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_result": "5", "tool_succeeded": True}),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_result": 5, "tool_succeeded": False}),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_result": "", "tool_succeeded": False}),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_result": None, "tool_succeeded": False}),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_result": {"a": "\r\n"}, "tool_succeeded": False}),
]


def posted(event: str, texts: dict[str, Any]) -> dict[str, Any]:
    """What a browser sends of a form that shows these texts."""
    own = {f"in_{name}": "" for name in (*EVENTS[event].fields, "agent_name", "current_turn", "max_turns")}
    sent = {"was": event, "event": event, "shape": "fields", "name": "one", "rest": "", **own, **texts}
    return {name: str(text).replace("\n", "\r\n") for name, text in sent.items()}


def test_every_field_of_every_event_has_a_label() -> None:
    names = {name for event in EVENTS.values() for name in event.fields} | set(COMMON)
    assert names - {"hook_event_name"} == set(LABELS)


@pytest.mark.parametrize(("event", "context"), CONTEXTS)
def test_what_fields_show_is_what_is_sent_again(event: str, context: dict[str, Any]) -> None:
    form = EventForm(posted(event, shown(context, event)))
    given = form.read_context()
    assert not form.errors
    assert given == {key: value for key, value in context.items() if (key, value) != ("hook_event_name", event)}
    turned = form.turned(shape="json", event=event)
    assert turned is not None
    again = EventForm({"shape": "json", "event": event, "context": turned["context"].value()}).read_context()
    assert again == given


def test_a_sample_is_made_of_fields_alone(as_bob: Client, agent: Agent) -> None:
    page = as_bob.get("/samples/create")
    assert "Final answer" in words(page) and "Tool name" not in words(page)
    sent = posted("Stop", {"in_final_output": "4", "decision": "block", "reason": "marker"})
    assert as_bob.post("/samples/create", sent).status_code == 303
    sample = agent.samples.get()
    assert sample.context == {"final_output": "4"}
    assert sample.expected == {"decision": "block", "reasonContains": "marker"}


def test_another_event_brings_its_fields_and_keeps_what_was_typed(as_bob: Client) -> None:
    sent = posted("Stop", {"in_final_output": "typed", "description": "kept"}) | {"event": "PostToolUse", "do": "event"}
    page = as_bob.post("/samples/create", sent)
    assert page.status_code == 200
    text = page.content.decode()
    assert "Tool result" in words(page) and "typed" in text and "kept" in text
    assert 'name="was" value="PostToolUse"' in text


def test_the_json_of_fields_and_back_without_a_script(as_bob: Client) -> None:
    page = as_bob.post("/samples/create", posted("Stop", {"in_final_output": "typed"}) | {"do": "json"})
    assert page.context["form"]["context"].value() == '{\n  "final_output": "typed"\n}'
    sent = {
        "was": "Stop",
        "event": "Stop",
        "shape": "json",
        "context": '{"final_output": "x", "new": 1}',
        "do": "fields",
    }
    page = as_bob.post("/samples/create", sent)
    assert page.context["form"]["in_final_output"].value() == "x"
    assert page.context["form"]["rest"].value() == '{\n  "new": 1\n}'


def test_what_is_no_json_stays_where_it_was_typed(as_bob: Client) -> None:
    sent = {"was": "Stop", "event": "Stop", "shape": "json", "context": '{"final_output', "do": "fields"}
    page = as_bob.post("/samples/create", sent)
    assert page.status_code == 422
    assert "Context is no JSON" in words(page) and "final_output" in page.content.decode()


def test_faults_stand_at_the_fields_of_the_event(as_bob: Client, agent: Agent) -> None:
    sent = posted("PreToolUse", {"in_tool_input": "{", "rest": "[]", "decision": "ask"})
    text = words(as_bob.post("/samples/create", sent))
    assert "Tool input is no JSON" in text and "Other fields must be a JSON object" in text
    page = as_bob.post("/samples/create", posted("PreToolUse", {"in_tool_input": "[]", "in_max_turns": "many"}))
    assert set(page.context["form"].errors) == {"in_tool_name", "in_tool_input", "in_max_turns"}
    assert "Tool name is required" in words(page) and "Most turns must be a whole number" in words(page)
    assert not agent.samples.exists()


def test_only_what_an_event_can_come_to_is_offered_as_expected() -> None:
    def offered(event: str) -> list[str]:
        return [value for value, _ in EventForm(initial={"event": event}).fields["decision"].widget.choices]  # type: ignore[attr-defined]

    assert offered("Start") == ["", "allow"]
    assert offered("PreToolUse") == ["", "allow", "deny", "ask", "none"]
    assert offered("Stop") == ["", "allow", "block"]
