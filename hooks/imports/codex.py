"""Codex: hooks.json in `~/.codex` or `.codex`. https://developers.openai.com/codex/hooks"""

from hooks.imports import dialect as d
from hooks.imports.handler import Handler
from hooks.imports.source import Entry, Product, SourceEvent

COMMON = {
    "session_id": d.THREAD,
    "transcript_path": d.TRANSCRIPT,
    "cwd": d.NOWHERE,
    "model": '""',
    "permission_mode": '"default"',
}
TURN = {**COMMON, "turn_id": 'str(context["current_turn"])'}
# Allowing there does not override the approval policy, as it would here: so it is no opinion.
PRE = d.lines(
    'decision = own.get("permissionDecision") or {"block": "deny"}.get(said.get("decision"))',
    'decision = None if decision == "allow" else decision',
    'reason = own.get("permissionDecisionReason") or said.get("reason")',
    d.CONTEXT,
    d.ASK_INSTEAD.format(changed='"updatedInput" in own'),
    d.HALT_TOOL.format(word="deny"),
)
POST = d.lines(d.BLOCK, d.REASON, d.CONTEXT, d.HALT_TOOL.format(word="block"))
STOP = d.lines(d.BLOCK, d.REASON, d.HALT_STOP)
START = 'added = own.get("additionalContext") or (text if not said else None)'
TOOL = {"tool_name": d.TOOL, "tool_use_id": d.CALL_ID, "tool_input": d.INPUT}
EVENTS = {
    "PreToolUse": SourceEvent(
        event="PreToolUse",
        payload={**TURN, "hook_event_name": '"PreToolUse"', **TOOL},
        answer=PRE,
    ),
    "PostToolUse": SourceEvent(
        event="PostToolUse",
        payload={**TURN, "hook_event_name": '"PostToolUse"', **TOOL, "tool_response": d.RESULT},
        answer=POST,
    ),
    "Stop": SourceEvent(
        event="Stop",
        payload={
            **TURN,
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
OTHERS = "UserPromptSubmit PermissionRequest SubagentStart SubagentStop PreCompact PostCompact"


def read(handler: Handler) -> Entry | None:
    kind = handler.kind()
    if kind != "command":
        handler.without_equal(f"A hook of type {kind[:40]!r} is not run by Codex either: it was left out.")
        return None
    command, unable = d.command_of(handler)
    disabled = (d.BACKGROUND,) if handler.flag("async") else ()
    return d.entry(
        handler, command=command, timeout=handler.number("timeout", "timeoutSec"), disabled=unable + disabled
    )


CODEX = Product(
    key="codex",
    title="Codex",
    folders=(".codex/",),
    file="hooks.json",
    events=EVENTS,
    others=frozenset(OTHERS.split()),
    grouped=True,
    entry=read,
    seconds=600,
    marks=("CODEX_HOME", '"commandWindows"', '"command_windows"'),
    renamed={},
)
