"""From what people send to hooks, with every fault at its path."""

import time

import pytest

from hooks.engine.parsing import HOOKS_LIMIT, NAMED_LIMIT, parse, parse_lists

PROMPT = {"prompt": "p"}
OPTIONS = ["prompt", "command", "script", "matcher", "timeout", "failMode", "model", "maxRejections"]


def faults(raw, **rest):
    return [(fault.target, fault.code) for fault in parse(raw, **{"event": "Stop"} | rest).faults]


def only(raw, **rest):
    (fault,) = parse(raw, **{"event": "Stop"} | rest).faults
    return fault


def lists(raw, level="customAgent", **rest):
    return parse_lists(raw, path="spec.hooks", level=level, **rest)


def list_faults(raw, **rest):
    return [(fault.target, fault.code) for fault in lists(raw, **rest).faults]


def test_it_works():
    parsed = parse({"prompt": "p", "fail_mode": "Block"}, event="Stop")
    assert (parsed.spec.fail_mode, parsed.faults, parsed.warnings) == ("block", [], [])


@pytest.mark.parametrize("raw", [None, "x", [], 5, True])
def test_a_hook_is_an_object(raw):
    assert faults(raw, path="hooks[0]") == [("hooks[0]", "invalid_type")]


@pytest.mark.parametrize("option", OPTIONS)
def test_null_counts_as_absent(option):
    base = {"type": "command", "command": "true"} if option == "prompt" else PROMPT
    assert faults(base | {option: None}) == []


@pytest.mark.parametrize(
    ("snake", "camel", "value"),
    [
        ("fail_mode", "failMode", "block"),
        ("max_rejections", "maxRejections", 5),
        ("activation_mode", "activationMode", "always"),
    ],
)
def test_snake_case_reads_as_camel_case_and_both_are_refused(snake, camel, value):
    assert parse(PROMPT | {snake: value}, event="Stop").spec == parse(PROMPT | {camel: value}, event="Stop").spec
    fault = only(PROMPT | {snake: value, camel: value}, path="h")
    assert (fault.target, fault.code) == (f"h.{camel}", "twice")
    assert fault.message == f"is given twice, as {snake} and as {camel}: remove one."


@pytest.mark.parametrize("other", [None, "block"])
def test_both_spellings_are_refused_even_where_one_is_null(other):
    assert faults(PROMPT | {"failMode": "block", "fail_mode": other}) == [("failMode", "twice")]


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("timeOut", "timeout"),
        ("time_out", "timeout"),
        ("failmode", "failMode"),
        ("promt", "prompt"),
        ("Matcher", "matcher"),
        ("maxRejection", "maxRejections"),
    ],
)
def test_an_unknown_option_is_refused_with_a_suggestion(option, meant):
    fault = only(PROMPT | {option: 1}, path="spec.hooks.Stop[1]")
    assert (fault.target, fault.code) == (f"spec.hooks.Stop[1].{option}", "unknown_option")
    assert fault.message == f"{option!r} is no option here; did you mean {meant!r}?"


@pytest.mark.parametrize("option", ["zzz", "", "$ref", "event", "eventType", "x" * 100_000, 5, None])
def test_an_unknown_option_that_resembles_none_is_refused_briefly(option):
    fault = only(PROMPT | {option: 1})
    assert (fault.target, fault.code) == (str(option)[:100], "unknown_option")
    assert len(fault.message) < 200


def test_activation_is_for_agent_level_hooks():
    fault = only(PROMPT | {"activationMode": "always"}, level="customAgent")
    assert (fault.target, fault.code) == ("activationMode", "unknown_option")
    assert "agent-level hooks only" in fault.message


@pytest.mark.parametrize("spelling", ["event", "eventType", "event_type"])
def test_a_hook_can_name_its_event_itself(spelling):
    assert parse(PROMPT | {spelling: "Stop"}).spec.event == "Stop"
    assert [fault.code for fault in parse({spelling: "stop"} | PROMPT).faults] == ["unknown_event"]


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (None, "required"),
        ("", "required"),
        ("posttooluse", "unknown_event"),
        (5, "unknown_event"),
        (["Stop"], "unknown_event"),
    ],
)
def test_the_event_is_one_that_exists(event, code):
    (fault,) = parse(PROMPT | {"event": event}).faults
    assert (fault.target, fault.code) == ("event", code)
    assert "Start, PreToolUse, PostToolUse, Stop" in fault.message


def test_the_event_is_named_once():
    (fault,) = parse(PROMPT | {"event": "Stop", "eventType": "Stop"}).faults
    assert (fault.target, fault.code) == ("event", "twice")


def test_all_faults_are_told_at_once_in_the_order_of_the_input():
    raw = {"zzz": 1, "timeout": 0, "fail_mode": "no", "type": "command", "maxRejections": 99, "timeOut": 5}
    assert faults(raw) == [
        ("zzz", "unknown_option"),
        ("timeout", "out_of_range"),
        ("failMode", "invalid_choice"),
        ("maxRejections", "out_of_range"),
        ("timeOut", "unknown_option"),
        ("script", "required"),
    ]


def test_the_events_fault_stands_where_the_event_does():
    assert [fault.target for fault in parse({"eventType": "x", "timeout": 0, "prompt": "p"}).faults] == [
        "event",
        "timeout",
    ]
    assert [fault.target for fault in parse({"timeout": 0, "event": "x", "prompt": "p"}).faults] == ["timeout", "event"]


def test_a_hook_with_faults_has_warnings_but_no_spec():
    parsed = parse(PROMPT | {"matcher": "x", "zzz": 1}, event="Stop", path="h")
    assert parsed.spec is None
    assert [notice.target for notice in parsed.warnings] == ["h.matcher"]
    assert parse(PROMPT | {"matcher": "x", "timeout": 0}, event="Stop").warnings


def test_a_flood_of_unknown_names_costs_little():
    start = time.process_time()
    flood = {f"timeOut{number}": 1 for number in range(100_000)}
    assert len(faults(PROMPT | flood)) == NAMED_LIMIT
    assert len(list_faults(flood)) == NAMED_LIMIT
    assert time.process_time() - start < 5


def test_lists_are_read_by_event():
    parsed = lists({"Stop": [{"prompt": "a"}, {"prompt": "b", "name": "x"}], "PostToolUse": [], "Start": [PROMPT]})
    assert parsed.faults == []
    assert {event: [hook.prompt for hook in hooks] for event, hooks in parsed.hooks.items()} == {
        "Stop": ["a", "b"],
        "PostToolUse": [],
        "Start": ["p"],
    }


def test_without_lists_there_are_no_hooks():
    assert (lists(None).hooks, lists({}).hooks, lists(None).faults) == ({}, {}, [])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([], [("spec.hooks", "invalid_type")]),
        ("x", [("spec.hooks", "invalid_type")]),
        ({"posttooluse": []}, [("spec.hooks.posttooluse", "unknown_event")]),
        ({5: []}, [("spec.hooks.5", "unknown_event")]),
        ({"Stop": {}}, [("spec.hooks.Stop", "invalid_type")]),
        ({"Stop": None}, [("spec.hooks.Stop", "invalid_type")]),
        ({"Stop": [PROMPT] * (HOOKS_LIMIT + 1)}, [("spec.hooks.Stop", "too_many")]),
        ({"Stop": [PROMPT, None]}, [("spec.hooks.Stop[1]", "invalid_type")]),
        (
            {"Stop": [{"type": "command", "timeout": 0}, {"type": "prompt", "maxRejections": 0}], "stop": []},
            [
                ("spec.hooks.Stop[0].timeout", "out_of_range"),
                ("spec.hooks.Stop[0].script", "required"),
                ("spec.hooks.Stop[1].maxRejections", "out_of_range"),
                ("spec.hooks.Stop[1].prompt", "required"),
                ("spec.hooks.stop", "unknown_event"),
            ],
        ),
        (
            {"PostToolUse": [PROMPT | {"matcher": "*"}, PROMPT | {"matcher": {"type": "x"}}]},
            [("spec.hooks.PostToolUse[1].matcher", "invalid_type")],
        ),
    ],
)
def test_every_fault_of_the_lists_has_its_path(raw, expected):
    assert list_faults(raw) == expected


def test_an_unknown_event_is_refused_with_the_one_that_was_meant():
    (fault,) = lists({"posttooluse": []}).faults
    assert "did you mean 'PostToolUse'?" in fault.message


def test_a_hundred_hooks_of_an_event_are_allowed():
    assert HOOKS_LIMIT == 100
    assert len(lists({"Stop": [PROMPT] * HOOKS_LIMIT}).hooks["Stop"]) == HOOKS_LIMIT


def test_the_lists_of_an_agent_take_an_activation_mode():
    raw = {"Stop": [PROMPT | {"activationMode": "on-demand"}]}
    assert lists(raw, level="agent").hooks["Stop"][0].activation_mode == "onDemand"
    assert list_faults(raw) == [("spec.hooks.Stop[0].activationMode", "unknown_option")]


def test_what_the_lists_are_read_with_reaches_every_hook():
    asked = []
    parsed = lists(
        {
            "PreToolUse": [{"type": "command", "command": "true", "matcher": "bash"}],
            "Stop": [PROMPT | {"matcher": "*"}],
        },
        syntax=lambda *source: asked.append(source),
        known_tools={"Bash"},
    )
    assert asked == [("bash", "true")]
    assert [(notice.target, notice.code) for notice in parsed.warnings] == [
        ("spec.hooks.PreToolUse[0].matcher", "doubtful"),
        ("spec.hooks.Stop[0].matcher", "no_effect"),
    ]


DEEP = {}
for _ in range(500):
    DEEP = {"x": [DEEP]}


@pytest.mark.parametrize("option", [*OPTIONS, "type", "name", "description", "enabled", "activationMode"])
def test_a_deep_value_is_a_fault_like_any_other(option):
    base = {"matcher": "*"} | (
        {"type": "command"} if option in ("command", "script") else {} if option == "prompt" else PROMPT
    )
    assert option in [target for target, _ in faults(base | {option: DEEP}, event="PreToolUse")]
