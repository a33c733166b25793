"""What is refused, with which words, and that nothing hostile takes long."""

import ast
import json
import subprocess
import sys
import time
from random import Random
from typing import Any

import pytest

from hooks.engine.envelope import parse_agent_hook
from hooks.engine.errors import Fault, Invalid
from hooks.imports import PRODUCTS, read


def faults(source: str | bytes, product: str | None = "claude", **more: Any) -> list[Fault]:
    with pytest.raises(Invalid) as caught:
        read(source, product=product, **more)
    return caught.value.faults


def claude(event: str, items: Any) -> str:
    return json.dumps({"hooks": {event: items}})


def test_it_works() -> None:
    source = claude("Stop", [{"hooks": [{"type": "command", "command": "true"}]}])
    assert [hook["name"] for hook in read(source, product="claude").hooks] == ["claude-stop-1"]


def test_it_needs_no_framework() -> None:
    program = (
        "import sys, hooks.imports; sys.exit(any(name.split('.')[0] in ('django', 'celery') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_bytes_with_a_byte_order_mark_are_read() -> None:
    source = b"\xef\xbb\xbf" + claude("Stop", []).encode()
    assert read(source, product="claude").hooks == []
    assert read("\ufeff" + claude("Stop", []), product="claude").hooks == []


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        (b"\xff\xfe", "malformed", "not UTF-8 at byte 0"),
        ("", "malformed", "empty"),
        ("[]", "invalid_type", "must be a JSON object"),
        ("{", "malformed", "not JSON"),
        ('{"hooks": {"Stop": [], "Stop": []}}', "malformed", "'Stop' stands twice"),
        ('{"hooks": {} // all\n}', "malformed", "comments"),
        ('{"hooks": {}, /* all */ "a": 1}', "malformed", "comments"),
        ('{"hooks": {},}', "malformed", "a comma before a closing bracket"),
        ('{"hooks": {}, "url": "https://x" "b"}', "malformed", "not JSON"),
        ("[" * 100_000, "malformed", "nested too deeply"),
        ('{"hooks": {"Stop": NaN}}', "malformed", "NaN"),
        (" " * 1024 * 1024 + "{}", "too_large", "1,048,578 bytes"),
        ("{}", "required", "no hooks"),
        ('{"hooks": []}', "invalid_type", "must be an object of events"),
    ],
)
def test_a_file_is_refused(source: str | bytes, code: str, words: str) -> None:
    (fault,) = faults(source)
    assert fault.code == code
    assert words in fault.message


def test_addresses_are_no_comments() -> None:
    (fault,) = faults('{"hooks": {}, "url": "https://x" "b"}')
    assert "comments" not in fault.message


@pytest.mark.parametrize(
    ("items", "target", "words"),
    [
        ({}, "hooks.Stop", "must be a list"),
        (["x"], "hooks.Stop[0]", "must be an object"),
        ([{}], "hooks.Stop[0].hooks", "must be a list of hooks"),
        ([{"hooks": "x"}], "hooks.Stop[0].hooks", "must be a list of hooks"),
        ([{"hooks": [1]}], "hooks.Stop[0].hooks[0]", "must be an object"),
        ([{"hooks": [{}]}], "hooks.Stop[0].hooks[0].command", "is required"),
        ([{"hooks": [{"command": "  "}]}], "hooks.Stop[0].hooks[0].command", "is required"),
        ([{"hooks": [{"command": 5}]}], "hooks.Stop[0].hooks[0].command", "must be a text, not 5"),
        ([{"hooks": [{"command": "a\x00b"}]}], "hooks.Stop[0].hooks[0].command", "NUL"),
        ([{"hooks": [{"type": "prompt"}]}], "hooks.Stop[0].hooks[0].prompt", "is required"),
        ([{"hooks": [{"command": "a", "timeout": "5"}]}], "hooks.Stop[0].hooks[0].timeout", "must be a number"),
        ([{"hooks": [{"command": "a", "timeout": True}]}], "hooks.Stop[0].hooks[0].timeout", "not true"),
        ([{"hooks": [{"command": "a", "async": 1}]}], "hooks.Stop[0].hooks[0].async", "true or false"),
        ([{"hooks": [{"command": "a", "args": "b"}]}], "hooks.Stop[0].hooks[0].args", "a list of texts"),
        ([{"matcher": 5, "hooks": [{"command": "a"}, {"command": "b"}]}], "hooks.Stop[0].matcher", "not 5"),
    ],
)
def test_a_hook_is_refused_at_its_path(items: Any, target: str, words: str) -> None:
    (fault,) = faults(claude("Stop", items))
    assert fault.target == target
    assert words in fault.message


def test_a_copilot_hook_needs_a_command() -> None:
    (fault,) = faults(json.dumps({"hooks": {"preToolUse": [{"type": "command"}]}}), product="copilot")
    assert (fault.target, fault.code) == ("hooks.preToolUse[0].bash", "required")


KEYS = [
    "hooks",
    "matcher",
    "type",
    "command",
    "args",
    "timeout",
    "prompt",
    "bash",
    "env",
    "async",
    "if",
    "name",
    "model",
]
LEAVES = [None, True, -1, 1e300, 10**400, "", "x", "prompt", "(", "*", "\ud800", "'''\\", "a\nb", [], {}, "$X"]


def any_value(random: Random, depth: int) -> Any:
    if depth == 0 or random.random() < 0.4:
        return random.choice(LEAVES)
    if random.random() < 0.5:
        return [any_value(random, depth - 1) for _ in range(3)]
    return {key: any_value(random, depth - 1) for key in random.sample(KEYS, 5)}


@pytest.mark.parametrize("product", PRODUCTS)
def test_whatever_a_file_holds_it_is_refused_or_gives_valid_hooks(product: str) -> None:
    random, valid = Random(product), 0  # noqa: S311
    for _ in range(400):
        hook = {"command": "true"} | {key: random.choice(LEAVES) for key in random.sample(KEYS, 2)}
        shapes = [any_value(random, 3), hook, {"hooks": [hook], "matcher": random.choice(LEAVES)}]
        event = random.choice([*PRODUCTS[product].events])
        try:
            found = read(json.dumps({"hooks": {event: [random.choice(shapes)]}}), product=product)
        except Invalid as invalid:
            assert invalid.faults
            continue
        for envelope in found.hooks:
            assert parse_agent_hook(envelope).faults == []
            ast.parse(envelope["properties"]["hook"].get("script", ""))
            valid += 1
    assert valid > 20


def test_all_faults_are_told_at_once() -> None:
    found = faults(claude("Stop", [5, {"hooks": [{"command": 1}, {"type": "prompt", "prompt": 2}]}]))
    assert [fault.target for fault in found] == [
        "hooks.Stop[0]",
        "hooks.Stop[1].hooks[0].command",
        "hooks.Stop[1].hooks[1].prompt",
    ]


def test_faults_without_end_are_cut() -> None:
    groups = [{"hooks": [5] * 100}] * 50
    assert len(faults(claude("Stop", groups))) == 101


@pytest.mark.parametrize("product", PRODUCTS)
def test_ten_thousand_hooks_are_refused_quickly(product: str) -> None:
    event = next(iter(PRODUCTS[product].events))
    hook = {"type": "command", "command": "true"}
    for items in ([hook] * 10_000, [{"hooks": [hook] * 10_000}], [{"hooks": [hook]}] * 101):
        start = time.monotonic()
        (fault,) = faults(json.dumps({"hooks": {event: items}}), product=product)
        assert fault.code == "too_many"
        assert time.monotonic() - start < 10


def test_hooks_are_counted_over_events_that_become_one() -> None:
    items = [{"hooks": [{"command": "true"}] * 60}]
    source = json.dumps({"hooks": {"PostToolUse": items, "PostToolUseFailure": items}})
    (fault,) = faults(source)
    assert (fault.target, fault.code) == ("hooks.PostToolUseFailure", "too_many")
    assert "120 hooks on PostToolUse" in fault.message


def test_events_without_end_are_refused() -> None:
    (fault,) = faults(json.dumps({"hooks": {f"E{number}": [] for number in range(101)}}))
    assert (fault.target, fault.code) == ("hooks", "too_many")


@pytest.mark.parametrize(
    "command",
    ["<<A\n" * 16_000, "[[ " * 21_000, "((" * 32_000, "a=(" * 21_000, "read " * 13_000, "'" * 65_000, "n " * 32_000],
)
def test_hostile_commands_take_no_time(command: str) -> None:
    start = time.monotonic()
    found = read(claude("Stop", [{"hooks": [{"command": command}]}]), product="claude")
    assert time.monotonic() - start < 3
    assert len(found.notes) < 10


def test_a_command_that_is_too_long_is_left_out_with_a_note() -> None:
    found = read(claude("Stop", [{"hooks": [{"command": f"echo {'x' * 66_000}"}]}]), product="claude")
    assert found.hooks == []
    (note,) = [note for note in found.notes if note.level == "no_equal"]
    assert note.path == "hooks.Stop[0].hooks[0]"
    assert "at most 65,536 bytes" in note.message
