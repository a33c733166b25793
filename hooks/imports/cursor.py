"""Cursor: hooks.json in `~/.cursor` or `.cursor`. https://cursor.com/docs/hooks"""

from hooks.imports import dialect as d
from hooks.imports.cursor_events import EVENTS
from hooks.imports.handler import Handler
from hooks.imports.source import Entry, Product

OTHERS = (
    "sessionEnd subagentStart subagentStop beforeSubmitPrompt preCompact afterAgentResponse afterAgentThought "
    "beforeTabFileRead afterTabFileEdit workspaceOpen"
)


def read(handler: Handler) -> Entry | None:
    kind = handler.kind()
    if kind not in ("command", "prompt"):
        handler.without_equal(f"A hook of type {kind[:40]!r} has no equal here: it was left out.")
        return None
    source = EVENTS[handler.event]
    disabled: tuple[str, ...] = ()
    command = prompt = ""
    if kind == "command":
        command, disabled = d.command_of(handler)
    else:
        prompt = d.prompt_of(handler)
        if not source.answer or source.filters or source.when:
            disabled = ("A prompt has no script to limit it as Cursor does: say in the prompt when it is to object.",)
    return d.entry(
        handler,
        command=command,
        prompt=prompt,
        timeout=handler.number("timeout"),
        fail_mode="block" if handler.flag("failClosed") and source.event != "Start" else "allow",
        limit=_limit(handler),
        disabled=disabled,
    )


def _limit(handler: Handler) -> int | None:
    """Return how many follow-ups in a row a stop hook may send: 5 unless it says otherwise; null means no limit."""
    limit = handler.number("loop_limit")
    if handler.event != "stop" or ("loop_limit" in handler.values and limit is None):
        return None
    return 5 if limit is None else max(int(limit), 0)


CURSOR = Product(
    key="cursor",
    title="Cursor",
    folders=(".cursor/",),
    file="hooks.json",
    events=EVENTS,
    others=frozenset(OTHERS.split()),
    grouped=False,
    entry=read,
    words=False,
    marks=('"failClosed"', '"loop_limit"', "CURSOR_PROJECT_DIR"),
    renamed={
        "tool_output": "tool_result",
        "conversation_id": "thread_id",
        "loop_count": "stop_rejection_count",
        "transcript_path": "execution_summary",
    },
)
