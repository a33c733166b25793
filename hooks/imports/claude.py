"""Claude Code: `.claude/settings.json` and `settings.local.json`, and the hooks.json of its plugins.

https://code.claude.com/docs/en/hooks
"""

from hooks.imports import dialect as d
from hooks.imports.handler import Handler
from hooks.imports.source import Entry, Product, SourceEvent

COMMON = {"session_id": d.THREAD, "transcript_path": d.TRANSCRIPT, "cwd": d.NOWHERE, "permission_mode": '"default"'}
PRE = d.lines(
    'decision = own.get("permissionDecision") or {"approve": "allow", "block": "deny"}.get(said.get("decision"))',
    'decision = "ask" if decision == "defer" else decision',
    'reason = own.get("permissionDecisionReason") or said.get("reason")',
    d.CONTEXT,
    d.ASK_INSTEAD.format(changed='"updatedInput" in own'),
    d.HALT_TOOL.format(word="deny"),
)
POST = d.lines(
    d.BLOCK,
    d.REASON,
    d.CONTEXT,
    'new = own.get("updatedToolOutput", own.get("updatedMCPToolOutput"))',
    d.REPLACE_RESULT.format(new="new"),
    d.HALT_TOOL.format(word="block"),
)
STOP = d.lines(d.BLOCK, d.REASON, d.HALT_STOP)
START = 'added = own.get("additionalContext") or (text if not said else None)'
NO_EQUAL = {
    "http": "An http hook calls a server, and hooks here have no network",
    "mcp_tool": "An mcp_tool hook calls a server, and hooks here have no network",
    "agent": "An agent hook works with tools on the project, and a prompt hook here reads the transcript only",
}


def _tool(name: str, **more: str) -> dict[str, str]:
    return {
        **COMMON,
        "hook_event_name": f'"{name}"',
        "tool_name": d.TOOL,
        "tool_input": d.INPUT,
        "tool_use_id": d.CALL_ID,
        **more,
    }


EVENTS = {
    "PreToolUse": SourceEvent(event="PreToolUse", payload=_tool("PreToolUse"), answer=PRE),
    "PostToolUse": SourceEvent(
        event="PostToolUse",
        payload=_tool("PostToolUse", tool_response=d.RESULT),
        answer=POST,
        when=d.SUCCEEDED,
        note=f"{d.ONLY_SUCCESS} There, a block leaves the result visible beside the reason; here it withholds it.",
    ),
    "PostToolUseFailure": SourceEvent(
        event="PostToolUse",
        payload=_tool("PostToolUseFailure", error=d.RESULT_TEXT, is_interrupt="False"),
        answer=POST,
        when=d.FAILED,
        note="PostToolUseFailure is PostToolUse here; the script lets tools that succeeded pass.",
    ),
    "Stop": SourceEvent(
        event="Stop",
        payload={
            **COMMON,
            "hook_event_name": '"Stop"',
            "stop_hook_active": 'context["stop_hook_active"]',
            "last_assistant_message": 'context["final_output"]',
        },
        answer=STOP,
        matcher=False,
    ),
    "SessionStart": SourceEvent(
        event="Start",
        payload={**COMMON, "hook_event_name": '"SessionStart"', "source": d.SOURCE},
        answer=START,
        filters=d.SOURCE,
        note="SessionStart is Start here, which fires when a new thread starts.",
    ),
}
OTHERS = (
    "ConfigChange CwdChanged Elicitation ElicitationResult FileChanged InstructionsLoaded Notification PermissionDenied "
    "PermissionRequest PostCompact PostToolBatch PreCompact SessionEnd Setup StopFailure SubagentStart SubagentStop "
    "TaskCompleted TaskCreated TeammateIdle UserPromptExpansion UserPromptSubmit WorktreeCreate WorktreeRemove"
)


def read(handler: Handler) -> Entry | None:
    kind = handler.kind()
    if kind in NO_EQUAL:
        handler.without_equal(f"{NO_EQUAL[kind]}: it was left out.")
        return None
    timeout = handler.number("timeout")
    disabled: tuple[str, ...] = (d.CONDITION,) if handler.text("if") else ()
    if kind == "prompt":
        return _prompt(handler, timeout, disabled)
    command, unable = d.command_of(handler)
    shell = handler.text("shell")
    if shell and shell != "bash":
        unable = (f"It is written for {shell[:40]!r}, which the sandbox does not have: write it for bash.",)
    if handler.flag("async") or handler.flag("asyncRewake"):
        disabled += (d.BACKGROUND,)
    return d.entry(handler, command=command, timeout=timeout, disabled=unable + disabled)


def _prompt(handler: Handler, timeout: float | None, disabled: tuple[str, ...]) -> Entry:
    if handler.event == "PostToolUseFailure":
        disabled += ("Here it would also judge tools that succeeded: say in the prompt when it is to object.",)
    return d.entry(handler, prompt=d.prompt_of(handler), timeout=30 if timeout is None else timeout, disabled=disabled)


CLAUDE = Product(
    key="claude",
    title="Claude Code",
    folders=(".claude/",),
    file="settings.json",
    events=EVENTS,
    others=frozenset(OTHERS.split()),
    grouped=True,
    entry=read,
    seconds=600,
    marks=("CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", '"permissions"', '"disableAllHooks"', '"enabledPlugins"'),
    renamed={
        "tool_response": "tool_result",
        "last_assistant_message": "final_output",
        "session_id": "thread_id",
        "transcript_path": "execution_summary",
    },
)
