"""A running portal, called as an agent calls it: with a token, on one kept connection per client."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.scripts import SOURCES
from benchmarks.timing import Case
from tests.stack import Stack

ONE, TEN, NONE = "http, one python hook", "http, ten at one level", "http, no matching hook"
EVALUATE, HOOKS = "/api/v2/hooks/evaluate", "/api/v2/extendedAgent/hooks"
AGENT = "sre-agent"
TOOLS = {ONE: ("One", 1), TEN: ("Ten", 10), NONE: ("Nothing", 0)}  # the tool of the event, and how many hooks match it


class Portal:
    def __init__(self, base: str, token: str) -> None:
        self._address = urlsplit(base)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._local = threading.local()

    def call(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        try:
            answer = self._sent(method, path, body)
        except ConnectionError:  # kept for too long, and closed by the server
            answer = self._sent(method, path, body)
        text = answer.read()
        if answer.status not in (200, 201):
            raise SystemExit(f"{answer.status}: {text[:500]!r}")
        found: dict[str, Any] = json.loads(text)
        return found

    def _sent(self, method: str, path: str, body: bytes) -> http.client.HTTPResponse:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(self._address.hostname or "", self._address.port)
            self._local.connection = connection
        try:
            connection.request(method, path, body, self._headers)
            answer: http.client.HTTPResponse = connection.getresponse()
        except OSError:
            self._local.connection = None
            raise
        return answer

    def add_hooks(self) -> None:
        """Save a Python hook for one tool, and ten for another."""
        for tool, count in TOOLS.values():
            for number in range(count):
                hook = {"type": "command", "script": SOURCES["python"], "matcher": tool}
                body = {"properties": {"eventType": "PostToolUse", "hook": hook}}
                self.call("PUT", f"{HOOKS}/bench-{tool.lower()}-{number}", json.dumps(body).encode())

    def evaluating(self, case: str) -> Callable[[], None]:
        """Return a call that must find as many hooks as the case is about."""
        tool, hooks = TOOLS[case]
        context = {"hook_event_name": "PostToolUse", "agent_name": AGENT, "tool_name": tool, "tool_result": "ok"}
        context |= {"tool_input": {"command": "ls -la /srv"}, "tool_succeeded": True}
        body = json.dumps({"context": context}).encode()

        def call() -> None:
            found = self.call("POST", EVALUATE, body)["hooks"]
            if [one["outcome"] for one in found] != ["allow"] * hooks:
                raise SystemExit(f"not {hooks} hooks that allow: {found}")

        return call

    def cases(self) -> list[Case]:
        return [
            Case(NONE, self.evaluating(NONE), target=5.0, aim=2.0),
            Case(ONE, self.evaluating(ONE), "python bare", 1.0, 0.6, full=True),
            Case(TEN, self.evaluating(TEN), ONE, 4.0, 2.5, full=True),
        ]


@contextmanager
def running() -> Iterator[tuple[Portal, Path, dict[str, int]]]:
    """Start a portal as bin/up does; return it, the socket of its sandbox's runner, and its processes."""
    with Stack("--no-demo") as stack:
        scopes = ("--scope", "write", "--scope", "evaluate")
        token = stack.manage("create_token", "--agent", AGENT, "--name", "benchmark", *scopes)
        portal = Portal(stack.url, token)
        portal.add_hooks()
        yield portal, stack.data / "run" / "sandbox.sock", stack.pids()
