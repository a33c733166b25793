"""Where settings meet the engine: the sandbox, the judge, the syntax check. One of each per process."""

from functools import cache

from django.conf import settings

from hooks.engine.fields import TIERS
from hooks.engine.judge import NO_MODEL, Judge
from hooks.engine.model import Deployment, ModelClient
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.protocol import Sandbox
from hooks.engine.syntax import SyntaxChecker


@cache
def sandbox() -> Sandbox:
    """The runner of this machine. Holds no connection, so it may be built before a fork."""
    return RunnerSandbox(settings.SANDBOX_SOCKET)


@cache
def judge() -> Judge:
    return Judge(_client(), resolve)


@cache
def syntax() -> SyntaxChecker:
    return SyntaxChecker(sandbox())


def _client() -> ModelClient | None:
    if not model_is_configured():
        return None
    from hooks.model_client import OpenAIClient

    return OpenAIClient(settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL or None)


def model_is_configured() -> bool:
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


def resolve(model: str) -> Deployment:
    """Find the deployment of a tier; any other name is a deployment's own."""
    tier = next((name for name in TIERS if name.lower() == model.lower()), None)
    if tier is None:
        return Deployment(model)
    return Deployment(settings.MODEL_TIERS.get(tier) or settings.DEFAULT_DEPLOYMENT, tier=tier)


def reset() -> None:
    """Forget what was built, so that changed settings count. For tests."""
    for built in (sandbox, judge, syntax):
        built.cache_clear()


__all__ = ["NO_MODEL", "judge", "model_is_configured", "reset", "resolve", "sandbox", "syntax"]
