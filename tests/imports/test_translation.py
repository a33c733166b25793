"""Matchers, times and names."""

import json
from typing import Any

import pytest

from hooks.engine.matcher import matches
from hooks.imports import PRODUCTS, Imported, read
from hooks.imports.translation import seconds, whole
from tests.imports.conftest import imported


def hook(found: Imported) -> dict[str, Any]:
    (envelope,) = found.hooks
    return dict(envelope["properties"]["hook"])


def messages(found: Imported, level: str) -> str:
    return "\n".join(note.message for note in found.notes if note.level == level)


@pytest.mark.parametrize(
    ("given", "product", "expected"),
    [
        (None, "claude", "*"),
        ("", "claude", "*"),
        ("  ", "claude", "*"),
        ("*", "claude", "*"),
        (".*", "gemini", "*"),
        ("Bash", "claude", "Bash"),
        ("Edit|Write", "claude", "Edit|Write"),
        ("mcp__.*", "claude", ".*(?:mcp__.*).*"),
        ("^Edit$", "claude", ".*(?:^Edit$).*"),
        ("mcp__my-server", "claude", ".*(?:mcp__my-server).*"),
        ("Edit|", "claude", ".*(?:Edit|).*"),
        ("write_file|replace", "gemini", "write_file|replace"),
        ("write_.*", "gemini", ".*(?:write_.*).*"),
        ("bash|edit.*", "copilot", "bash|edit.*"),
        (None, "copilot", "*"),
    ],
)
def test_matchers_keep_their_meaning(given: str | None, product: str, expected: str) -> None:
    assert whole(given, PRODUCTS[product]) == expected


def test_an_unanchored_pattern_still_matches_within_names() -> None:
    pattern = whole("Note.*|^mcp__", PRODUCTS["claude"])
    assert [matches(pattern, tool) for tool in ("NotebookEdit", "MyNotes", "mcp__x", "a_mcp__x")] == [
        True,
        True,
        True,
        False,
    ]


def test_a_changed_matcher_is_noted() -> None:
    found = imported("claude", "PreToolUse", {"command": "true"}, matcher="mcp__.*")
    assert hook(found)["matcher"] == ".*(?:mcp__.*).*"
    assert "'mcp__.*' is '.*(?:mcp__.*).*' here" in messages(found, "translated")


def test_a_plain_word_that_was_wider_there_is_to_be_checked() -> None:
    found = imported("gemini", "BeforeTool", {"command": "true"}, matcher="write")
    assert hook(found)["matcher"] == "write"
    assert "matched within longer names" in messages(found, "check")
    assert "longer names" not in messages(
        imported("claude", "PreToolUse", {"command": "true"}, matcher="Write"), "check"
    )


@pytest.mark.parametrize("pattern", ["(", "x" * 1001, "(?:x{9999}){9999}", "a)|(.*"])
def test_a_matcher_that_cannot_be_used_disables_the_hook(pattern: str) -> None:
    found = imported("claude", "PreToolUse", {"command": "true"}, matcher=pattern)
    assert hook(found)["matcher"] == "*"
    assert found.hooks[0]["properties"]["enabled"] is False
    assert "cannot be used" in messages(found, "check")


def test_a_filter_in_the_script_is_one_that_python_takes() -> None:
    found = imported("cursor", "beforeShellExecution", {"command": "true", "matcher": "(?<name>rm)"})
    assert found.hooks[0]["properties"]["enabled"] is False
    assert "not a regular expression of Python" in messages(found, "check")


def test_a_matcher_on_an_event_without_one_is_noted() -> None:
    found = imported("claude", "Stop", {"command": "true"}, matcher="Bash")
    assert "matcher" not in hook(found)
    assert "Its matcher is left out: Stop has none." in messages(found, "no_equal")


@pytest.mark.parametrize(
    ("given", "expected"),
    [(0, 1), (-5, 1), (0.2, 1), (1, 1), (1.2, 2), (300, 300), (300.5, 300), (1e15, 300), (-1e15, 1)],
)
def test_times_are_whole_seconds_within_bounds(given: float, expected: int) -> None:
    assert seconds(given) == expected


@pytest.mark.parametrize(
    ("product", "event", "options", "expected"),
    [
        ("claude", "Stop", {"timeout": 20}, 20),
        ("claude", "Stop", {}, 300),
        ("claude", "Stop", {"type": "prompt", "prompt": "ok?"}, 30),
        ("codex", "Stop", {"timeoutSec": 7}, 7),
        ("gemini", "AfterAgent", {"timeout": 5000}, 5),
        ("gemini", "AfterAgent", {"timeout": 5001}, 6),
        ("gemini", "AfterAgent", {"timeout": 10**3998}, 300),
        ("gemini", "AfterAgent", {}, 60),
        ("copilot", "agentStop", {"timeoutSec": 15}, 15),
        ("copilot", "agentStop", {}, 30),
        ("cursor", "stop", {"timeout": 12}, 12),
    ],
)
def test_each_product_counts_time_its_own_way(product: str, event: str, options: dict[str, Any], expected: int) -> None:
    given = options if "prompt" in options else {"command": "true", **options}
    assert hook(imported(product, event, given))["timeout"] == expected


def test_a_changed_time_is_noted() -> None:
    assert "Its timeout of 5.001 s is 6 s here" in messages(
        imported("gemini", "AfterAgent", {"command": "true", "timeout": 5001}), "translated"
    )


def test_a_default_time_is_noted_once() -> None:
    source = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "true"}, {"command": "false"}]}]}})
    found = read(source, product="claude")
    assert messages(found, "translated").count("600 s is 300 s") == 1


def test_names_are_derived_unique_and_valid() -> None:
    names = ["Check it!", "check-it", "CHECK IT", "system__x", "é", "n" * 70, "n" * 64, ""]
    items = [{"hooks": [{"type": "command", "command": "true", "name": name} for name in names]}]
    found = read(json.dumps({"hooks": {"BeforeTool": items}}), product="gemini")
    assert [one["name"] for one in found.hooks] == [
        "Check-it",
        "check-it-2",
        "CHECK-IT-3",
        "gemini-beforetool-4",
        "gemini-beforetool-5",
        "n" * 64,
        f"{'n' * 62}-2",
        "gemini-beforetool-8",
    ]
    assert "Its name 'Check it!' is Check-it here." in messages(found, "translated")


def test_a_derived_name_may_be_taken_by_a_given_one() -> None:
    hooks = [{"command": "true", "name": "gemini-beforetool-2"}, {"command": "true"}]
    found = read(json.dumps({"hooks": {"BeforeTool": [{"hooks": hooks}]}}), product="gemini")
    assert [one["name"] for one in found.hooks] == ["gemini-beforetool-2", "gemini-beforetool-2-2"]
