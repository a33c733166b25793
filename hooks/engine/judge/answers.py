"""How the judge is told to answer, in words and as a JSON schema, for each event (R24, R25, R27).

A strict schema has every key required, so optional values are null. It cannot offer one key *or* another, hence it names one of
the two formats; on PreToolUse "no opinion" can only be said by leaving keys out, so that schema is not strict.
"""

from dataclasses import dataclass
from typing import Any

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_CONTEXT_OR_NULL = {"anyOf": [_object({"additionalContext": _TEXT_OR_NULL}), {"type": "null"}]}
_SIMPLE = _object({"ok": {"type": "boolean"}, "reason": _TEXT_OR_NULL})


def _decision(*words: str) -> dict[str, Any]:
    decision = {"type": "string", "enum": list(words)}
    return _object({"decision": decision, "reason": _TEXT_OR_NULL, "hookSpecificOutput": _CONTEXT_OR_NULL})


@dataclass(frozen=True, slots=True)
class Format:
    """`when` is what is happening, `words` how to answer, `schema` the same for a machine."""

    when: str
    words: str
    schema: dict[str, Any]
    strict: bool = True

    def json_schema(self) -> dict[str, Any]:
        """The value of `json_schema` in a chat-completions `response_format`."""
        return {"name": "verdict", "strict": self.strict, "schema": self.schema}


_CONTEXT = '"hookSpecificOutput": {"additionalContext": "..."}'
_ADD_CONTEXT = f"To tell the agent something more, put {_CONTEXT} beside decision.\n"
_BOTH = """\
{"ok": true} lets it pass; {"ok": false, "reason": "..."} rejects it.
The same in other words: {"decision": "allow"} and {"decision": "block", "reason": "..."}.
"""

STOP = Format(
    "The agent is about to return its final answer.",
    _BOTH + "A rejection needs a reason: the agent reads it and goes on working.\n",
    _SIMPLE,
)
_FORMATS = {
    "Stop": STOP,
    "PostToolUse": Format(
        "The agent has used a tool. The tool has already run; you judge its result.",
        _BOTH + "The agent reads the reason.\n" + _ADD_CONTEXT,
        _decision("allow", "block"),
    ),
    "PreToolUse": Format(
        "The agent is about to use a tool.",
        """\
{"ok": true} raises no objection; {"ok": false, "reason": "..."} denies the call.
Or {"decision": "deny", "reason": "..."} to deny it, {"decision": "ask", "reason": "..."} to have a person decide, and
{"decision": "allow"} to allow it even where the agent's own tool policy would not. Allow only what the rule tells you to allow.
"""
        + _ADD_CONTEXT,
        {"type": "object", "anyOf": [_SIMPLE, _decision("allow", "deny", "ask")]},
        strict=False,
    ),
    "Start": Format(
        "A new conversation with the agent starts. You cannot stop it; you can give the agent context.",
        f"{{{_CONTEXT}}} gives the agent that text; {{}} gives it nothing.\n",
        _object({"hookSpecificOutput": _CONTEXT_OR_NULL}),
    ),
}


def format_for(event: str) -> Format:
    """Return the format of `event`; an event without one of its own is judged as Stop is."""
    return _FORMATS.get(event, STOP)
