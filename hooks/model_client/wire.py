"""Requests to a chat-completions server. Importing this imports `openai`."""

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from hooks.engine.model import ModelFailed, ModelReply
from hooks.model_client import replies
from hooks.model_client.guarded import Guard, GuardedTransport
from hooks.model_client.pieces import Pieces
from portal.outbound import NotAllowed

OPENAI = "https://api.openai.com/v1"
RETRY_SECONDS = 0.5
BODY_LIMIT = 8 * 1024 * 1024
SECRET_LENGTH = 8  # a shorter key is a word such as "none", which a reply may well hold


class _MayHelpToRetry(ModelFailed):
    """`after` is how long the server asks to wait, in seconds; None where it says nothing."""

    def __init__(self, message: str, *, status: int | None = None, after: float | None = None) -> None:
        super().__init__(message, status=status)
        self.after = after


class Wire:
    """One pool of connections. All methods run on one event loop."""

    def __init__(self, api_key: str, base_url: str | None, guard: Guard | None = None) -> None:
        key = api_key.strip()
        self._redact = _redactor(key)
        self._secret = len(key) >= SECRET_LENGTH
        self._place = _place(base_url or OPENAI)
        self._client, self._fault = None, ""
        if not key.isprintable() or not key.isascii():
            # h11 would say so too, but with the key in its message.
            self._fault = "OPENAI_API_KEY holds characters that no HTTP header can carry"
            return
        try:
            self._client = openai.AsyncOpenAI(
                api_key=key or "none",
                base_url=base_url or OPENAI,
                max_retries=0,
                timeout=None,
                default_headers={"Accept-Encoding": "identity"},  # so that the limit counts what is parsed
                http_client=openai.DefaultAsyncHttpxClient(
                    timeout=None,
                    follow_redirects=False,  # the key goes where it was meant to go, and nowhere else
                    transport=GuardedTransport(guard, key) if guard else None,
                    event_hooks={"response": [_limit_body]},
                ),
            )
        except (httpx2.InvalidURL, ValueError) as error:
            self._fault = self._redact(f"the base URL of the model server is no URL: {error}")

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def ask(self, request: dict[str, Any], timeout: float) -> ModelReply:
        """Ask, and once more where that may help, within `timeout` seconds. Raises ModelFailed."""
        end = asyncio.get_running_loop().time() + timeout
        try:
            async with asyncio.timeout_at(end):
                try:
                    return await self._ask_once(request)
                except _MayHelpToRetry as failure:
                    await _pause(failure, end)
                return await self._ask_once(request)
        except TimeoutError:
            raise ModelFailed(f"{self._place} did not answer in time", timed_out=True) from None

    async def stream(self, request: dict[str, Any], timeout: float, on_text: Callable[[str], None]) -> ModelReply:
        """Ask for an answer piece by piece; `on_text` gets what is new of its text, on this loop. Raises ModelFailed.

        It asks once more only where nothing has come yet.
        """
        end = asyncio.get_running_loop().time() + timeout
        try:
            async with asyncio.timeout_at(end):
                try:
                    return await self._stream_once(request, on_text)
                except _MayHelpToRetry as failure:
                    await _pause(failure, end)
                return await self._stream_once(request, on_text)
        except TimeoutError:
            raise ModelFailed(f"{self._place} did not answer in time", timed_out=True) from None

    async def _stream_once(self, request: dict[str, Any], on_text: Callable[[str], None]) -> ModelReply:
        if self._client is None:
            raise ModelFailed(self._fault)
        pieces = Pieces(self._redact, on_text)
        try:
            # Not `chat.completions.create` here either. The header is what the package's own raw responses are asked for with.
            response = await self._client.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body={**request, "stream": True},
                options={"headers": {"X-Stainless-Raw-Response": "stream"}},
            )
            async with contextlib.aclosing(response):
                if "event-stream" not in response.headers.get("content-type", ""):
                    body = (await response.aread()).decode(
                        "utf-8", "replace"
                    )  # a server that does not know how to stream
                    return replies.read(self._redact(body) if self._secret else body)
                async for line in response.aiter_lines():
                    if pieces.take(line):
                        break
            return pieces.reply()
        except openai.APIStatusError as error:
            raise self._refused(error.response) from None
        except NotAllowed as refused:
            raise ModelFailed(str(refused)) from None
        except openai.APIConnectionError as error:
            raise _MayHelpToRetry(self._redact(f"no answer from {self._place}: {_root(error)}")) from None
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            raise ModelFailed(self._redact(f"the answer of {self._place} broke off: {error}")) from None
        except ValueError as error:
            raise ModelFailed(self._redact(f"{self._place} answered what is no chat completion: {error}")) from None

    async def _ask_once(self, request: dict[str, Any]) -> ModelReply:
        if self._client is None:
            raise ModelFailed(self._fault)
        try:
            # Not `chat.completions.create`, which would walk the whole request and reply as types: half of its time.
            body = (await self._client.post("/chat/completions", cast_to=httpx2.Response, body=request)).text
        except openai.APIStatusError as error:
            raise self._refused(error.response) from None
        except NotAllowed as refused:
            raise ModelFailed(str(refused)) from None
        except openai.APIConnectionError as error:
            raise _MayHelpToRetry(self._redact(f"no answer from {self._place}: {_root(error)}")) from None
        except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
            raise ModelFailed(self._redact(f"the request could not be made: {error}")) from None
        try:
            return replies.read(self._redact(body) if self._secret else body)
        except ValueError as error:
            raise ModelFailed(self._redact(f"{self._place} answered what is no chat completion: {error}")) from None

    def _refused(self, response: httpx2.Response) -> ModelFailed:
        message, status = self._redact(replies.error_message(response.text)), response.status_code
        if 300 <= status < 400:
            return ModelFailed(f"{self._place} redirects elsewhere, which is not followed", status=status)
        if status == 429 or status >= 500:
            return _MayHelpToRetry(message, status=status, after=replies.retry_after(response.headers))
        return ModelFailed(message, status=status)


def _root(error: openai.APIConnectionError) -> str:
    """Say what the operating system said, if it said something: the layers above it only say that something failed."""
    inner: BaseException | None = error.__cause__
    words = str(inner) or type(inner).__name__
    while inner is not None:
        if isinstance(inner, OSError) and inner.errno:
            words = os.strerror(inner.errno) if isinstance(inner, ConnectionError) else str(inner)
        inner = inner.__cause__ or inner.__context__
    return words


async def _pause(failure: _MayHelpToRetry, end: float) -> None:
    delay = RETRY_SECONDS if failure.after is None else failure.after
    left = end - asyncio.get_running_loop().time()
    if delay >= left:
        asked = f" (it asks to wait {delay:.3g} s, and {left:.3g} s are left)" if failure.after is not None else ""
        raise ModelFailed(failure.message + asked, status=failure.status)
    await asyncio.sleep(delay)


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > BODY_LIMIT:
                raise httpx2.ReadError(f"the answer is longer than {BODY_LIMIT:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _limit_body(response: httpx2.Response) -> None:
    assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - tells mypy which of the two kinds it is
    response.stream = _Limited(response.stream)


def _redactor(key: str) -> Callable[[str], str]:
    if not key:
        return lambda text: text
    anywhere = len(key) >= SECRET_LENGTH
    pattern = re.compile(re.escape(key) if anywhere else rf"(?<!\w){re.escape(key)}(?!\w)")
    return lambda text: pattern.sub("[redacted]", text)


def _place(base_url: str) -> str:
    """Return host and port alone: the rest of a base URL may hold a password or a key."""
    try:
        parts = urlsplit(base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname or "the model server"
    except ValueError:
        return "the model server"
