"""One verdict's talk with the model: tool calls, the one extra request, and what went wrong."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.engine import strictjson
from hooks.engine.errors import ErrorCode, HookError
from hooks.engine.judge import tools
from hooks.engine.judge.messages import Fence
from hooks.engine.judge.reply import call_in_text, holds_object, only_object
from hooks.engine.model import ModelCall, ModelClient, ModelFailed, ModelReply, ToolCall

TOOL_CALLS_LIMIT = 20
MESSAGE_LIMIT = 2000
KEPT_LIMIT = 20_000  # characters of a reply, or of the arguments of a call, that are kept in the record
_SCHEMA_WORDS = ("response_format", "json_schema", "schema")
_CUT_OFF = {"length": "it was cut off at the token limit", "content_filter": "the provider's content filter cut it off"}
_INSIST = "Now give your verdict: exactly one JSON object in the format you were told, and nothing else."


class GaveUp(Exception):
    """There is no verdict."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.error = HookError(code, message)


@dataclass(slots=True, kw_only=True)
class Conversation:
    """`json_schema` None asks in plain text. `deadline` is in seconds of time.monotonic()."""

    client: ModelClient
    call: ModelCall
    messages: list[dict[str, Any]]
    json_schema: Mapping[str, Any] | None
    transcript: str
    fence: Fence
    deadline: float
    cancelled: Callable[[], bool] | None
    started: float = field(default_factory=time.monotonic)
    schema_refused: bool = False

    def verdict(self) -> dict[str, Any]:
        """Talk until the model gives one object. Raises GaveUp."""
        offered = bool(self.transcript)
        while True:
            reply = self._ask(offered)
            text = reply.text or ""
            if offered and reply.tool_calls:
                self._answer_calls(reply)
            elif offered and (wanted := call_in_text(text)):
                self._answer_text_call(text, *wanted)
            elif offered and not holds_object(text):
                offered = False
                self._say("assistant", text.strip() or "(no answer)")  # some servers refuse an empty message
                self._say("user", _INSIST)
            else:
                return _object_in(reply)

    def _ask(self, offer_tools: bool) -> ModelReply:
        try:
            reply = self._complete(offer_tools)
        except ModelFailed as failure:
            raise self._given_up(failure) from None
        self.call.prompt_tokens += reply.prompt_tokens
        self.call.completion_tokens += reply.completion_tokens
        self.call.raw = strictjson.clean(reply.text or reply.refusal or "")[:KEPT_LIMIT] or None
        if reply.refusal and reply.refusal.strip():
            raise GaveUp("model_error", f"the model refused: {reply.refusal[:MESSAGE_LIMIT]}")
        if reply.finish_reason not in (None, "", "stop", "tool_calls"):
            why = _CUT_OFF.get(reply.finish_reason, f"it ended for the reason {reply.finish_reason[:100]!r}")
            raise GaveUp("output_not_json", f"the judge's answer is not whole: {why}{_tail(reply.text)}")
        return reply

    def _complete(self, offer_tools: bool) -> ModelReply:
        """Ask once; some servers refuse a schema, and those are asked again in plain text. Raises ModelFailed."""
        offered = tools.TOOLS if offer_tools else ()
        # Some servers suppress tool calls where a schema is sent too.
        schema = None if offer_tools or self.schema_refused else self.json_schema
        try:
            return self._request(offered, schema)
        except ModelFailed as failure:
            if schema is None or not _names_schema(failure):
                raise
        reply = self._request(offered, None)
        self.schema_refused = True
        return reply

    def _request(self, offered: tuple[dict[str, Any], ...], schema: Mapping[str, Any] | None) -> ModelReply:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise ModelFailed("no time left", timed_out=True)
        if self.cancelled and self.cancelled():
            raise ModelFailed("cancelled")
        return self.client.complete(
            deployment=self.call.deployment,
            messages=self.messages,
            tools=offered,
            json_schema=schema,
            timeout=left,
            cancelled=self.cancelled,
        )

    def _given_up(self, failure: ModelFailed) -> GaveUp:
        if self.cancelled and self.cancelled():
            return GaveUp("model_error", "the run was cancelled")
        if failure.timed_out:
            return GaveUp("timeout", f"the judge gave no verdict within {max(self.deadline - self.started, 0):.3g} s")
        answered = f"the model server answered {failure.status}: " if failure.status else ""
        return GaveUp("model_error", (answered + strictjson.clean(failure.message))[:MESSAGE_LIMIT])

    def _answer_calls(self, reply: ModelReply) -> None:
        calls = [(call, _arguments(call.arguments)) for call in reply.tool_calls]
        self.messages.append(
            {"role": "assistant", "content": reply.text, "tool_calls": [_echo(call, known) for call, known in calls]}
        )
        for call, arguments in calls:
            result = self._run_tool(call.name, arguments, call.arguments)
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

    def _answer_text_call(self, text: str, name: str, arguments: dict[str, Any]) -> None:
        self._say("assistant", text)
        self._say("user", f"{name} returned:\n{self._run_tool(name, arguments, json.dumps(arguments))}")

    def _run_tool(self, name: str, arguments: dict[str, Any] | None, written: str) -> str:
        if len(self.call.tool_calls) == TOOL_CALLS_LIMIT:
            raise GaveUp("model_error", f"the judge made more than {TOOL_CALLS_LIMIT} tool calls and gave no verdict")
        kept = arguments if arguments is not None and len(written) <= KEPT_LIMIT else written[:KEPT_LIMIT]
        self.call.tool_calls.append({"name": name[:100], "arguments": kept})
        return self.fence.round(tools.run(name, arguments, self.transcript))

    def _say(self, role: str, text: str) -> None:
        self.messages.append({"role": role, "content": text})


def _object_in(reply: ModelReply) -> dict[str, Any]:
    text = reply.text or ""
    if reply.tool_calls and not text.strip():
        names = ", ".join(call.name[:100] for call in reply.tool_calls[:3])
        raise GaveUp("output_not_json", f"the judge called tools that it was not offered ({names}) and gave no verdict")
    try:
        return only_object(text).value
    except ValueError as error:
        raise GaveUp("output_not_json", str(error)) from None


def _names_schema(failure: ModelFailed) -> bool:
    return failure.status in (400, 422) and any(word in failure.message.lower() for word in _SCHEMA_WORDS)


def _arguments(text: str) -> dict[str, Any] | None:
    try:
        found = strictjson.loads(text) if text.strip() else {}
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _echo(call: ToolCall, known: dict[str, Any] | None) -> dict[str, Any]:
    # Chat templates parse the arguments of past calls, and fail on those that are no object.
    arguments = call.arguments if known else "{}"
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tail(text: str | None) -> str:
    text = (text or "").strip()
    return f": …{text[-200:]}" if text else ""
