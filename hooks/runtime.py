"""Where settings meet the engine: the sandbox, the judge, the syntax check. One of each per process."""

import socket
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import Any

from django.conf import settings

from hooks import model_servers
from hooks.engine.fields import TIERS
from hooks.engine.judge import NO_MODEL, Judge
from hooks.engine.model import Deployment
from hooks.engine.results import Candidate
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.protocol import LANGUAGES, Sandbox
from hooks.engine.sandbox.selftest import Check as SandboxCheck
from hooks.engine.sandbox.selftest import selftest as run_selftest
from hooks.engine.syntax import SyntaxChecker
from hooks.model_client import OpenAIClient
from hooks.models import ModelTier
from portal import outbound
from portal.health import Check

GOOD_FOR, BAD_FOR = 60.0, 5.0
_plain: set[tuple[str, str]] = set()


@cache
def sandbox() -> Sandbox:
    """The runner of this machine. Holds no connection, so it may be built before a fork."""
    return RunnerSandbox(settings.SANDBOX_SOCKET)


def judge(agent: Any = None, among: Sequence[Candidate] = ()) -> Judge:
    """The judge, with the tiers of an agent as they are now (R11), which are read only where a prompt is `among` the hooks.

    Without an agent it has the tiers of the environment.
    """
    asked = agent is not None and any(one.spec is not None and one.spec.type == "prompt" for one in among)
    rows = {row.tier: row for row in ModelTier.objects.filter(agent=agent)} if asked else {}
    return Judge(client(), partial(resolve, rows=rows), _plain)


@cache
def syntax() -> SyntaxChecker:
    return SyntaxChecker(sandbox())


@cache
def client() -> OpenAIClient | None:
    """The connection to the model server; None where none is configured."""
    if not model_is_configured():
        return None
    return OpenAIClient(settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL or None)


def model_is_configured() -> bool:
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


def resolve(model: str, *, rows: Mapping[str, ModelTier] = MappingProxyType({})) -> Deployment:
    """Find the deployment of a tier: that of its row, else of the environment. Any other name is a deployment's own."""
    tier = next((name for name in TIERS if name.lower() == model.lower()), None)
    if tier is None:
        return Deployment(model)
    name, row = settings.MODEL_TIERS.get(tier) or settings.DEFAULT_DEPLOYMENT, rows.get(tier)
    if row is None:
        return Deployment(name, tier=tier)
    server = model_servers.client_of(row.base_url) if row.base_url else None
    return Deployment(row.deployment or name, tier, row.price_in, row.price_out, server, row.base_url)


def player(agent: Any, model: str) -> tuple[OpenAIClient | None, str]:
    """What plays an agent in the playground: the connection and the deployment. None where no model is configured."""
    deployment = resolve(model, rows={row.tier: row for row in ModelTier.objects.filter(agent=agent)})
    server = deployment.client
    return (server if isinstance(server, OpenAIClient) else client()), deployment.name


class _SelfTest:
    """The sandbox's self-test, which is not repeated at each look: a good result counts for a minute, a bad one for 5 s."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._result: list[SandboxCheck] = []
        self._until = 0.0

    def __call__(self) -> list[SandboxCheck]:
        with self._lock:
            if time.monotonic() >= self._until:
                self._result = run_selftest(sandbox())
                self._until = time.monotonic() + (GOOD_FOR if all(one.ok for one in self._result) else BAD_FOR)
            return self._result

    def forget(self) -> None:
        self._until = 0.0


selftest = _SelfTest()


def check_sandbox() -> Check:
    """Answer /readyz. A runner that is gone is noticed at once, whatever the last self-test said."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as knock:
            knock.settimeout(2)
            knock.connect(str(settings.SANDBOX_SOCKET))
    except OSError as error:
        return Check(False, f"The sandbox's runner does not answer at {settings.SANDBOX_SOCKET}: {error}")
    failed = [one for one in selftest() if not one.ok]
    if failed:
        return Check(False, "; ".join(f"{one.check}: {one.detail}" if one.detail else one.check for one in failed))
    return Check(True, f"{len(selftest())} checks of the self-test passed{_made_in_advance()}")


def sandbox_state() -> dict[str, Any] | None:
    """Ask the runner how it is: `running`, `queued`, and `pool` as engine/sandbox/pool.py reports it. None where it is away."""
    try:
        return RunnerSandbox(settings.SANDBOX_SOCKET).status()
    except (OSError, ValueError):
        return None


def _made_in_advance() -> str:
    state = sandbox_state()
    if state is None:
        return ""
    pool = state["pool"]
    counts = ", ".join(f"{name} {pool[name]['ready']} of {pool[name]['size']}" for name in LANGUAGES)
    return f"; ready in advance: {counts}" + (f" ({pool['fault']})" if pool["fault"] else "")


def check_model() -> Check:
    """Answer /readyz. Without a model all but prompt hooks works, so it is not needed."""
    if not model_is_configured():
        return Check(False, NO_MODEL, needed=False)
    place = outbound.place_of(settings.OPENAI_BASE_URL)  # the rest of the URL may hold a password, and anybody may ask
    return Check(True, place.shown if place else "OpenAI" if not settings.OPENAI_BASE_URL else "no URL", needed=False)


def reset() -> None:
    """Close and forget what was built, so that changed settings count. For tests."""
    if client.cache_info().currsize and (open_client := client()):
        open_client.close()
    for built in (sandbox, syntax, client):
        built.cache_clear()
    model_servers.close()
    _plain.clear()
    selftest.forget()
