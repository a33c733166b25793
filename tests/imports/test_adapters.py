"""Imported commands in the real sandbox: what they read, and what their answers mean."""

import base64
import json
from typing import Any

import pytest

from hooks.imports import PRODUCTS
from tests.imports.conftest import Decide, imported


def payload(decide: Decide, product: str, event: str, **fields: Any) -> dict[str, Any]:
    """Return what a command reads."""
    command = "jq -c . | base64 -w0 >&2; exit 1"
    found = decide(imported(product, event, {"command": command}), **fields)
    return dict(json.loads(base64.b64decode(found.hooks[0].stderr)))


def said(answer: Any) -> dict[str, str]:
    return {"command": f"cat >/dev/null; echo '{json.dumps(answer)}'"}


def outcome(decide: Decide, product: str, event: str, answer: Any, **fields: Any) -> tuple[str, str | None, str | None]:
    found = decide(imported(product, event, said(answer)), **fields)
    (result,) = found.hooks
    assert result.error is None, result
    assert result.warnings == []
    return result.outcome, result.reason, result.additional_context


@pytest.mark.parametrize("product", PRODUCTS)
def test_every_event_runs_and_a_silent_command_has_no_objection(decide: Decide, product: str) -> None:
    for event, source in PRODUCTS[product].events.items():
        succeeded = {"tool_succeeded": "not" not in source.when} if source.event == "PostToolUse" else {}
        tool = {"Shell": "Shell", "MCP:.*": "MCP:x", "Read": "Read", "Write": "Write"}.get(source.tools)
        found = decide(
            imported(product, event, {"command": "cat >/dev/null"}),
            **succeeded,
            **({"tool_name": tool} if tool else {}),
        )
        (result,) = found.hooks
        assert (result.error, result.reason) == (None, None)
        assert result.outcome == ("none" if source.event == "PreToolUse" else "allow")


@pytest.mark.parametrize(
    ("product", "event", "fields", "expected"),
    [
        ("claude", "PreToolUse", {}, {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "session_id": "t-1"}),
        ("claude", "PostToolUse", {}, {"tool_response": "secret", "hook_event_name": "PostToolUse"}),
        ("claude", "PostToolUse", {"tool_result": {"a": [1]}}, {"tool_response": {"a": [1]}}),
        ("claude", "PostToolUseFailure", {"tool_succeeded": False}, {"error": "secret", "is_interrupt": False}),
        ("claude", "Stop", {}, {"last_assistant_message": "done", "stop_hook_active": False}),
        ("claude", "SessionStart", {}, {"source": "startup", "transcript_path": "/mnt/data/hook_transcript.txt"}),
        ("codex", "PostToolUse", {"current_turn": 3}, {"tool_response": "secret", "turn_id": "3"}),
        ("codex", "Stop", {"stop_hook_active": True}, {"last_assistant_message": "done", "stop_hook_active": True}),
        ("gemini", "BeforeTool", {}, {"hook_event_name": "BeforeTool", "tool_name": "Bash"}),
        ("gemini", "AfterTool", {}, {"tool_response": {"llmContent": "secret", "returnDisplay": "secret"}}),
        (
            "gemini",
            "AfterTool",
            {"tool_succeeded": False, "tool_result": {"e": 1}},
            {
                "tool_response": {
                    "llmContent": {"e": 1},
                    "returnDisplay": '{"e": 1}',
                    "error": {"message": '{"e": 1}'},
                }
            },
        ),
        ("gemini", "AfterAgent", {"prompt": "do it"}, {"prompt_response": "done", "prompt": "do it"}),
        ("copilot", "preToolUse", {}, {"toolName": "Bash", "toolArgs": '{"command": "rm -rf /"}', "sessionId": "t-1"}),
        ("copilot", "PreToolUse", {}, {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}),
        ("copilot", "postToolUse", {}, {"toolResult": {"resultType": "success", "textResultForLlm": "secret"}}),
        (
            "copilot",
            "PostToolUse",
            {"tool_succeeded": False},
            {"tool_result": {"result_type": "failure", "text_result_for_llm": "secret"}},
        ),
        ("copilot", "agentStop", {}, {"transcriptPath": "/mnt/data/hook_transcript.txt", "stopReason": "end_turn"}),
        ("cursor", "preToolUse", {}, {"tool_name": "Bash", "conversation_id": "t-1", "hook_event_name": "preToolUse"}),
        ("cursor", "postToolUse", {"tool_result": {"a": 1}}, {"tool_output": '{"a": 1}'}),
        ("cursor", "beforeShellExecution", {"tool_name": "Shell"}, {"command": "rm -rf /"}),
        (
            "cursor",
            "beforeMCPExecution",
            {"tool_name": "MCP:x"},
            {"tool_name": "x", "tool_input": '{"command": "rm -rf /"}'},
        ),
        ("cursor", "beforeReadFile", {"tool_name": "Read", "tool_input": {"path": "/a"}}, {"file_path": "/a"}),
        ("cursor", "stop", {"stop_rejection_count": 2}, {"status": "completed", "loop_count": 2}),
        (
            "cursor",
            "afterFileEdit",
            {"tool_name": "Write", "tool_input": {"file_path": "/a", "old_string": "x", "new_string": "y"}},
            {"file_path": "/a", "edits": [{"old_string": "x", "new_string": "y"}]},
        ),
    ],
)
def test_a_command_reads_the_fields_of_its_product(
    decide: Decide, product: str, event: str, fields: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = payload(decide, product, event, **fields)
    assert {key: found.get(key) for key in expected} == expected


INPUT_CHANGED = "The hook would change the tool's input, which is not possible here."
OWN = "hookSpecificOutput"


@pytest.mark.parametrize(
    ("product", "event", "answer", "expected"),
    [
        ("claude", "PreToolUse", {OWN: {"permissionDecision": "allow"}}, ("allow", None, None)),
        (
            "claude",
            "PreToolUse",
            {OWN: {"permissionDecision": "deny", "permissionDecisionReason": "r", "additionalContext": "c"}},
            ("deny", "r", "c"),
        ),
        ("claude", "PreToolUse", {OWN: {"permissionDecision": "ask"}}, ("ask", None, None)),
        ("claude", "PreToolUse", {OWN: {"permissionDecision": "defer"}}, ("ask", None, None)),
        ("claude", "PreToolUse", {"decision": "approve", "reason": "r"}, ("allow", "r", None)),
        ("claude", "PreToolUse", {"decision": "block", "reason": "r"}, ("deny", "r", None)),
        (
            "claude",
            "PreToolUse",
            {OWN: {"permissionDecision": "allow", "updatedInput": {}}},
            ("ask", INPUT_CHANGED, None),
        ),
        ("claude", "PreToolUse", {"continue": False, "stopReason": "s"}, ("deny", "s", None)),
        ("claude", "PreToolUse", {"systemMessage": "m", "suppressOutput": True}, ("none", None, None)),
        ("claude", "PostToolUse", {"decision": "block", "reason": "r"}, ("block", "r", None)),
        ("claude", "PostToolUse", {OWN: {"additionalContext": "c"}}, ("allow", None, "c")),
        ("claude", "PostToolUse", {OWN: {"updatedToolOutput": {"a": 1}}}, ("block", '{"a": 1}', None)),
        ("claude", "PostToolUse", {"continue": False, "stopReason": "s"}, ("block", "s", None)),
        ("claude", "Stop", {"decision": "block", "reason": "r"}, ("block", "r", None)),
        ("claude", "Stop", {"decision": "block", "reason": "r", "continue": False}, ("allow", "r", None)),
        ("claude", "SessionStart", {OWN: {"additionalContext": "c"}}, ("allow", None, "c")),
        ("codex", "PreToolUse", {OWN: {"permissionDecision": "allow"}}, ("none", None, None)),
        (
            "codex",
            "PreToolUse",
            {OWN: {"permissionDecision": "deny"}},
            ("deny", "Blocked by hook 'codex-pretooluse-1'", None),
        ),
        ("codex", "PreToolUse", {"decision": "block", "reason": "r"}, ("deny", "r", None)),
        ("codex", "PostToolUse", {"decision": "block", "reason": "r"}, ("block", "r", None)),
        ("codex", "Stop", {"decision": "block", "reason": "r"}, ("block", "r", None)),
        ("gemini", "BeforeTool", {"decision": "allow"}, ("none", None, None)),
        ("gemini", "BeforeTool", {"decision": "deny", "reason": "r"}, ("deny", "r", None)),
        ("gemini", "BeforeTool", {"decision": "block", "reason": "r"}, ("deny", "r", None)),
        ("gemini", "BeforeTool", {OWN: {"tool_input": {}}}, ("ask", INPUT_CHANGED, None)),
        ("gemini", "AfterTool", {"decision": "deny", "reason": "r"}, ("block", "r", None)),
        ("gemini", "AfterTool", {OWN: {"additionalContext": "c"}}, ("allow", None, "c")),
        ("gemini", "AfterAgent", {"decision": "deny", "reason": "r"}, ("block", "r", None)),
        ("gemini", "AfterAgent", {"decision": "deny", "reason": "r", "continue": False}, ("allow", "r", None)),
        ("gemini", "SessionStart", {OWN: {"additionalContext": "c"}}, ("allow", None, "c")),
        ("copilot", "preToolUse", {"permissionDecision": "deny", "permissionDecisionReason": "r"}, ("deny", "r", None)),
        ("copilot", "preToolUse", {"permissionDecision": "allow"}, ("allow", None, None)),
        ("copilot", "preToolUse", {"modifiedArgs": {}}, ("ask", INPUT_CHANGED, None)),
        ("copilot", "PreToolUse", {OWN: {"permissionDecision": "ask"}}, ("ask", None, None)),
        ("copilot", "postToolUse", {"modifiedResult": {"textResultForLlm": "n"}}, ("block", "n", None)),
        ("copilot", "postToolUse", {"additionalContext": "c"}, ("allow", None, "c")),
        ("copilot", "agentStop", {"decision": "block", "reason": "r"}, ("block", "r", None)),
        ("copilot", "sessionStart", {"additionalContext": "c"}, ("allow", None, "c")),
        ("cursor", "preToolUse", {"permission": "allow"}, ("none", None, None)),
        ("cursor", "preToolUse", {"permission": "deny", "agent_message": "r"}, ("deny", "r", None)),
        ("cursor", "preToolUse", {"permission": "ask", "user_message": "u"}, ("ask", "u", None)),
        ("cursor", "preToolUse", {"permission": "allow", "updated_input": {}}, ("ask", INPUT_CHANGED, None)),
        ("cursor", "postToolUse", {"additional_context": "c"}, ("allow", None, "c")),
        ("cursor", "postToolUse", {"updated_mcp_tool_output": {"a": 1}}, ("block", '{"a": 1}', None)),
        ("cursor", "stop", {"followup_message": "go on"}, ("block", "go on", None)),
        ("cursor", "stop", {}, ("allow", None, None)),
        ("cursor", "sessionStart", {"additional_context": "c", "env": {}}, ("allow", None, "c")),
    ],
)
def test_an_answer_keeps_its_meaning(
    decide: Decide, product: str, event: str, answer: Any, expected: tuple[str, str | None, str | None]
) -> None:
    assert outcome(decide, product, event, answer) == expected


@pytest.mark.parametrize(
    ("product", "event", "expected"),
    [
        ("claude", "PreToolUse", "deny"),
        ("claude", "PostToolUse", "block"),
        ("claude", "Stop", "block"),
        ("codex", "PostToolUse", "block"),
        ("gemini", "BeforeTool", "deny"),
        ("gemini", "AfterTool", "block"),
        ("gemini", "AfterAgent", "block"),
        ("copilot", "preToolUse", "deny"),
        ("cursor", "preToolUse", "deny"),
    ],
)
def test_exit_2_objects(decide: Decide, product: str, event: str, expected: str) -> None:
    (result,) = decide(imported(product, event, {"command": "echo no >&2; exit 2"})).hooks
    assert (result.outcome, result.reason) == (expected, "no")


@pytest.mark.parametrize(
    ("product", "event"),
    [("copilot", "postToolUse"), ("copilot", "agentStop"), ("cursor", "postToolUse"), ("cursor", "stop")],
)
def test_exit_2_is_a_failure_where_it_is_no_objection(decide: Decide, product: str, event: str) -> None:
    (result,) = decide(imported(product, event, {"command": "echo no >&2; exit 2"})).hooks
    assert (result.outcome, result.exit_code) == ("error", 1)


def test_exit_2_takes_a_reason_on_stdout(decide: Decide) -> None:
    found = decide(imported("claude", "Stop", {"command": """echo '{"reason": "r"}'; exit 2"""}))
    assert (found.decision, found.reason) == ("block", "r")


@pytest.mark.parametrize(
    ("command", "code", "signal"),
    [("exit 1", 1, None), ("exit 7", 7, None), ("kill -9 $$", None, 9), ("kill -TERM $$", None, 15)],
)
def test_failures_stay_failures(decide: Decide, command: str, code: int | None, signal: int | None) -> None:
    (result,) = decide(imported("claude", "Stop", {"command": command})).hooks
    assert (result.outcome, result.exit_code, result.signal) == ("error", code, signal)


def test_fail_closed_blocks(decide: Decide) -> None:
    found = decide(imported("cursor", "preToolUse", {"command": "exit 3", "failClosed": True}))
    assert found.decision == "deny"


def test_broken_json_is_a_failure(decide: Decide) -> None:
    (result,) = decide(imported("claude", "Stop", {"command": """echo '{"decision": "block'"""})).hooks
    assert result.outcome == "error"
    assert "JSONDecodeError" in result.stderr


@pytest.mark.parametrize(("product", "context"), [("claude", "hello"), ("codex", "hello"), ("gemini", None)])
def test_plain_text_is_context_where_it_was(decide: Decide, product: str, context: str | None) -> None:
    assert decide(imported(product, "SessionStart", {"command": "echo hello"})).additional_context == context


def test_plain_text_elsewhere_says_nothing(decide: Decide) -> None:
    (result,) = decide(imported("claude", "PostToolUse", {"command": "echo checked"})).hooks
    assert (result.outcome, result.error, result.additional_context) == ("allow", None, None)


@pytest.mark.parametrize(
    ("product", "event", "succeeded", "runs"),
    [
        ("claude", "PostToolUse", True, True),
        ("claude", "PostToolUse", False, False),
        ("claude", "PostToolUseFailure", True, False),
        ("claude", "PostToolUseFailure", False, True),
        ("gemini", "AfterTool", False, True),
        ("codex", "PostToolUse", False, True),
        ("cursor", "postToolUse", False, False),
    ],
)
def test_success_decides_whether_it_runs(decide: Decide, product: str, event: str, succeeded: bool, runs: bool) -> None:
    found = decide(imported(product, event, {"command": "exit 3"}), tool_succeeded=succeeded)
    assert (found.hooks[0].outcome == "error") is runs


@pytest.mark.parametrize(
    ("product", "matcher", "source", "runs"),
    [
        ("claude", "startup|clear", "startup", True),
        ("claude", "startup|clear", "resume", False),
        ("claude", "resume", "unknown", False),
        ("claude", "startup", "unknown", True),
        ("claude", "", "resume", True),
        ("gemini", "resume", "resume", True),
        ("codex", "resume", "startup", False),
    ],
)
def test_a_start_is_filtered_by_its_source(decide: Decide, product: str, matcher: str, source: str, runs: bool) -> None:
    found = decide(imported(product, "SessionStart", {"command": "exit 3"}, matcher=matcher), source=source)
    assert (found.hooks[0].outcome == "error") is runs


@pytest.mark.parametrize(
    ("event", "matcher", "tool", "runs"),
    [
        ("beforeShellExecution", "rm", "Shell", True),
        ("beforeShellExecution", r"rm\s+-rf", "Shell", True),
        ("beforeShellExecution", "curl|wget", "Shell", False),
        ("beforeMCPExecution", "x", "MCP:axb", True),
        ("beforeMCPExecution", "^x", "MCP:axb", False),
    ],
)
def test_a_matcher_on_the_command_is_checked_by_the_script(
    decide: Decide, event: str, matcher: str, tool: str, runs: bool
) -> None:
    found = decide(imported("cursor", event, {"command": "exit 3", "matcher": matcher}), tool_name=tool)
    assert (found.hooks[0].outcome == "error") is runs
    assert decide(imported("cursor", event, {"command": "exit 3", "matcher": matcher}), tool_name="Edit").hooks == []


@pytest.mark.parametrize(
    ("options", "count", "decision"),
    [({}, 4, "block"), ({}, 5, "allow"), ({"loop_limit": 1}, 1, "allow"), ({"loop_limit": None}, 50, "block")],
)
def test_a_loop_limit_holds(decide: Decide, options: dict[str, Any], count: int, decision: str) -> None:
    found = imported("cursor", "stop", {**said({"followup_message": "more"}), **options})
    assert decide(found, stop_rejection_count=count).decision == decision


def test_a_stray_child_does_not_hold_up_the_decision(decide: Decide) -> None:
    command = """sleep 60 & echo '{"decision": "block", "reason": "r"}'"""
    found = decide(imported("claude", "Stop", {"command": command}))
    assert (found.decision, found.reason) == ("block", "r")
    assert found.duration_ms < 10_000


def test_a_command_that_reads_nothing_of_much(decide: Decide) -> None:
    found = decide(imported("claude", "Stop", {"command": "exec <&-; true"}), final_output="x" * 2_000_000)
    assert found.hooks[0].error is None


@pytest.mark.parametrize(
    "command",
    [
        "echo 'it' && echo \"is\"",
        "printf '%s' 'a\\b' | grep -q 'a\\\\b'",
        "cat <<'END'\n'''\n\"\"\"\n{braces} %s \\ \nEND\n",
        "true # 'quotes' \"and\" \\",
        "echo\r\necho",
        "echo \u2028 Ağustos 完了 🚀",
        "echo '\u0007'",
        "echo x {payload} {{answer}}",
        "true \\",
        "[ 'x' = 'x' ]",
    ],
)
def test_any_command_arrives_as_it_was(decide: Decide, command: str) -> None:
    (result,) = decide(imported("claude", "Stop", {"command": command})).hooks
    assert (result.outcome, result.error) == ("allow", None)


def test_arguments_are_quoted(decide: Decide) -> None:
    handler = {"command": "printf", "args": ["%s\n", "it's; exit 3"]}
    assert decide(imported("claude", "SessionStart", handler)).additional_context == "it's; exit 3"


def test_a_script_may_be_edited_to_run_python(decide: Decide) -> None:
    found = imported("claude", "Stop", {"command": "python3 check.py"})
    hook = found.hooks[0]["properties"]["hook"]
    assert 'PROGRAM = "bash"\n' in hook["script"]
    hook["script"] = (
        hook["script"]
        .replace('PROGRAM = "bash"', 'PROGRAM = "python3"')
        .replace("COMMAND = 'python3 check.py'", "COMMAND = 'import sys; sys.exit(\"no\") if 0 else sys.exit(2)'")
    )
    (result,) = decide(found).hooks
    assert result.exit_code == 2
