"""What a hook may be, option by option."""

import pytest

from hooks.engine import fields
from hooks.engine.parsing import parse
from hooks.engine.spec import HookSpec
from tests.engine.cast import EVENTS, TOOL_EVENTS, spec

BASH, PYTHON = "#!/bin/bash\ntrue\n", "#!/usr/bin/env python3\nprint('{}')\n"
PROMPT, COMMAND, SCRIPT = {"prompt": "p"}, {"type": "command", "command": "true"}, {"type": "command", "script": BASH}


def parsed(options, event="Stop", **rest):
    return parse(options, event=event, **rest)


def faults(options, event="Stop", **rest):
    return [(fault.target, fault.code) for fault in parsed(options, event, **rest).faults]


def message(options, event="Stop", **rest):
    (fault,) = parsed(options, event, **rest).faults
    return fault.message


def warnings(options, event="Stop", **rest):
    found = parsed(options, event, **rest)
    assert found.faults == []
    return [(notice.target, notice.code) for notice in found.warnings]


def test_it_works():
    assert spec(prompt="Is it done?").all_options() == {
        "type": "prompt",
        "prompt": "Is it done?",
        "command": None,
        "script": None,
        "matcher": None,
        "timeout": 30,
        "failMode": "allow",
        "model": "ReasoningFast",
        "maxRejections": 3,
    }


@pytest.mark.parametrize(
    ("options", "language", "source"),
    [
        (PROMPT, None, None),
        (COMMAND, "bash", "true"),
        (SCRIPT, "bash", BASH),
        ({"type": "command", "script": PYTHON}, "python", PYTHON),
        ({"type": "command", "command": "# only a comment"}, "bash", "# only a comment"),
    ],
)
def test_a_hook_knows_its_language_and_source(options, language, source):
    found = spec(**options)
    assert (found.language, found.source) == (language, source)


def test_the_options_that_were_set_are_told_in_canonical_order():
    options = {"failMode": "Block", "timeout": 30, "script": BASH, "type": "Command", "name": "gate", "model": None}
    assert list(spec(**options).options().items()) == [
        ("type", "command"),
        ("script", BASH),
        ("timeout", 30),
        ("failMode", "block"),
    ]


def test_a_hook_cannot_be_changed():
    with pytest.raises(Exception, match="frozen"):
        spec(**PROMPT).timeout = 5


@pytest.mark.parametrize(
    "other",
    [
        {"type": "PROMPT"},
        {"timeout": 30},
        {"fail_mode": "Allow"},
        {"model": "reasoningfast"},
        {"enabled": True, "description": "", "activation_mode": "ALWAYS"},
        {"matcher": None, "script": None},
        {"prompt": "\ufeffp"},
    ],
)
def test_the_content_hash_is_equal_however_the_same_was_written(other):
    assert spec(**PROMPT | other).content_hash == spec(**PROMPT).content_hash
    assert len(spec(**PROMPT).content_hash) == 64


@pytest.mark.parametrize(
    "other",
    [{"timeout": 31}, {"failMode": "block"}, {"prompt": "q"}, {"enabled": False}, {"name": "x"}, {"description": "d"}],
)
def test_the_content_hash_differs_where_the_hook_does(other):
    assert spec(**PROMPT | other).content_hash != spec(**PROMPT).content_hash


@pytest.mark.parametrize("options", [PROMPT, COMMAND, SCRIPT])
@pytest.mark.parametrize("event", EVENTS)
def test_every_type_goes_with_every_event(options, event):
    matcher = {"matcher": "Bash"} if event in TOOL_EVENTS else {}
    assert warnings(options | matcher, event) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [("prompt", "required")]),
        ({"type": "prompt"}, [("prompt", "required")]),
        ({"prompt": None}, [("prompt", "required")]),
        ({"prompt": ""}, [("prompt", "blank")]),
        ({"prompt": " \r\n"}, [("prompt", "blank")]),
        ({"prompt": "\ufeff"}, [("prompt", "blank")]),
        ({"prompt": 5}, [("prompt", "invalid_type")]),
        ({"prompt": ["p"]}, [("prompt", "invalid_type")]),
        ({"prompt": "a\x00b"}, [("prompt", "invalid_text")]),
        ({"type": "command"}, [("script", "required")]),
        ({"type": "command", "command": None, "script": None}, [("script", "required")]),
        ({"type": "command", "command": ""}, [("command", "blank")]),
        ({"type": "command", "script": " "}, [("script", "blank")]),
        (COMMAND | SCRIPT, [("script", "exclusive")]),
        ({"type": "command", "command": "", "script": BASH}, [("command", "blank"), ("script", "exclusive")]),
        (COMMAND | PROMPT, [("prompt", "not_allowed")]),
        (PROMPT | {"command": "true"}, [("command", "not_allowed")]),
        (PROMPT | {"script": BASH}, [("script", "not_allowed")]),
        ({"command": "true"}, [("command", "not_allowed"), ("prompt", "required")]),
        ({"type": "shell"}, [("type", "invalid_choice")]),
        ({"type": None, "prompt": "p", "command": "x"}, [("command", "not_allowed")]),
        ({"type": "shell", "prompt": "p", "command": "x"}, [("type", "invalid_choice")]),
        ({"type": ["command"], "command": "x"}, [("type", "invalid_choice")]),
        ({"type": 5}, [("type", "invalid_choice")]),
        ({"type": "com-mand", "command": "x"}, [("type", "invalid_choice")]),
    ],
)
def test_exactly_the_source_that_the_type_needs_is_given(options, expected):
    assert faults(options) == expected


@pytest.mark.parametrize(
    "first", ["#!/bin/bash", "#!/bin/bash  \t", "#!/usr/bin/env python3", "#!/usr/bin/env python3 "]
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\r"])
def test_a_script_names_its_language_in_its_first_line(first, end):
    assert faults({"type": "command", "script": first + end}) == []


@pytest.mark.parametrize(
    "first",
    [
        "#!/usr/bin/perl",
        "#!/bin/sh",
        "#!/bin/bash -e",
        "#!/usr/bin/env bash",
        "#! /bin/bash",
        " #!/bin/bash",
        "\n#!/bin/bash",
        "#!/bin/bash\u2028",
        "#!/usr/bin/env python3.11",
        "true",
        "#!/bin/{x}",
    ],
)
def test_any_other_first_line_is_refused_with_the_two_that_serve(first):
    options = {"type": "command", "script": f"{first}\ntrue"}
    assert faults(options) == [("script", "shebang")]
    assert "#!/bin/bash or #!/usr/bin/env python3" in message(options)
    assert f"'{first.splitlines()[0] if first.strip() == first else ''}" in message(options)


@pytest.mark.parametrize("option", ["prompt", "command", "script"])
@pytest.mark.parametrize("letter", ["x", "é", "🚀"])
def test_a_source_has_at_most_65536_bytes(option, letter):
    start = "#!/bin/bash\n" if option == "script" else "x" if option == "command" else "y" * 4
    room = 65_536 - len(start)
    fits = start + letter * (room // len(letter.encode()))
    kind = {} if option == "prompt" else {"type": "command"}
    assert faults({option: fits} | kind) == []
    assert faults({option: fits + letter * 4} | kind) == [(option, "too_large")]
    assert "at most 65,536 bytes" in message({option: fits + letter * 4} | kind)


def test_sources_are_kept_with_lf_and_without_byte_order_mark():
    source = "\ufeff#!/bin/bash\r\nif true\rthen\n  printf '\ufeff'\r\nfi"
    assert spec(type="command", script=source).script == "#!/bin/bash\nif true\nthen\n  printf '\ufeff'\nfi"
    assert spec(prompt="a\r\nb\rc\ud800").prompt == "a\nb\nc\ufffd"


@pytest.mark.parametrize("timeout", [1, 30, 300])
def test_a_timeout_is_1_to_300_seconds(timeout):
    assert spec(timeout=timeout, **PROMPT).timeout == timeout


@pytest.mark.parametrize(
    "timeout",
    [0, -1, 301, 5000, 30.0, 0.5, "30", True, False, [30], pytest.param(10**5000, id="huge"), -(10**30), float("inf")],
)
def test_any_other_timeout_is_refused_with_range_and_unit(timeout):
    assert faults(PROMPT | {"timeout": timeout}) == [("timeout", "out_of_range")]
    assert "a whole number of seconds from 1 to 300" in message(PROMPT | {"timeout": timeout})
    assert len(message(PROMPT | {"timeout": timeout})) < 150


@pytest.mark.parametrize(
    ("number", "right"), [(1, True), (25, True), (0, False), (26, False), (3.0, False), (True, False)]
)
def test_r33_max_rejections_is_1_to_25(number, right):
    assert faults(PROMPT | {"maxRejections": number}) == ([] if right else [("maxRejections", "out_of_range")])


@pytest.mark.parametrize(
    ("option", "given", "kept"),
    [
        ("failMode", "Block", "block"),
        ("failMode", "ALLOW", "allow"),
        ("fail_mode", "block", "block"),
        ("activationMode", "onDemand", "onDemand"),
        ("activationMode", "on-demand", "onDemand"),
        ("activation_mode", "on_demand", "onDemand"),
        ("activationMode", "ONDEMAND", "onDemand"),
        ("activationMode", "Always", "always"),
        ("model", "fast", "Fast"),
        ("model", "LONGCONTEXT", "LongContext"),
        ("model", "gpt-4.1", "gpt-4.1"),
        ("model", " My Deployment ", "My Deployment"),
        ("model", "x" * 200, "x" * 200),
        ("description", "x" * 2000, "x" * 2000),
    ],
)
def test_words_are_matched_in_any_case_and_kept_canonically(option, given, kept):
    found = spec(**PROMPT, **{option: given})
    assert (
        found.model_dump(by_alias=True)[
            {"fail_mode": "failMode", "activation_mode": "activationMode"}.get(option, option)
        ]
        == kept
    )


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("failMode", ["deny", "", " ", 5, True, ["block"], "al-low", "block\n", "\ud800"]),
        ("activationMode", ["demand", "on demand", "on--demand", 1]),
        ("type", ["", "Prompts", {}]),
    ],
)
def test_any_other_word_is_refused_with_the_choices(option, wrong):
    for value in wrong:
        (fault,) = parsed(PROMPT | {option: value}).faults
        assert (fault.target, fault.code) == (option, "invalid_choice")
        assert " or " in fault.message


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [
        ("model", "", "invalid_model"),
        ("model", "  ", "invalid_model"),
        ("model", "x" * 201, "invalid_model"),
        ("model", 5, "invalid_type"),
        ("enabled", 1, "invalid_type"),
        ("enabled", "true", "invalid_type"),
        ("description", 5, "invalid_type"),
        ("description", "x" * 2001, "too_large"),
        ("name", "", "invalid_name"),
        ("name", "a b", "invalid_name"),
        ("name", "a\n", "invalid_name"),
        ("name", "x" * 65, "invalid_name"),
        ("name", "é", "invalid_name"),
        ("name", 5, "invalid_name"),
        ("name", "system__x", "reserved_name"),
        ("name", "System__x", "reserved_name"),
    ],
)
def test_the_other_options_have_their_kinds(option, value, code):
    assert faults(PROMPT | {option: value}) == [(option, code)]


@pytest.mark.parametrize("name", ["a", "x" * 64, "Require-evidence_2", "_", "mysystem__x", "system_x"])
def test_a_name_is_letters_digits_hyphens_and_underscores(name):
    assert spec(name=name, **PROMPT).name == name


@pytest.mark.parametrize("event", TOOL_EVENTS)
@pytest.mark.parametrize(
    ("matcher", "code"),
    [
        (None, "required"),
        ("", "blank"),
        ("  ", "blank"),
        ("(", "invalid_matcher"),
        ("a)|(.*", "invalid_matcher"),
        ("x" * 1001, "invalid_matcher"),
        ("(?:x{9999}){9999}", "invalid_matcher"),
        ({"type": "x"}, "invalid_type"),
        (["Bash"], "invalid_type"),
        (5, "invalid_type"),
        ("Bash\x00", "invalid_text"),
    ],
)
def test_r2_r4_a_tool_event_needs_a_matcher_that_compiles(event, matcher, code):
    assert faults(PROMPT | {"matcher": matcher}, event) == [("matcher", code)]


@pytest.mark.parametrize("matcher", ["*", "Bash|Read", "(?i)bash", "Outil_É中"])
def test_r1_a_matcher_is_kept_verbatim(matcher):
    assert spec("PostToolUse", matcher=matcher, **PROMPT).matcher == matcher


@pytest.mark.parametrize(
    ("matcher", "tools", "doubtful"),
    [("Bash", ["Bash"], False), ("bash", ["Bash"], True), ("Bash(git .*)", [], True), ("bash", [], False)],
)
def test_r6_a_doubtful_matcher_gets_a_warning(matcher, tools, doubtful):
    found = warnings(PROMPT | {"matcher": matcher}, "PreToolUse", known_tools=tools)
    assert found == ([("matcher", "doubtful")] if doubtful else [])


@pytest.mark.parametrize(
    ("options", "event", "target"),
    [
        (PROMPT | {"matcher": "Bash"}, "Stop", "matcher"),
        (PROMPT | {"matcher": "("}, "Start", "matcher"),
        (PROMPT | {"matcher": ""}, "Stop", "matcher"),
        (COMMAND | {"maxRejections": 3}, "Stop", "maxRejections"),
        (PROMPT | {"maxRejections": 5, "matcher": "*"}, "PostToolUse", "maxRejections"),
        (COMMAND | {"model": "Fast"}, "Stop", "model"),
        (PROMPT | {"failMode": "block"}, "Start", "failMode"),
    ],
)
def test_an_option_without_effect_gets_a_warning(options, event, target):
    assert warnings(options, event) == [(target, "no_effect")]


def test_a_matcher_without_effect_has_a_bound_too():
    assert faults(PROMPT | {"matcher": "x" * 1000}) == []
    assert faults(PROMPT | {"matcher": "x" * 1001}) == [("matcher", "too_large")]
    assert faults(PROMPT | {"matcher": 5}) == [("matcher", "invalid_type")]


@pytest.mark.parametrize("options", [PROMPT, COMMAND, SCRIPT])
def test_what_was_not_set_gives_no_warning(options):
    assert warnings(options) == []


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (PROMPT, []),
        ({"type": "command", "command": "true\r\n"}, [("bash", "true\n")]),
        (SCRIPT, [("bash", BASH)]),
        ({"type": "command", "script": PYTHON}, [("python", PYTHON)]),
        ({"type": "command", "script": "#!/bin/sh"}, []),
        (COMMAND | SCRIPT, [("bash", "true")]),
    ],
)
def test_a_source_is_parsed_when_it_is_saved(options, asked):
    seen = []
    parsed(options, syntax=lambda *source: seen.append(source))
    assert seen == asked


@pytest.mark.parametrize(("options", "target"), [(COMMAND, "command"), (SCRIPT, "script")])
def test_a_source_that_does_not_parse_is_refused_in_the_parsers_words(options, target):
    (fault,) = parsed(options, syntax=lambda language, source: "line 1: unexpected {x} \ud800").faults
    assert (fault.target, fault.code) == (target, "syntax")
    assert fault.message == "does not parse: line 1: unexpected {x} \ufffd"


def test_a_hook_can_be_made_without_the_parser():
    assert HookSpec(event="Stop", type="command", command="true").language == "bash"
    assert HookSpec(event="Stop", prompt="p", fail_mode="block").fail_mode == "block"
    with pytest.raises(ValueError, match="give one of the two"):
        HookSpec(event="Stop", type="command", command="true", script=BASH)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (5, "5"),
        (-1.5, "-1.5"),
        (10**19, "1" + "0" * 19),
        (10**20, "a number that large"),
        pytest.param(-(10**5000), "a number that large", id="huge"),
        ("x", "'x'"),
        ("x" * 60, "'" + "x" * 60 + "'"),
        ("x" * 61, "'" + "x" * 60 + "…'"),
        ([1], "a list"),
        ({}, "an object"),
    ],
)
def test_a_wrong_value_is_shown_as_a_person_would_write_it(value, text):
    assert fields.shown(value) == text
