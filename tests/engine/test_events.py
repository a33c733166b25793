"""The events and what their contexts must hold."""

import time

import pytest

from hooks.engine.events import EVENTS, prepare, suggestion, unknown_event
from tests.engine.cast import EVENTS as ALL
from tests.engine.cast import context, raw_context


def faults(raw):
    return [(fault.target, fault.code) for fault in prepare(raw).faults]


def without(event, *fields):
    return {key: value for key, value in raw_context(event).items() if key not in fields}


def test_the_events_are_these_four():
    assert set(EVENTS) == set(ALL) == {"Start", "PreToolUse", "PostToolUse", "Stop"}


@pytest.mark.parametrize(
    ("event", "filled_in"),
    [
        ("Start", {"source": "unknown"}),
        ("PreToolUse", {}),
        ("PostToolUse", {}),
        ("Stop", {"stop_hook_active": False, "stop_rejection_count": 0}),
    ],
)
def test_r12_what_the_caller_leaves_out_the_portal_fills_in(event, filled_in):
    common = {"current_turn": 0, "max_turns": 0, "execution_summary": "/mnt/data/hook_transcript.txt"}
    assert context(event) == raw_context(event) | common | filled_in


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("Start", {"source": "chat"}),
        ("PreToolUse", {"current_turn": 5, "max_turns": 50, "thread_id": "t1"}),
        ("PostToolUse", {"tool_result": {"rows": [1, None]}, "tool_succeeded": False}),
        ("PostToolUse", {"tool_result": None}),
        ("Stop", {"stop_hook_active": True, "stop_rejection_count": 2, "final_output": ""}),
        ("Stop", {"stop_rejection_count": 0, "current_turn": 0, "max_turns": 0}),
        ("Stop", {"something": {"of": ["the caller's"]}, "$ARGUMENTS": 1}),
    ],
)
def test_r12_what_the_caller_sends_passes_through_untouched(event, fields):
    assert fields.items() <= context(event, **fields).items()


def test_r12_a_thread_is_named_only_when_the_caller_names_one():
    assert "thread_id" not in context()


def test_r13_the_callers_own_path_is_never_used():
    assert context(execution_summary="/etc/passwd")["execution_summary"] == "/mnt/data/hook_transcript.txt"


def test_the_callers_object_is_left_alone():
    raw = raw_context(execution_summary="mine")
    prepare(raw)
    assert raw == raw_context(execution_summary="mine")


@pytest.mark.parametrize(
    ("event", "required"),
    [
        ("Start", ["agent_name"]),
        ("PreToolUse", ["agent_name", "tool_name", "tool_input"]),
        ("PostToolUse", ["agent_name", "tool_name", "tool_input", "tool_result", "tool_succeeded"]),
        ("Stop", ["agent_name", "final_output"]),
    ],
)
def test_r12_everything_that_is_missing_is_named_at_once(event, required):
    assert faults({"hook_event_name": event}) == [(f"context.{field}", "required") for field in required]
    for field in required:
        assert faults(without(event, field)) == [(f"context.{field}", "required")]


@pytest.mark.parametrize(
    ("event", "field", "wrong"),
    [
        (event, field, value)
        for event, field, values in [
            ("Stop", "agent_name", ["", " \n", None, 5]),
            ("Stop", "current_turn", [-1, 1.0, True, "1", None]),
            ("Stop", "max_turns", [-1, False]),
            ("Stop", "final_output", [None, 5, ["x"]]),
            ("Stop", "stop_hook_active", [1, "true", None]),
            ("Stop", "stop_rejection_count", [-1, True, "3", 2.5, None]),
            ("Stop", "thread_id", [5, None, ["t"]]),
            ("Start", "source", [5, None]),
            ("PreToolUse", "tool_name", ["", "  ", None, 5, "x" * 1001, ["Bash"]]),
            ("PreToolUse", "tool_input", ["ls", None, [], 5]),
            ("PostToolUse", "tool_succeeded", ["true", 1, None]),
        ]
        for value in values
    ],
)
def test_r12_a_field_of_the_wrong_kind_is_named(event, field, wrong):
    assert faults(raw_context(event, **{field: wrong})) == [(f"context.{field}", "invalid_type")]


def test_r6_tool_names_pass_through_verbatim():
    for name in ("Outil_É中", "Bash\n", " x ", "x" * 1000):
        assert context("PreToolUse", tool_name=name)["tool_name"] == name


def test_a_huge_count_is_a_number_like_others():
    assert context(stop_rejection_count=10**4000)["stop_rejection_count"] == 10**4000


@pytest.mark.parametrize(
    ("raw", "code"), [(None, "required"), ("x", "invalid_type"), ([], "invalid_type"), (5, "invalid_type")]
)
def test_a_context_is_an_object(raw, code):
    prepared = prepare(raw)
    assert (prepared.event, prepared.context) == ("", {})
    assert [(fault.target, fault.code) for fault in prepared.faults] == [("context", code)]


def test_an_empty_context_lacks_event_and_agent():
    assert faults({}) == [("context.hook_event_name", "required"), ("context.agent_name", "required")]


@pytest.mark.parametrize("name", [None, "", " ", 5, ["Stop"], {}])
def test_an_event_name_is_a_text(name):
    prepared = prepare({"hook_event_name": name, "agent_name": "a"})
    assert prepared.event == ""
    assert [(fault.target, fault.code) for fault in prepared.faults] == [("context.hook_event_name", "invalid_type")]


def test_an_unknown_event_is_refused_with_a_suggestion():
    prepared = prepare({"hook_event_name": "posttooluse"}, path="samples[0].context")
    first, second = prepared.faults
    assert (first.target, first.code) == ("samples[0].context.hook_event_name", "unknown_event")
    assert "'posttooluse' is no event; did you mean 'PostToolUse'?" in first.message
    assert "The events are Start, PreToolUse, PostToolUse, Stop." in first.message
    assert second.target == "samples[0].context.agent_name"


def test_a_word_that_resembles_nothing_gets_no_suggestion():
    assert unknown_event("qqq").startswith("'qqq' is no event. The")


@pytest.mark.parametrize("word", ["posttooluse", "PostTooluse", "PostToolUs", "post-tool-use"])
def test_a_near_word_is_suggested(word):
    assert suggestion(word, EVENTS) == "; did you mean 'PostToolUse'?"


def test_a_hostile_word_costs_no_time():
    start = time.perf_counter()
    assert suggestion("PostToolUse" * 1_000_000, EVENTS) == "."
    assert len(unknown_event("PostToolUse" * 1_000_000)) < 250
    assert time.perf_counter() - start < 1
