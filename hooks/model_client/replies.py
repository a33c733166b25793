"""Read what chat-completions servers answer. They differ, so nothing is taken for granted but what is checked here."""

import json
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from hooks.engine import strictjson
from hooks.engine.model import ModelReply, ToolCall

EXCERPT = 1000
_TITLE = re.compile(r"<title[^>]*>([^<]{1,300})", re.IGNORECASE)


def read(body: str) -> ModelReply:
    """Parse a chat completion. Raises ValueError with what is wrong, or with the error that came with status 200."""
    answer = _parsed(body)
    if not isinstance(answer, dict):
        raise ValueError(_excerpt(body) or "an empty body")
    if answer.get("error"):
        raise ValueError(error_message(body))
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ValueError(f"it holds no message: {_excerpt(body)}")
    text, refused = _content(message.get("content"))
    refusal, finish, usage = message.get("refusal"), choice.get("finish_reason"), answer.get("usage")
    return ModelReply(
        text=text,
        tool_calls=_tool_calls(message.get("tool_calls")),
        finish_reason=finish if isinstance(finish, str) else None,
        refusal=strictjson.clean(refusal) if isinstance(refusal, str) and refusal else refused,
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
    )


def error_message(body: str) -> str:
    """Return the server's own words, at most EXCERPT characters. Servers differ in where they put them."""
    answer = _parsed(body)
    if not isinstance(answer, dict):
        title = _TITLE.search(body) if body.lstrip().startswith("<") else None
        return title[1].strip() if title else _excerpt(body) or "(no message)"
    error = answer.get("error")
    found = error if isinstance(error, dict) else answer
    for words in (found.get("message"), error, answer.get("detail")):
        if isinstance(words, str) and words:
            param = found.get("param")
            named = f" ({param})" if isinstance(param, str) and param not in words else ""
            return _excerpt(strictjson.clean(words)) + named[:100]
    return _excerpt(body)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: 0 for a time that is past, None where it says nothing useful."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        return None if math.isnan(seconds) else max(seconds, 0.0)
    try:
        return max(parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return None


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _content(content: object) -> tuple[str | None, str | None]:
    """Return (text, refusal) of a content that is a string, a list of parts, or absent."""
    if content is None or isinstance(content, str):
        return (strictjson.clean(content) if content else content), None
    if not isinstance(content, list):
        raise ValueError("its content is neither a text nor a list of parts")
    parts = [part for part in content if isinstance(part, dict)]
    text, refusal = (
        "".join(part[kind] for part in parts if isinstance(part.get(kind), str)) for kind in ("text", "refusal")
    )
    return strictjson.clean(text), strictjson.clean(refusal) or None


def _tool_calls(found: object) -> tuple[ToolCall, ...]:
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(call, dict) for call in found):
        raise ValueError("its tool_calls are no list of objects")
    return tuple(_tool_call(call, number) for number, call in enumerate(found, 1))


def _tool_call(call: dict[str, Any], number: int) -> ToolCall:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    name, arguments, known_as = function.get("name"), function.get("arguments"), call.get("id")
    if not isinstance(arguments, str):
        # Some servers send the object itself instead of its text.
        arguments = "" if arguments is None else json.dumps(arguments)
    return ToolCall(
        id=strictjson.clean(known_as) if isinstance(known_as, str) and known_as else f"call_{number}",
        name=strictjson.clean(name) if isinstance(name, str) else "",
        arguments=strictjson.clean(arguments),
    )


def _count(usage: object, key: str) -> int:
    count = usage.get(key) if isinstance(usage, dict) else None
    return count if type(count) is int and 0 <= count < 2**31 else 0


def _excerpt(text: str) -> str:
    text = text.strip()
    return text if len(text) <= EXCERPT else text[:EXCERPT] + "…"
