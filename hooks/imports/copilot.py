"""GitHub Copilot: `.github/hooks/*.json`, for its command line, its coding agent and VS Code.

https://docs.github.com/en/copilot/reference/hooks-configuration
Events in camelCase get a payload in camelCase; their PascalCase twins get one in snake_case.
"""

from dataclasses import replace

from hooks.imports import commands
from hooks.imports import dialect as d
from hooks.imports.handler import Handler
from hooks.imports.source import Entry, Product, SourceEvent

CAMEL = {"sessionId": d.THREAD, "timestamp": "int(time.time() * 1000)", "cwd": d.NOWHERE}
SNAKE = {"session_id": d.THREAD, "timestamp": d.ISO_TIME, "cwd": d.NOWHERE}
KIND = f'"success" if {d.SUCCEEDED} else "failure"'
BOTH = "both = {**said, **own}"
PRE = d.lines(
    BOTH,
    'decision = both.get("permissionDecision")',
    'reason = both.get("permissionDecisionReason")',
    'added = both.get("additionalContext")',
    d.ASK_INSTEAD.format(changed='("modifiedArgs" in both or "updatedInput" in both)'),
    d.HALT_TOOL.format(word="deny"),
)
POST = d.lines(
    BOTH,
    d.BLOCK,
    d.REASON,
    'added = both.get("additionalContext")',
    'new = both.get("modifiedResult")',
    'new = new.get("textResultForLlm", new) if isinstance(new, dict) else new',
    d.REPLACE_RESULT.format(new="new"),
    d.HALT_TOOL.format(word="block"),
)
STOP = d.lines(
    BOTH,
    'decision = "block" if both.get("decision") == "block" else None',
    'reason = both.get("reason")',
    d.HALT_STOP,
)
START = 'added = said.get("additionalContext") or own.get("additionalContext")'
ARGUMENTS = f"json.dumps({d.INPUT})"
PRE_NOTE = "Some versions deny the call when a hook fails; here that is failMode block, and the import sets allow."
EXIT_NOTE = "There, exit 2 is no objection on this event, so the script makes it a failure."


def _twins(
    camel: str, pascal: str, event: SourceEvent, short: dict[str, str], long: dict[str, str]
) -> dict[str, SourceEvent]:
    return {
        camel: replace(event, payload={**CAMEL, **short}),
        pascal: replace(event, payload={**SNAKE, "hook_event_name": f'"{pascal}"', **long}),
    }


EVENTS = {
    **_twins(
        "preToolUse",
        "PreToolUse",
        SourceEvent(event="PreToolUse", payload={}, answer=PRE, note=PRE_NOTE),
        {"toolName": d.TOOL, "toolArgs": ARGUMENTS},
        {"tool_name": d.TOOL, "tool_input": d.INPUT},
    ),
    **_twins(
        "postToolUse",
        "PostToolUse",
        SourceEvent(event="PostToolUse", payload={}, answer=POST, exit_2=False, note=EXIT_NOTE),
        {
            "toolName": d.TOOL,
            "toolArgs": ARGUMENTS,
            "toolResult": f'{{"resultType": {KIND}, "textResultForLlm": {d.RESULT_TEXT}}}',
        },
        {
            "tool_name": d.TOOL,
            "tool_input": d.INPUT,
            "tool_response": d.RESULT_TEXT,
            "tool_result": f'{{"result_type": {KIND}, "text_result_for_llm": {d.RESULT_TEXT}}}',
        },
    ),
    **_twins(
        "postToolUseFailure",
        "PostToolUseFailure",
        SourceEvent(
            event="PostToolUse",
            payload={},
            answer=POST,
            exit_2=False,
            when=d.FAILED,
            note=f"This event is PostToolUse here; the script lets tools that succeeded pass. {EXIT_NOTE}",
        ),
        {"toolName": d.TOOL, "toolArgs": ARGUMENTS, "error": d.RESULT_TEXT},
        {"tool_name": d.TOOL, "tool_input": d.INPUT, "error": d.RESULT_TEXT},
    ),
    **_twins(
        "agentStop",
        "Stop",
        SourceEvent(event="Stop", payload={}, answer=STOP, exit_2=False, matcher=False, note=EXIT_NOTE),
        {"transcriptPath": d.TRANSCRIPT, "stopReason": '"end_turn"'},
        {
            "transcript_path": d.TRANSCRIPT,
            "stop_reason": '"end_turn"',
            "stop_hook_active": 'context["stop_hook_active"]',
        },
    ),
    **_twins(
        "sessionStart",
        "SessionStart",
        SourceEvent(event="Start", payload={}, answer=START, exit_2=False, matcher=False),
        {"source": d.SOURCE, "initialPrompt": '""'},
        {"source": d.SOURCE, "initial_prompt": '""'},
    ),
}
OTHERS = (
    "sessionEnd userPromptSubmitted subagentStart subagentStop errorOccurred preCompact permissionRequest notification "
    "SessionEnd UserPromptSubmit SubagentStart SubagentStop ErrorOccurred PreCompact PermissionRequest Notification"
)


def read(handler: Handler) -> Entry | None:
    kind = handler.kind()
    if kind != "command":
        what = {"http": "calls a server", "prompt": "is sent to the agent as if a person had typed it"}
        handler.without_equal(
            f"A hook of type {kind[:40]!r}{f' {what[kind]}' if kind in what else ''}, "
            "which has no equal here: it was left out."
        )
        return None
    command, disabled = _command(handler)
    if handler.values.get("env"):
        disabled += ("Its env is left out: set what it needs at the beginning of COMMAND, then enable the hook.",)
    return d.entry(handler, command=command, timeout=handler.number("timeoutSec", "timeout"), disabled=disabled)


def _command(handler: Handler) -> tuple[str, tuple[str, ...]]:
    """Return the variant for bash, and why it cannot run."""
    command = handler.text("bash", "linux", "command", "osx")
    if command.strip():
        return command, commands.unable(command)
    other = handler.text("powershell", "windows")
    if not other.strip():
        handler.needs("bash")
    return other, ("It is written for PowerShell or Windows, which the sandbox does not have: write it for bash.",)


COPILOT = Product(
    key="copilot",
    title="GitHub Copilot",
    folders=(".github/hooks/", ".copilot/"),
    file="*.json",
    events=EVENTS,
    others=frozenset(OTHERS.split()),
    grouped=False,
    entry=read,
    anchored=True,
    marks=('"bash"', '"powershell"', '"timeoutSec"'),
    renamed={},
)
