"""The `openai` package behind the engine's ModelClient: any OpenAI-compatible server."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any

from hooks.engine.model import ModelFailed, ModelReply

if TYPE_CHECKING:
    from hooks.model_client.guarded import Guard

POLL_SECONDS = 0.1
GRACE_SECONDS = 1.0


class OpenAIClient:
    """Safe to use from many threads, and after a fork. `base_url` None means OpenAI itself; `api_key` may be empty.
    A `guard` has every address looked at before it is connected to.

    Requests run on one event loop in a thread of its own: only so can a deadline cut short a server that sends a byte
    now and then, and a cancelled run close its connection. Importing `openai` takes a second and much memory, so all of
    it begins with the first request.
    """

    def __init__(self, api_key: str, base_url: str | None, guard: "Guard | None" = None) -> None:
        self._key, self._base_url, self._guard = api_key, base_url, guard
        self._lock = threading.Lock()
        self._running: _Running | None = None

    def complete(
        self,
        *,
        deployment: str,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        json_schema: Mapping[str, Any] | None = None,
        timeout: float,
        cancelled: Callable[[], bool] | None = None,
    ) -> ModelReply:
        """Ask once, with one retry where that may help, within `timeout` seconds. Raises ModelFailed."""
        end = time.monotonic() + timeout
        request: dict[str, Any] = {"model": deployment, "messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        if json_schema is not None:
            request["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        running = self._started()
        answer = running.wire.ask(request, end - time.monotonic())
        return _result(asyncio.run_coroutine_threadsafe(answer, running.loop), end + GRACE_SECONDS, cancelled)

    def stream(
        self,
        *,
        deployment: str,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        timeout: float,
        on_text: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> ModelReply:
        """Ask as `complete` does; `on_text` gets the text as it comes, from another thread. Raises ModelFailed."""
        request: dict[str, Any] = {"model": deployment, "messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        running = self._started()
        end = time.monotonic() + timeout
        answer = running.wire.stream(request, timeout, on_text)
        return _result(asyncio.run_coroutine_threadsafe(answer, running.loop), end + GRACE_SECONDS, cancelled)

    def close(self) -> None:
        """Close the connections and end the thread. A later request opens new ones."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            running.stop()

    def _started(self) -> "_Running":
        with self._lock:
            # A forked process has a copy of the object, but not of the thread.
            if self._running is None or self._running.pid != os.getpid():
                self._running = _Running(self._key, self._base_url, self._guard)
            return self._running


class _Running:
    def __init__(self, api_key: str, base_url: str | None, guard: "Guard | None") -> None:
        from hooks.model_client.wire import Wire

        self.pid = os.getpid()
        self.wire = Wire(api_key, base_url, guard)
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="model-client", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.wire.close(), self.loop).result(GRACE_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


def _result(future: "Future[ModelReply]", end: float, cancelled: Callable[[], bool] | None) -> ModelReply:
    """Wait for the answer. The loop keeps the deadline itself; `end` is for the case that it is stuck."""
    while not wait([future], timeout=POLL_SECONDS if cancelled else end - time.monotonic()).done:
        if cancelled and cancelled():
            future.cancel()
            raise ModelFailed("the run was cancelled")
        if time.monotonic() >= end:
            future.cancel()
            raise ModelFailed("the model server did not answer in time", timed_out=True)
    return future.result()
