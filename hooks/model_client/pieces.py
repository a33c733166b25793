"""A chat completion that comes in pieces, put together again. Servers differ in how they cut it up."""

import json
from collections.abc import Callable
from typing import Any

from hooks.engine.model import ModelReply
from hooks.model_client import replies

CALLS_LIMIT = 1000


class Pieces:
    """Takes the lines of an event stream. `redact` is applied to what is whole, so that no cut can hide a secret."""

    def __init__(self, redact: Callable[[str], str], on_text: Callable[[str], None]) -> None:
        self._redact, self._on_text = redact, on_text
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish: str | None = None
        self._ended = False

    def take(self, line: str) -> bool:
        """Read one line; tell whether it was the last. Raises ValueError for what is none of a completion."""
        name, _, data = line.partition(":")
        if name.strip() != "data" or not data.strip():
            return False
        if data.strip() == "[DONE]":
            self._ended = True
            return True
        chunk = json.loads(data)
        if not isinstance(chunk, dict):
            raise ValueError("a piece of it is no object")
        if chunk.get("error"):
            raise ValueError(replies.error_message(data))
        choices = chunk.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._choice(choices[0])
        return False

    def _choice(self, choice: dict[str, Any]) -> None:
        if isinstance(choice.get("finish_reason"), str):
            self._finish = choice["finish_reason"]
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, dict):
            return
        if isinstance(delta.get("content"), str) and delta["content"]:
            self._text.append(delta["content"])
            self._on_text(delta["content"])
        if isinstance(delta.get("refusal"), str):
            self._refusal.append(delta["refusal"])
        calls = delta.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict):
                self._call(call, place)

    def _call(self, piece: dict[str, Any], place: int) -> None:
        index = piece.get("index")
        key = index if type(index) is int else place
        if key not in self._calls and len(self._calls) >= CALLS_LIMIT:
            raise ValueError(f"it makes more than {CALLS_LIMIT:,} calls")
        call = self._calls.setdefault(key, {"id": "", "function": {"name": "", "arguments": ""}})
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        if isinstance(piece.get("id"), str):
            call["id"] = call["id"] or piece["id"]
        if isinstance(function.get("name"), str):
            call["function"]["name"] += function["name"]
        arguments = function.get("arguments")
        if arguments is not None:
            call["function"]["arguments"] += arguments if isinstance(arguments, str) else json.dumps(arguments)

    def reply(self) -> ModelReply:
        """Put it together. Raises ValueError where the stream ended before the completion did."""
        if not self._ended and self._finish is None:
            raise ValueError("it ended before the answer was whole")
        calls = [self._calls[key] for key in sorted(self._calls)]
        message = {"content": "".join(self._text) or None, "refusal": "".join(self._refusal) or None}
        choice = {"message": {**message, "tool_calls": calls or None}, "finish_reason": self._finish}
        return replies.read(self._redact(json.dumps({"choices": [choice]}, ensure_ascii=False)))
