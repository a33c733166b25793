"""What becomes of each product's own options and events."""

import json
from typing import Any

import pytest

from hooks.engine.envelope import parse_agent_hook
from hooks.imports import PRODUCTS, Imported, read
from tests.imports.conftest import imported

PROMPT = {"type": "prompt", "prompt": "Is it fine? $ARGUMENTS"}


def notes(found: Imported, level: str) -> str:
    return "\n".join(f"{note.path}: {note.message}" for note in found.notes if note.level == level)


def properties(found: Imported) -> dict[str, Any]:
    (hook,) = found.hooks
    return dict(hook["properties"])


def test_a_whole_settings_file_of_claude_code() -> None:
    group = {"hooks": [{"type": "command", "command": "true", "statusMessage": "checking", "once": True}]}
    document = {
        "permissions": {"deny": []},
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "note": "x", "hooks": [*group["hooks"], PROMPT]}],
            "PostToolUseFailure": [{"matcher": "*", **group}],
            "SessionStart": [group],
            "UserPromptSubmit": [group, group],
            "Stopp": [group],
        },
    }
    found = read(json.dumps(document), filename=".claude/settings.json")
    assert [(one["name"], one["properties"]["eventType"]) for one in found.hooks] == [
        ("claude-pretooluse-1", "PreToolUse"),
        ("claude-pretooluse-2", "PreToolUse"),
        ("claude-posttoolusefailure-1", "PostToolUse"),
        ("claude-sessionstart-1", "Start"),
    ]
    assert all(one["properties"]["enabled"] for one in found.hooks)
    told = notes(found, "no_equal")
    assert "hooks.PreToolUse[0].hooks[0]: Without an equal here, and left out: statusMessage, once." in told
    assert "hooks.PreToolUse[0]: Without an equal here, and left out: note." in told
    assert "hooks.UserPromptSubmit: UserPromptSubmit of Claude Code has no equal here (2 left out)." in told
    assert "hooks.Stopp: 'Stopp' is no event of Claude Code that is known here; did you mean 'Stop'?" in told
    assert "hooks.PostToolUseFailure: PostToolUseFailure is PostToolUse here" in notes(found, "translated")
    assert {note.hook for note in found.notes if note.path == "hooks.PreToolUse[0].hooks[0]"} == {"claude-pretooluse-1"}


@pytest.mark.parametrize("product", PRODUCTS)
def test_every_event_becomes_a_valid_hook(product: str) -> None:
    for event, source in PRODUCTS[product].events.items():
        found = imported(product, event, {"command": "true"}, matcher="a.b")
        (parsed,) = [parse_agent_hook(hook) for hook in found.hooks]
        assert parsed.spec is not None
        assert parsed.spec.event == source.event
        assert parsed.warnings == []


@pytest.mark.parametrize("product", PRODUCTS)
def test_every_event_without_an_equal_is_noted(product: str) -> None:
    for event in PRODUCTS[product].others:
        found = read(json.dumps({"hooks": {event: [{}, {}]}}), product=product)
        assert found.hooks == []
        assert f"{event} of {PRODUCTS[product].title} has no equal here (2 left out)." in notes(found, "no_equal")


@pytest.mark.parametrize("product", PRODUCTS)
def test_what_is_no_list_under_an_unknown_event_does_no_harm(product: str) -> None:
    assert "'x' is no event" in notes(read(json.dumps({"hooks": {"x": 5}}), product=product), "no_equal")


@pytest.mark.parametrize(
    ("product", "event", "handler", "words"),
    [
        ("claude", "Stop", {"type": "http", "url": "https://x"}, "An http hook calls a server"),
        ("claude", "Stop", {"type": "mcp_tool"}, "An mcp_tool hook calls a server"),
        ("claude", "Stop", {"type": "agent", "prompt": "x"}, "An agent hook works with tools"),
        ("codex", "Stop", PROMPT, "A hook of type 'prompt' is not run by Codex either"),
        ("gemini", "AfterAgent", {"type": "runtime"}, "A hook of type 'runtime' has no equal"),
        ("copilot", "agentStop", {"type": "http", "url": "x"}, "type 'http' calls a server, which has no equal"),
        ("copilot", "sessionStart", {"type": "prompt", "prompt": "x"}, "is sent to the agent as if a person"),
        ("copilot", "agentStop", {"type": "odd"}, "A hook of type 'odd', which has no equal"),
        ("cursor", "stop", {"type": "http"}, "A hook of type 'http' has no equal"),
    ],
)
def test_types_without_an_equal_are_noted(product: str, event: str, handler: dict[str, Any], words: str) -> None:
    found = imported(product, event, handler)
    assert found.hooks == []
    assert words in notes(found, "no_equal")


@pytest.mark.parametrize(
    ("product", "event", "handler", "words"),
    [
        ("claude", "PreToolUse", {"command": "x", "if": "Bash(git *)"}, "Its condition (if) has no equal"),
        ("claude", "PreToolUse", {"command": "true", "async": True}, "runs in the background"),
        ("claude", "PreToolUse", {"command": "true", "asyncRewake": True}, "runs in the background"),
        ("claude", "PreToolUse", {"command": "dir", "shell": "powershell"}, "written for 'powershell'"),
        ("claude", "PreToolUse", {"command": "$CLAUDE_PROJECT_DIR/x.sh"}, "a file that the sandbox does not have"),
        ("claude", "PreToolUse", {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/x.js"]}, "/x.js', a file"),
        ("claude", "PostToolUseFailure", PROMPT, "Here it would also judge tools that succeeded"),
        ("codex", "Stop", {"command": "true", "async": True}, "runs in the background"),
        ("copilot", "agentStop", {"powershell": "dir"}, "written for PowerShell or Windows"),
        ("copilot", "agentStop", {"bash": "true", "env": {"A": "b"}}, "Its env is left out"),
        ("cursor", "beforeShellExecution", PROMPT, "A prompt has no script to limit it"),
    ],
)
def test_what_cannot_run_as_it_is_comes_disabled_with_a_note(
    product: str, event: str, handler: dict[str, Any], words: str
) -> None:
    found = imported(product, event, handler)
    assert properties(found)["enabled"] is False
    (told,) = [note for note in found.notes if words in note.message]
    assert told.level == "check"
    assert told.message.startswith("Imported disabled. ")
    assert told.hook == found.hooks[0]["name"]


def test_prompts_stay_prompts() -> None:
    handler = {**PROMPT, "model": "haiku", "prompt": "Look at tool_response."}
    found = imported("claude", "PostToolUse", handler, matcher="Bash")
    hook = properties(found)["hook"]
    assert hook == {"type": "prompt", "timeout": 30, "prompt": "Look at tool_response.", "matcher": "Bash"}
    assert "'haiku' is not one of the portal's" in notes(found, "no_equal")
    assert "tool_response is tool_result" in notes(found, "check")
    assert "Here it also judges tools that failed" in notes(found, "check")


@pytest.mark.parametrize(("limit", "expected"), [(7, 7), (99, 25), (0, 3), (None, 3)])
def test_a_prompt_on_stop_has_a_limit(limit: int | None, expected: int) -> None:
    found = imported("cursor", "stop", {**PROMPT, "loop_limit": limit})
    assert properties(found)["hook"]["maxRejections"] == expected
    assert f"until {expected} rejections" in notes(found, "translated")


def test_a_prompt_at_the_start_loses_its_matcher_with_a_note() -> None:
    found = imported("claude", "SessionStart", PROMPT, matcher="resume")
    assert "Its matcher is left out: Start has none for prompts." in notes(found, "no_equal")


@pytest.mark.parametrize(
    ("document", "product"),
    [
        ({"disableAllHooks": True}, "claude"),
        ({"disableAllHooks": True, "version": 1}, "copilot"),
        ({"hooksConfig": {"enabled": False}}, "gemini"),
        ({"hooksConfig": {"disabled": ["first"]}}, "gemini"),
        ({"hooksConfig": {"disabled": [5, "true"]}}, "gemini"),
    ],
)
def test_what_the_file_turns_off_is_off(document: dict[str, Any], product: str) -> None:
    event = {"claude": "Stop", "copilot": "agentStop", "gemini": "AfterAgent"}[product]
    handler = {"command": "true"} | ({"name": "first"} if "first" in json.dumps(document) else {})
    item = handler if product == "copilot" else {"hooks": [handler]}
    found = read(json.dumps({**document, "hooks": {event: [item]}}), product=product)
    assert properties(found)["enabled"] is False
    assert "Imported disabled. The file turns it off." in notes(found, "check")


def test_gemini_keys_beside_events_are_none() -> None:
    document = {"hooks": {"enabled": True, "disabled": ["b"], "notifications": True, "AfterAgent": []}}
    assert read(json.dumps(document), product="gemini").notes == []
    off = {"hooks": {"disabled": ["b"], "AfterAgent": [{"hooks": [{"command": "true", "name": "b"}]}]}}
    assert properties(read(json.dumps(off), product="gemini"))["enabled"] is False


def test_gemini_description_and_order() -> None:
    handler = {"command": "true", "description": "Looks twice.", "name": "look"}
    found = imported("gemini", "BeforeTool", handler, sequential=True)
    assert properties(found)["description"] == ("Looks twice. Imported from Gemini CLI: hooks.BeforeTool[0].hooks[0].")
    assert "sequential has no equal" in notes(found, "no_equal")
    long = imported("gemini", "BeforeTool", {"command": "true", "description": "x" * 5000})
    assert properties(long)["description"].startswith("Imported from")


def test_copilot_takes_the_variant_for_bash_and_notes_the_others() -> None:
    found = imported("copilot", "preToolUse", {"bash": "true", "powershell": "dir", "cwd": "x"})
    assert "COMMAND = 'true'" in properties(found)["hook"]["script"]
    assert "left out: powershell, cwd." in notes(found, "no_equal")


def test_copilot_groups_as_claude_code_writes_them_are_read() -> None:
    item = {"matcher": "bash", "hooks": [{"type": "command", "command": "true"}]}
    found = read(json.dumps({"hooks": {"PreToolUse": [item]}}), product="copilot")
    assert properties(found)["hook"]["matcher"] == "bash"


@pytest.mark.parametrize(("closed", "expected"), [(True, "block"), (False, None)])
def test_cursor_fail_closed_is_fail_mode_block(closed: bool, expected: str | None) -> None:
    found = imported("cursor", "preToolUse", {"command": "true", "failClosed": closed})
    assert properties(found)["hook"].get("failMode") == expected


@pytest.mark.parametrize(
    ("event", "matcher", "expected"),
    [
        ("beforeShellExecution", "curl", "Shell"),
        ("beforeShellExecution", None, "Shell"),
        ("beforeMCPExecution", None, "MCP:.*"),
        ("beforeReadFile", None, "Read"),
        ("afterFileEdit", "TabWrite", "TabWrite"),
        ("preToolUse", "Shell|Write", "Shell|Write"),
    ],
)
def test_cursor_events_become_matchers(event: str, matcher: str | None, expected: str) -> None:
    found = imported("cursor", event, {"command": "true", "matcher": matcher})
    assert properties(found)["hook"]["matcher"] == expected


@pytest.mark.parametrize(
    ("event", "command", "level", "words"),
    [
        ("Stop", """echo '{"systemMessage": "x"}'""", "no_equal", "systemMessage has no equal"),
        ("Stop", """echo '{"continue": false}'""", "check", "continue: false ends the agent's run"),
        (
            "PreToolUse",
            """echo '{"hookSpecificOutput": {"updatedInput": {}}}'""",
            "check",
            "updatedInput asks a person",
        ),
        ("PostToolUse", """echo '{"updatedToolOutput": 1}'""", "check", "updatedToolOutput becomes a block"),
    ],
)
def test_answers_without_an_equal_are_noted(event: str, command: str, level: str, words: str) -> None:
    assert words in notes(imported("claude", event, {"command": command}), level)


def test_reading_a_field_is_no_answer() -> None:
    found = imported("claude", "PreToolUse", {"command": "jq -r .tool_input.command; continue"})
    assert [note.path for note in found.notes] == ["hooks", "hooks"]
