"""Gemini CLI: `.gemini/settings.json`. https://geminicli.com/docs/hooks/reference"""

from collections.abc import Collection, Mapping
from typing import Any

from hooks.imports import dialect as d
from hooks.imports.handler import Handler
from hooks.imports.source import EVERY, Entry, Product, SourceEvent

COMMON = {"session_id": d.THREAD, "transcript_path": d.TRANSCRIPT, "cwd": d.NOWHERE, "timestamp": d.ISO_TIME}
# Allowing there does not skip the confirmation, as it would here: so it is no opinion.
PRE = d.lines(
    'decision = {"deny": "deny", "block": "deny", "ask": "ask"}.get(said.get("decision"))',
    d.REASON,
    d.ASK_INSTEAD.format(changed='"tool_input" in own'),
    d.HALT_TOOL.format(word="deny"),
)
REFUSE = 'decision = "block" if said.get("decision") in ("deny", "block") else None'
POST = d.lines(REFUSE, d.REASON, d.CONTEXT, d.HALT_TOOL.format(word="block"))
STOP = d.lines(REFUSE, d.REASON, d.HALT_STOP)
TOOL = {"tool_name": d.TOOL, "tool_input": d.INPUT}
RESPONSE = (
    f'{{"llmContent": {d.RESULT}, "returnDisplay": {d.RESULT_TEXT}, '
    f'**({{}} if {d.SUCCEEDED} else {{"error": {{"message": {d.RESULT_TEXT}}}}})}}'
)
EVENTS = {
    "BeforeTool": SourceEvent(
        event="PreToolUse",
        payload={**COMMON, "hook_event_name": '"BeforeTool"', **TOOL},
        answer=PRE,
        note="BeforeTool is PreToolUse here.",
    ),
    "AfterTool": SourceEvent(
        event="PostToolUse",
        payload={**COMMON, "hook_event_name": '"AfterTool"', **TOOL, "tool_response": RESPONSE},
        answer=POST,
        note="AfterTool is PostToolUse here.",
    ),
    "AfterAgent": SourceEvent(
        event="Stop",
        payload={
            **COMMON,
            "hook_event_name": '"AfterAgent"',
            "prompt": 'context.get("prompt", "")',
            "prompt_response": 'context["final_output"]',
            "stop_hook_active": 'context["stop_hook_active"]',
        },
        answer=STOP,
        matcher=False,
        note="AfterAgent is Stop here. The user's prompt is not known to it: the field prompt is empty.",
    ),
    "SessionStart": SourceEvent(
        event="Start",
        payload={**COMMON, "hook_event_name": '"SessionStart"', "source": d.SOURCE},
        answer=d.CONTEXT.rstrip("\n"),
        exit_2=False,
        filters=d.SOURCE,
        note="SessionStart is Start here, which fires when a new thread starts.",
    ),
}
OTHERS = "BeforeAgent BeforeModel AfterModel BeforeToolSelection SessionEnd Notification PreCompress"


def read(handler: Handler) -> Entry | None:
    kind = handler.kind()
    if kind != "command":
        handler.without_equal(f"A hook of type {kind[:40]!r} has no equal here: it was left out.")
        return None
    command, unable = d.command_of(handler)
    milliseconds = handler.number("timeout")
    return d.entry(
        handler,
        command=command,
        timeout=None if milliseconds is None else milliseconds / 1000,
        name=handler.text("name"),
        description=handler.text("description"),
        disabled=unable,
    )


def off(root: Mapping[str, Any]) -> Collection[str]:
    """Return what `hooksConfig`, or its older place under `hooks`, turns off."""
    names: list[str] = []
    for place in (root.get("hooksConfig"), root.get("hooks")):
        if isinstance(place, Mapping):
            if place.get("enabled") is False:
                return (EVERY,)
            found = place.get("disabled")
            names += [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
    return names


GEMINI = Product(
    key="gemini",
    title="Gemini CLI",
    folders=(".gemini/",),
    file="settings.json",
    events=EVENTS,
    others=frozenset(OTHERS.split()),
    grouped=True,
    entry=read,
    words=False,
    seconds=60,
    marks=("GEMINI_PROJECT_DIR", '"hooksConfig"', '"sequential"'),
    renamed={},
    off=off,
    beside=frozenset({"enabled", "disabled", "notifications"}),
)
