"""What several products have in common: expressions for payloads, statements for answers, checks of handlers.

The texts run in the adapter, where `context` is ours, `said` is the command's JSON object, `own` its hookSpecificOutput
and `text` all that it printed.
"""

import shlex

from hooks.imports import commands
from hooks.imports.handler import Handler
from hooks.imports.source import Entry

THREAD = 'context.get("thread_id", "")'
TRANSCRIPT = 'context["execution_summary"]'
NOWHERE = '"/tmp"'
TOOL = 'context["tool_name"]'
INPUT = 'context["tool_input"]'
RESULT = 'context["tool_result"]'
RESULT_TEXT = f"{RESULT} if isinstance({RESULT}, str) else json.dumps({RESULT})"
CALL_ID = 'context.get("tool_use_id", "")'
ISO_TIME = 'time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())'
# A portal that does not know why a thread starts says `unknown`: it is a new one then.
SOURCE = '("startup" if context["source"] == "unknown" else context["source"])'
SUCCEEDED = 'context["tool_succeeded"]'
FAILED = 'not context["tool_succeeded"]'

REASON = 'reason = said.get("reason")\n'
CONTEXT = 'added = own.get("additionalContext")\n'
BLOCK = 'decision = "block" if said.get("decision") == "block" else None\n'
ASK_INSTEAD = """\
if {changed} and decision != "deny":
    decision, reason = "ask", "The hook would change the tool's input, which is not possible here."
"""
REPLACE_RESULT = """\
if {new} is not None:
    decision, reason = "block", {new} if isinstance({new}, str) else json.dumps({new})
"""
HALT_TOOL = """\
if said.get("continue") is False:
    decision, reason = "{word}", said.get("stopReason") or reason
"""
# Stopping the agent altogether is what a Stop hook that says nothing leads to.
HALT_STOP = """\
if said.get("continue") is False:
    decision = None"""

BACKGROUND = (
    "There, it runs in the background and cannot object; here, the agent would wait for it and heed its answer."
)
CONDITION = (
    "Its condition (if) has no equal, so it would run too often: check tool_input in COMMAND, then enable the hook."
)
ONLY_SUCCESS = "There it runs only when the tool succeeded; the script checks tool_succeeded."


def lines(*parts: str) -> str:
    """Join statements into one text."""
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts).rstrip("\n")


def command_of(handler: Handler) -> tuple[str, tuple[str, ...]]:
    """Return the command as one text, and why it cannot run in the sandbox."""
    command = handler.text("command")
    words = handler.texts("args")
    if not command.strip():
        handler.needs("command")
        return "", ()
    if words:
        # With arguments, the product starts the program without a shell.
        return shlex.join([command, *words]), commands.unable(" ".join([command, *map(_shown, words)]))
    return command, commands.unable(command)


def prompt_of(handler: Handler) -> str:
    """Return the prompt. A model of the product's is none of the portal's."""
    prompt, model = handler.text("prompt"), handler.text("model")
    if not prompt.strip():
        handler.needs("prompt")
    if model:
        handler.without_equal(f"Its model {model[:100]!r} is not one of the portal's: it is judged by ReasoningFast.")
    return prompt


def entry(handler: Handler, **values: object) -> Entry:
    """Make the entry of a handler, and note what of it nobody read."""
    matcher = handler.matcher()
    handler.note_rest()
    given = {"type": handler.kind(), "matcher": matcher, **values}
    return Entry(path=handler.path, source_event=handler.event, **given)  # type: ignore[arg-type]


def _shown(word: str) -> str:
    return word if "$" in word else shlex.quote(word)
