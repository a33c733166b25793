"""How the judge is told to answer, in words and as a JSON schema: both follow from the event's entry (R24, R25, R27).

A strict schema has every key required, so optional values are null, and it names one of the two formats. Where silence
is an answer of its own (PreToolUse), only leaving keys out says it, so that schema is not strict.
"""

from typing import Any

from hooks.engine.events import Event

_TEXT_OR_NULL = {"type": ["string", "null"]}
_CONTEXT = '"hookSpecificOutput": {"additionalContext": "..."}'
_MEANING = {
    "allow": "lets it pass",
    "block": "rejects it",
    "deny": "denies it",
    "ask": "has a person decide",
}
_OVERRIDES = "permits it even where the agent's own policy would not: use it only where the rule says so"


def words_for(event: Event) -> str:
    """Return the instructions for answering, a line each."""
    if not event.can_refuse:
        return f"{{{_CONTEXT}}} tells the agent that; {{}} tells it nothing."
    lines = ['{"ok": true} raises no objection; {"ok": false, "reason": "..."} objects. In other words:']
    for word in _decisions(event):
        meaning = _OVERRIDES if word == "allow" and event.silent == "none" else _MEANING[word]
        lines.append(f'{{"decision": "{word}", "reason": "..."}} {meaning}.')
    lines.append("An objection needs a reason, which the agent reads; else the reason may be left out.")
    if event.context:
        lines.append(f"To tell the agent something more, put {_CONTEXT} beside decision.")
    return "\n".join(lines)


def schema_for(event: Event) -> dict[str, Any]:
    """Return the value of `json_schema` in the `response_format` of a chat completion."""
    context = {"anyOf": [_object({"additionalContext": _TEXT_OR_NULL}), {"type": "null"}]}
    simple = _object({"ok": {"type": "boolean"}, "reason": _TEXT_OR_NULL})
    decision = {"type": "string", "enum": _decisions(event)}
    extended = _object({"decision": decision, "reason": _TEXT_OR_NULL, "hookSpecificOutput": context})
    if not event.can_refuse:
        schema = _object({"hookSpecificOutput": context})
    elif event.silent == "none":
        schema = {"type": "object", "anyOf": [simple, extended]}
    else:
        schema = extended if event.context else simple
    return {"name": "verdict", "strict": "anyOf" not in schema, "schema": schema}


def _decisions(event: Event) -> list[str]:
    """Return the words that stand for themselves, without those that are read as another."""
    return [word for word, outcome in event.verdicts.items() if word == outcome]


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
