"""A running portal, called as an agent calls it: with a token, on one kept connection per client."""

import http.client
import json
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from benchmarks.timing import Case

HOOK = "http, one python hook"
PATH = "/api/v2/hooks/evaluate"
CONTEXT = {"agent_name": "bench", "tool_name": "Bash", "tool_input": {"command": "ls -la /srv"}}
EVENT = {"hook_event_name": "PostToolUse", "tool_result": "ok", "tool_succeeded": True}


class Portal:
    def __init__(self, base: str, token: str, path: str = PATH) -> None:
        self._address = urlsplit(base)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._path = path
        self._local = threading.local()

    def post(self, body: bytes) -> dict[str, Any]:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(self._address.hostname or "", self._address.port)
            self._local.connection = connection
        connection.request("POST", self._path, body, self._headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{answer.status}: {text[:500]!r}")
        found: dict[str, Any] = json.loads(text)
        return found


def calling(portal: Portal, hooks: int, event: dict[str, Any]) -> Callable[[], None]:
    """Return a call that must find `hooks` hooks."""
    body = json.dumps(event).encode()

    def call() -> None:
        if (found := len(portal.post(body)["hooks"])) != hooks:
            raise SystemExit(
                f"{found} hooks matched, not {hooks}: the agent needs one Python hook on PostToolUse for Bash"
            )

    return call


def event(tool: str) -> dict[str, Any]:
    return {"context": {**EVENT, **CONTEXT, "tool_name": tool}}


def cases(portal: Portal) -> list[Case]:
    return [
        Case("http, no matching hook", calling(portal, 0, event("Nothing")), target=5.0),
        Case(HOOK, calling(portal, 1, event("Bash")), "python bare", 1.0),
    ]
