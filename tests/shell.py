"""What tests of the Django shell share: the cast, their ways in, a real sandbox and a scripted model.

Load it in a conftest.py: `from tests.shell import *`. The cast: alice is an admin of the agent, bob an editor, charlie has
no role at all, and superuser root is an admin everywhere.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from agents.services import create_agent
from hooks import runtime
from hooks.engine import yamldoc
from hooks.engine.sandbox.client import RunnerSandbox
from portal.access.actors import Actor
from portal.access.members import set_role
from portal.access.tokens import create_token
from tests.sandbox_fixture import sandbox as runner
from tests.scripted_model import ScriptedModel

__all__ = ["agent", "alice", "api", "bob", "by", "caller", "charlie", "model", "root", "runner", "sandboxed"]

BY = Actor.system("a test")
ALL = ("read", "evaluate", "write", "admin")
STOP = {"hook_event_name": "Stop", "agent_name": "sre-agent", "final_output": "Here is my response."}
TOOL = {
    "hook_event_name": "PostToolUse",
    "agent_name": "sre-agent",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_result": "a.txt",
    "tool_succeeded": True,
}


@dataclass(frozen=True)
class Answer:
    """A response of the API. `body` is the parsed JSON or YAML; None where there is none."""

    status: int
    headers: dict[str, str]
    body: Any
    text: str

    @property
    def code(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def message(self) -> str:
        return str(self.body["error"]["message"])

    @property
    def targets(self) -> list[str]:
        return [detail["target"] for detail in self.body["error"]["details"]]


class Caller:
    """A program that calls the API, with a token unless it is None."""

    def __init__(self, token: str | None = None, client: Client | None = None) -> None:
        self.client = client or Client()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | str | None = None,
        type: str = "application/json",
        accept: str = "application/json",
        parse: bool = True,
        **headers: str,
    ) -> Answer:
        if raw is None:
            raw = "" if body is None else yamldoc.dump(body) if "yaml" in type else json.dumps(body)
        given = {**self.headers, "Accept": accept, **{name.replace("_", "-"): value for name, value in headers.items()}}
        response = self.client.generic(method, path, raw, content_type=type, headers=given)
        text = response.content.decode()
        kind = response.headers.get("Content-Type", "") if parse else ""
        parsed = (
            json.loads(text) if "json" in kind and text else yamldoc.load(text) if "yaml" in kind and text else None
        )
        return Answer(response.status_code, dict(response.headers), parsed, text)

    def get(self, path: str, **options: Any) -> Answer:
        return self.call("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> Answer:
        return self.call("POST", path, body, **options)

    def put(self, path: str, body: Any = None, **options: Any) -> Answer:
        return self.call("PUT", path, body, **options)

    def delete(self, path: str, **options: Any) -> Answer:
        return self.call("DELETE", path, **options)


@pytest.fixture
def by() -> Actor:
    return BY


@pytest.fixture
def agent(db: None) -> Agent:
    return create_agent(name="sre-agent", is_default=True, by=BY)


@pytest.fixture
def caller(agent: Agent) -> Callable[..., Caller]:
    """Make a caller whose token has these scopes, or all of them."""

    def make(*scopes: str, of: Agent = agent) -> Caller:
        _, secret = create_token(agent=of, name="test", scopes=scopes or ALL, by=BY)
        return Caller(secret)

    return make


@pytest.fixture
def api(caller: Callable[..., Caller]) -> Caller:
    """A caller that may do everything."""
    return caller()


def person(name: str, agent: Agent, role: str | None, **more: Any) -> User:
    user = User.objects.create_user(name, password="correct-horse", **more)
    set_role(agent=agent, user=user, role=role, by=BY)
    return user


@pytest.fixture
def alice(agent: Agent) -> User:
    return person("alice", agent, "admin")


@pytest.fixture
def bob(agent: Agent) -> User:
    return person("bob", agent, "editor")


@pytest.fixture
def charlie(agent: Agent) -> User:
    return person("charlie", agent, None)


@pytest.fixture
def root(agent: Agent) -> User:
    return person("root", agent, None, is_superuser=True)


@pytest.fixture
def sandboxed(runner: RunnerSandbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunnerSandbox]:
    """Command hooks run in a real sandbox."""
    monkeypatch.setattr(settings, "SANDBOX_SOCKET", type(settings.SANDBOX_SOCKET)(runner._path))
    runtime.reset()
    yield runner
    runtime.reset()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """Prompt hooks are judged by a model that says what the test scripts."""
    with ScriptedModel() as scripted:
        monkeypatch.setattr(settings, "OPENAI_BASE_URL", scripted.url)
        monkeypatch.setattr(settings, "OPENAI_API_KEY", "sk-test")
        runtime.reset()
        yield scripted
        runtime.reset()


def command(source: str, **options: Any) -> dict[str, Any]:
    """Options of a command hook."""
    return {"type": "command", "command": source, **options}


def envelope(name: str, event: str, hook: dict[str, Any], **properties: Any) -> dict[str, Any]:
    """The body of a PUT of an agent-level hook."""
    return {"name": name, "type": "GlobalHook", "properties": {"eventType": event, "hook": hook, **properties}}


def put_hook(api: Caller, name: str, event: str, hook: dict[str, Any], **properties: Any) -> Answer:
    """Store an agent-level hook, which must be accepted."""
    answer = api.put(f"/api/v2/extendedAgent/hooks/{name}", envelope(name, event, hook, **properties))
    assert answer.status in (200, 201), answer.text
    return answer


def put_agent(api: Caller, name: str, hooks: dict[str, Any], **spec: Any) -> Answer:
    """Store a custom agent, which must be accepted."""
    body = {"name": name, "type": "ExtendedAgent", "properties": {"instructions": "Help.", **spec, "hooks": hooks}}
    answer = api.put(f"/api/v2/extendedAgent/agents/{name}", body)
    assert answer.status in (200, 201), answer.text
    return answer
