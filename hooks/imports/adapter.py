"""The script around an imported command: our context in, the product's fields for the command; its answer back to ours.

Written in Python, since what commands print is not always JSON, and jq is not the same program on every machine.
The answer goes through a file: a pipe would stay open as long as a stray child of the command lives.
"""

import re
from collections.abc import Iterator

from hooks.imports.reading import Level
from hooks.imports.source import Entry, Product, SourceEvent

_PROGRAM = '''\
#!/usr/bin/env python3
"""Imported from {title}: {path}.

COMMAND is as it was there. Around it, the portal's context is turned into the fields that it reads,
and what it prints into an answer that the portal reads.
"""
{imports}

PROGRAM = "bash"
COMMAND = {command}

context = json.load(sys.stdin)
{gates}payload = {{
{payload}
}}
with open("/tmp/.answer", "w+b") as file:
    done = subprocess.run([PROGRAM, "-c", COMMAND], input=json.dumps(payload).encode(), stdout=file)
    file.seek(0)
    answer = file.read()
{ended}
'''
_REFUSES = """\
if done.returncode:
    sys.stdout.buffer.write(answer)
    sys.exit(done.returncode if done.returncode > 0 else 128 - done.returncode)
"""
# There, exit 2 is no objection on this event; here it would be one.
_ONLY_FAILS = """\
if done.returncode:
    sys.exit(1 if done.returncode == 2 else done.returncode if done.returncode > 0 else 128 - done.returncode)
"""
_ANSWER = """\
text = answer.decode("utf-8", "replace").strip()
said = json.loads(text) if text.startswith("{{") else {{}}
own = said.get("hookSpecificOutput") or {{}}
decision = reason = added = None
{answer}
reply = {{"decision": decision, "reason": reason}}
if added:
    reply["hookSpecificOutput"] = {{"additionalContext": added}}
print(json.dumps({{key: value for key, value in reply.items() if value is not None}}))"""
_OUTPUTS = {
    "systemMessage": "it is shown to nobody here.",
    "suppressOutput": "the portal records all output.",
    "tailToolCallRequest": "hooks here do not call tools.",
    "clearContext": "hooks here do not clear a conversation.",
}
_CHANGES_INPUT = re.compile(r"updatedInput|modifiedArgs|updated_input|\btool_input(?=\\?[\"']?\s*:)")
_CHANGES_RESULT = re.compile(r"updatedToolOutput|updatedMCPToolOutput|modifiedResult|updated_mcp_tool_output")
_CONTINUE = re.compile(r"\bcontinue\\?[\"']\s*:\s*false")


def script(product: Product, source: SourceEvent, entry: Entry) -> str:
    """Write the script."""
    gates = "".join(f"if not ({gate}):\n    sys.exit()\n" for gate in _gates(product, source, entry))
    body = "".join([gates, *source.payload.values()])
    imports = [name for name in ("re", "time") if f"{name}." in body]
    ended = (_REFUSES if source.exit_2 else _ONLY_FAILS) + (
        _ANSWER.format(answer=source.answer) if source.answer else ""
    )
    return _PROGRAM.format(
        title=product.title,
        path=entry.path,
        imports="\n".join(f"import {name}" for name in sorted([*imports, "json", "subprocess", "sys"])),
        command=_literal(entry.command),
        gates=gates,
        payload="\n".join(f'    "{key}": {expression},' for key, expression in source.payload.items()),
        ended=ended.rstrip("\n"),
    )


def outputs_without_equal(command: str, source: SourceEvent) -> Iterator[tuple[Level, str]]:
    """Yield (level, message) for what the command seems to print and the portal cannot do."""
    for word, what in _OUTPUTS.items():
        if word in command:
            yield "no_equal", f"Its answer's {word} has no equal: {what}"
    if source.event == "PreToolUse" and (found := _CHANGES_INPUT.search(command)):
        yield "check", f"A hook here cannot change a tool's input: an answer with {found[0]} asks a person."
    if source.event == "PostToolUse" and (found := _CHANGES_RESULT.search(command)):
        yield "check", f"Its {found[0]} becomes a block whose reason is the new result."
    if _CONTINUE.search(command):
        yield (
            "check",
            "There, continue: false ends the agent's run; here it refuses this one event (on Stop: lets it end).",
        )


def _gates(product: Product, source: SourceEvent, entry: Entry) -> Iterator[str]:
    if source.when:
        yield source.when
    if source.filters and entry.matcher:
        yield f"re.fullmatch({_literal(entry.matcher)}, {source.filters}, re.DOTALL)"
    if source.event == "Stop" and entry.limit is not None:
        yield f"context['stop_rejection_count'] < {entry.limit}"


def _literal(text: str) -> str:
    """Write a text as Python: raw where that can be read, so that people can edit it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\n" not in text and "\\" not in text:
        return repr(text)
    if "'''" in text or not all(char.isprintable() or char in "\n\t" for char in text):
        return repr(text)
    if "\n" in text:
        return f"r'''\n{text}\n'''"
    return f"r'''{text}'''" if text[-1] not in "\\'" else repr(text)
