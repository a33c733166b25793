"""Cursor's events. Those for shell commands, MCP tools and files are the tool's event with a matcher here.

https://cursor.com/docs/hooks
"""

from hooks.imports import dialect as d
from hooks.imports.source import SourceEvent

SHELL, MCP, READ, WRITE = "Shell", "MCP:.*", "Read", "Write"
COMMON = {
    "conversation_id": d.THREAD,
    "generation_id": '""',
    "model": '""',
    "cursor_version": '""',
    "workspace_roots": "[]",
    "user_email": "None",
    "transcript_path": d.TRANSCRIPT,
}
# Scripts there say allow on whatever they do not deny; here allow would override tool policy: so it is no opinion.
PERMISSION = d.lines(
    'decision = said.get("permission") if said.get("permission") in ("deny", "ask") else None',
    'reason = said.get("agent_message") or said.get("user_message") or said.get("agentMessage")'
    ' or said.get("userMessage")',
    d.ASK_INSTEAD.format(changed='"updated_input" in said'),
    d.HALT_TOOL.format(word="deny"),
)
POST = d.lines(
    'added = said.get("additional_context")',
    'new = said.get("updated_mcp_tool_output")',
    d.REPLACE_RESULT.format(new="new"),
)
STOP = d.lines('reason = said.get("followup_message")', 'decision = "block" if reason else None')
MCP_NAME = f'{d.TOOL}.removeprefix("MCP:")'
PATH = f'{d.INPUT}.get("file_path") or {d.INPUT}.get("path") or ""'
COMMAND = f'{d.INPUT}.get("command", "")'
SHELL_COMMAND = f"str({COMMAND})"
EDITS = (
    f'[{{"old_string": {d.INPUT}.get("old_string", ""), '
    f'"new_string": {d.INPUT}.get("new_string") or {d.INPUT}.get("content") or ""}}]'
)


def _payload(name: str, **more: str) -> dict[str, str]:
    return {**COMMON, "hook_event_name": f'"{name}"', **more}


def _tool(name: str, **more: str) -> dict[str, str]:
    return _payload(
        name, tool_name=d.TOOL, tool_input=d.INPUT, tool_use_id=d.CALL_ID, cwd=d.NOWHERE, agent_message='""', **more
    )


def _observes(name: str, tools: str, note: str, filters: str = "", **payload: str) -> SourceEvent:
    """Make an event after which Cursor heeds no answer."""
    return SourceEvent(
        event="PostToolUse",
        payload=_payload(name, **payload),
        exit_2=False,
        tools=tools,
        filters=filters,
        when=d.SUCCEEDED,
        note=f"{name} is PostToolUse with the matcher {tools} here. {note}",
    )


EVENTS = {
    "preToolUse": SourceEvent(event="PreToolUse", payload=_tool("preToolUse"), answer=PERMISSION),
    "postToolUse": SourceEvent(
        event="PostToolUse",
        payload=_tool("postToolUse", tool_output=f"json.dumps({d.RESULT})", duration="0"),
        answer=POST,
        exit_2=False,
        when=d.SUCCEEDED,
        note=d.ONLY_SUCCESS,
    ),
    "postToolUseFailure": SourceEvent(
        event="PostToolUse",
        payload=_tool(
            "postToolUseFailure",
            error_message=d.RESULT_TEXT,
            failure_type='"error"',
            duration="0",
            is_interrupt="False",
        ),
        exit_2=False,
        when=d.FAILED,
        note="postToolUseFailure is PostToolUse here; the script lets tools that succeeded pass.",
    ),
    "beforeShellExecution": SourceEvent(
        event="PreToolUse",
        payload=_payload("beforeShellExecution", command=COMMAND, cwd=d.NOWHERE, sandbox="False"),
        answer=PERMISSION,
        tools=SHELL,
        filters=SHELL_COMMAND,
        note=f"beforeShellExecution is PreToolUse with the matcher {SHELL} here.",
    ),
    "afterShellExecution": _observes(
        "afterShellExecution",
        SHELL,
        "",
        SHELL_COMMAND,
        command=COMMAND,
        output=d.RESULT_TEXT,
        duration="0",
        sandbox="False",
    ),
    "beforeMCPExecution": SourceEvent(
        event="PreToolUse",
        payload=_payload("beforeMCPExecution", tool_name=MCP_NAME, tool_input=f"json.dumps({d.INPUT})"),
        answer=PERMISSION,
        tools=MCP,
        filters=MCP_NAME,
        note=f"beforeMCPExecution is PreToolUse with the matcher {MCP} here. The server's address is not known to it.",
    ),
    "afterMCPExecution": _observes(
        "afterMCPExecution",
        MCP,
        "",
        MCP_NAME,
        tool_name=MCP_NAME,
        tool_input=f"json.dumps({d.INPUT})",
        result_json=f"json.dumps({d.RESULT})",
        duration="0",
    ),
    "beforeReadFile": SourceEvent(
        event="PreToolUse",
        payload=_payload("beforeReadFile", file_path=PATH, content='""', attachments="[]"),
        answer=PERMISSION,
        tools=READ,
        note=f"beforeReadFile is PreToolUse with the matcher {READ} here. The file's content is not known to it: "
        "the field content is empty.",
    ),
    "afterFileEdit": _observes(
        "afterFileEdit", WRITE, "The edits are those of tool_input.", file_path=PATH, edits=EDITS
    ),
    "stop": SourceEvent(
        event="Stop",
        payload=_payload("stop", status='"completed"', loop_count='context["stop_rejection_count"]'),
        answer=STOP,
        exit_2=False,
        matcher=False,
        note="stop is Stop here; its follow-up message is the reason of a rejection.",
    ),
    "sessionStart": SourceEvent(
        event="Start",
        payload=_payload("sessionStart", session_id=d.THREAD, is_background_agent="False", composer_mode='"agent"'),
        answer='added = said.get("additional_context")',
        exit_2=False,
        matcher=False,
        note="sessionStart is Start here, which fires when a new thread starts.",
    ),
}
