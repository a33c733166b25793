"""An OpenAI-compatible chat-completions server that says what a test scripts.

A real HTTP server on 127.0.0.1, so that the client under test goes over a real connection. Replies are taken in the
order in which requests arrive; when none is left, the answer is status 500, so that a test notices.

    with ScriptedModel() as model:
        model.script("some text", call("ReadFile", path="/x"), failure(429, "slow down", {"Retry-After": "1"}))
        OpenAIClient("key", model.url)
        assert model.requests[0]["model"] == "small"
"""

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

DRIP_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One scripted answer: `body` as bytes, after `sleep` seconds.

    `drip` ("headers" or "body") sends a byte there now and then, for ever; `drop` closes without an answer.
    To a request that asks for a stream a completion comes in pieces, `pace` seconds apart; `broken` ends it half-way.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    sleep: float = 0.0
    drip: str = ""
    drop: bool = False
    pace: float = 0.0
    broken: bool = False


def said(
    text: Any,
    *,
    finish: str | None = "stop",
    sleep: float = 0.0,
    usage: Any = None,
    message: dict[str, Any] | None = None,
) -> Reply:
    """A completion whose content is `text`; `message` is merged into its message."""
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110} if usage is None else usage
    whole = {"role": "assistant", "content": text, **(message or {})}
    return answered({"choices": [{"index": 0, "message": whole, "finish_reason": finish}], "usage": usage}, sleep=sleep)


def answered(body: Any, **options: Any) -> Reply:
    """A reply with status 200 whose body is the JSON of `body`."""
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted"}
    return Reply(body=json.dumps(whole | body if isinstance(body, dict) else body).encode(), **options)


def call(tool: str, /, *, text: str | None = None, **arguments: Any) -> Reply:
    """A completion that calls one tool."""
    return calls((tool, json.dumps(arguments)), text=text)


def calls(*wanted: tuple[str, Any], text: str | None = None) -> Reply:
    """A completion that calls several tools, each (name, arguments as they are sent)."""
    found = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(wanted)
    ]
    return said(text, finish="tool_calls", message={"tool_calls": found})


def failure(status: int, message: str = "scripted error", headers: dict[str, str] | None = None, **error: Any) -> Reply:
    body = {"error": {"message": message, "type": "scripted", **error}}
    return Reply(body=json.dumps(body).encode(), status=status, headers=headers or {})


class ScriptedModel:
    """`requests` holds the bodies of all requests so far; `headers` (names in lower case) and `times` go with them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._replies: list[Reply] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def script(self, *replies: str | Reply) -> None:
        """Add replies; a string is the text of a completion."""
        with self._lock:
            self._replies += [said(reply) if isinstance(reply, str) else reply for reply in replies]

    def take(self, request: dict[str, Any], headers: dict[str, str]) -> Reply:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            return self._replies.pop(0) if self._replies else failure(500, "no reply is left in the script")


class _Server(ThreadingHTTPServer):
    model: ScriptedModel
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # the client gave up, as some tests want it to


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.model.take(request, {name.lower(): value for name, value in self.headers.items()})
        if self.server.model.closing.wait(reply.sleep) or reply.drop:
            self.close_connection = True
            return
        if reply.drip:
            self._drip(b"\r\n\r\n" if reply.drip == "body" else b"\r\nX-Slow: ")
            return
        if request.get("stream") and reply.status == 200 and reply.content_type == "application/json":
            self._stream(reply)
            return
        self.send_response(reply.status)
        standard = {"Content-Type": reply.content_type, "Content-Length": str(len(reply.body))}
        for name, value in (standard | reply.headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def _stream(self, reply: Reply) -> None:
        """Send a completion in pieces, as servers do: texts and arguments cut up, calls by their index."""
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        choice = json.loads(reply.body)["choices"][0]
        message, text = choice["message"], choice["message"]["content"] or ""
        deltas: list[dict[str, Any]] = [{"content": text[at : at + 8]} for at in range(0, len(text), 8)]
        for index, call in enumerate(message.get("tool_calls") or ()):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            first = {"index": index, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}
            half = len(arguments) // 2
            parts = [{"index": index, "function": {"arguments": part}} for part in (arguments[:half], arguments[half:])]
            deltas += [{"tool_calls": [piece]} for piece in (first, *parts)]
        for delta in deltas[: len(deltas) // 2] if reply.broken else deltas:
            self._piece({"index": 0, "delta": delta, "finish_reason": None})
            if self.server.model.closing.wait(reply.pace):
                return
        if not reply.broken:
            self._piece({"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]})
            self.wfile.write(b"data: [DONE]\n\n")

    def _piece(self, choice: dict[str, Any]) -> None:
        self.wfile.write(
            b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n"
        )
        self.wfile.flush()

    def _drip(self, start: bytes) -> None:
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999999" + start)
        while not self.server.model.closing.wait(DRIP_SECONDS):
            self.wfile.write(b" ")
