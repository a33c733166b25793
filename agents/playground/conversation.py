"""What was said so far, made from a thread's entries: the transcript that hooks get, and the messages that a model is sent."""

from collections.abc import Iterable, Sequence
from typing import Any

from agents.models import ThreadEntry
from hooks.services.requests import TRANSCRIPT_LIMIT

Kind = ThreadEntry.Kind
SAID = (Kind.USER, Kind.INJECTED, Kind.ASSISTANT, Kind.CALL, Kind.RESULT)
RESULT_LIMIT = 50_000
NOT_RUN = "The call was not carried out."
CUT = "The beginning of the conversation is left out, since it is too long."


def said(entries: Any) -> list[ThreadEntry]:
    """Read the entries that are part of the conversation, in order. What was cut off is none."""
    return list(entries.filter(kind__in=SAID).exclude(state="partial").order_by("number"))


def transcript(entries: Sequence[ThreadEntry]) -> list[dict[str, str]]:
    """Write turns of {role, text}, an answer that is being judged included. What is too long loses its beginning."""
    turns: list[dict[str, str]] = []
    left = TRANSCRIPT_LIMIT // 8  # each character may take four bytes, and each line four more for its indent
    for entry in reversed(entries):
        role, text = _turn(entry)
        left -= len(text) + len(role) + 3
        if left < 0 and turns:
            turns.append({"role": "portal", "text": CUT})
            break
        turns.append({"role": role, "text": text})
    return turns[::-1]


def _turn(entry: ThreadEntry) -> tuple[str, str]:
    if entry.kind == Kind.CALL:
        return "tool call", f"{entry.data['tool']} {entry.text}"
    if entry.kind == Kind.RESULT:
        return "tool", seen(entry)
    return ("assistant" if entry.kind == Kind.ASSISTANT else "user"), entry.text


def seen(result: ThreadEntry) -> str:
    """What the agent sees of a result: one that is withheld is replaced by the reason."""
    return str(result.data["instead"]) if result.state == "withheld" else str(result.text)


def messages(entries: Sequence[ThreadEntry]) -> list[dict[str, Any]]:
    """Write messages of the chat-completions format.

    A turn with calls is followed by exactly one result for each, as servers demand; what was injected meanwhile comes after.
    """
    results = {entry.data["call"]: entry for entry in entries if entry.kind == Kind.RESULT}
    found: list[dict[str, Any]] = []
    done: set[Any] = set()
    waiting: list[dict[str, Any]] = []
    for entry in entries:
        group = entry.data.get("group")
        if entry.kind in (Kind.ASSISTANT, Kind.CALL) and group not in done:
            found += waiting
            waiting = []
            found += _group([one for one in entries if one.data.get("group") == group], results)
            done.add(group)
        elif entry.kind in (Kind.USER, Kind.INJECTED):
            waiting.append({"role": "user", "content": entry.text})
    return found + waiting


def _group(turn: Iterable[ThreadEntry], results: dict[int, ThreadEntry]) -> list[dict[str, Any]]:
    """Write one turn of the agent: its text, its calls, and what came of them."""
    text, calls = "", []
    for entry in turn:
        if entry.kind == Kind.ASSISTANT:
            text = entry.text
        else:
            calls.append(entry)
    if not calls:
        return [{"role": "assistant", "content": text}]
    wanted = [
        {
            "id": call.data["id"],
            "type": "function",
            # Chat templates parse the arguments of past calls, and fail on those that are no object.
            "function": {"name": call.data["tool"], "arguments": "{}" if call.data.get("unread") else call.text},
        }
        for call in calls
    ]
    answers = [
        {"role": "tool", "tool_call_id": call.data["id"], "content": _bounded(results.get(call.number))}
        for call in calls
    ]
    return [{"role": "assistant", "content": text or None, "tool_calls": wanted}, *answers]


def _bounded(result: ThreadEntry | None) -> str:
    if result is None:
        return NOT_RUN
    text = seen(result)
    if len(text) <= RESULT_LIMIT:
        return text
    return f"{text[:RESULT_LIMIT]}\n[{len(text) - RESULT_LIMIT:,} more characters are left out]"
