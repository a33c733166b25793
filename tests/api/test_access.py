"""Who may do what: every endpoint with every scope and role."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from portal.access import tokens
from portal.access.actors import Actor
from portal.access.models import ROLE_SCOPES, ApiToken
from portal.api import ApiView
from portal.audit.models import AuditEvent
from portal.urls import API
from tests.access_table import API as API_TABLE
from tests.access_table import OPEN
from tests.shell import ALL, STOP, Caller

pytestmark = pytest.mark.django_db
EVALUATIONS = "/api/v2/evaluations"
TABLE = {name: methods for name, methods in API_TABLE.items() if OPEN not in methods.values()}
PATHS = {
    "evaluate": "hooks/evaluate",
    "check": "hooks/check",
    "audit": "audit",
    "audit_verify": "audit/verify",
    "kill_switch": "killSwitch",
    "test_runs": "testRuns",
    "test_run": "testRuns/x",
    "test_run_cancel": "testRuns/x:cancel",
    "samples": "sampleContexts",
    "sample": "sampleContexts/x",
    "hooks": "extendedAgent/hooks",
    "hook": "extendedAgent/hooks/x",
    "hook_restore": "extendedAgent/hooks/x:restore",
    "hooks_reorder": "extendedAgent/hooks:reorder",
    "bundle": "extendedAgent/hooks:bundle",
    "versions": "extendedAgent/hooks/x/versions",
    "agents": "extendedAgent/agents",
    "agent": "extendedAgent/agents/x",
    "imports": "imports",
    "evaluations": "evaluations",
    "evaluation": "evaluations/x",
    "model_tiers": "modelTiers",
    "model_tier": "modelTiers/Fast",
    "tokens": "tokens",
    "token": "tokens/1",
    "threads": "../v1/threads",
    "thread": "../v1/threads/t",
    "thread_hooks": "../v1/threads/t/hooks",
    "thread_hook": "../v1/threads/t/hooks/x/activate",
}


def path(name: str) -> str:
    return f"/api/v2/{PATHS[name]}".replace("v2/../", "")


ENDPOINTS = [(name, method, scope) for name, scopes in TABLE.items() for method, scope in scopes.items()]


def test_every_endpoint_stands_in_the_table() -> None:
    found: dict[str, dict[str, str]] = {}
    for pattern in API:
        assert isinstance(pattern, URLPattern) and not isinstance(pattern, URLResolver)
        if pattern.name in API_TABLE and pattern.name not in TABLE:  # what the API is, not what it holds
            continue
        view: type[ApiView] = pattern.callback.view_class  # type: ignore[attr-defined]
        methods = {name.upper() for name in ("get", "post", "put", "delete", "patch") if hasattr(view, name)}
        assert set(view.scopes) == methods
        found[str(pattern.name)] = dict(view.scopes)
    assert found == TABLE


@pytest.mark.parametrize(("name", "method", "scope"), ENDPOINTS)
def test_tokens(name: str, method: str, scope: str, caller: Callable[..., Caller]) -> None:
    anonymous = Caller().call(method, path(name), {})
    assert (anonymous.status, anonymous.code) == (401, "Unauthorized")
    assert anonymous.headers["WWW-Authenticate"].startswith("Bearer")
    without = caller(*(one for one in ALL if one != scope)).call(method, path(name), {})
    assert (without.status, without.code) == (403, "Forbidden")
    assert repr(scope) in without.message
    assert caller(scope).call(method, path(name), {}).status not in (401, 403)


def browser(user: User) -> Caller:
    client = Client(enforce_csrf_checks=False)
    client.force_login(user)
    return Caller(client=client)


@pytest.mark.parametrize(("name", "method", "scope"), ENDPOINTS)
def test_people(name: str, method: str, scope: str, alice: User, bob: User, charlie: User, root: User) -> None:
    def allowed(user: User) -> bool:
        return browser(user).call(method, path(name), {}).status != 403

    assert allowed(root)
    assert allowed(alice) is (scope in ROLE_SCOPES["admin"])
    assert allowed(bob) is (scope in ROLE_SCOPES["editor"])
    assert not allowed(charlie)


@pytest.mark.parametrize(
    ("header", "word"),
    [
        ("Bearer", "malformed"),
        ("Bearer xyz", "malformed"),
        ("Bearer hk_a b", "malformed"),
        ("Bearer hk_ü", "malformed"),
        ("Basic abc", "scheme"),
        ("Bearer hk_nobodyhasthis", "unknown"),
        ("Bearer hk_\x00", "unknown"),
    ],
)
def test_tokens_that_are_none(agent: Agent, header: str, word: str) -> None:
    made = Caller()
    made.headers = {"Authorization": header}
    answer = made.get(EVALUATIONS)
    assert (answer.status, answer.code) == (401, "Unauthorized")
    assert word in answer.message


def test_tokens_that_ended(agent: Agent, by: Actor) -> None:
    token, secret = tokens.create_token(
        agent=agent, name="t", scopes=["read"], expires_at=timezone.now() + timedelta(1), by=by
    )
    assert Caller(secret).get(EVALUATIONS).status == 200
    ApiToken.objects.update(expires_at=timezone.now())
    assert "expired" in Caller(secret).get(EVALUATIONS).message
    tokens.revoke_token(token=token, by=by)
    tokens.revoke_token(token=token, by=by)
    assert "revoked" in Caller(secret).get(EVALUATIONS).message
    verbs = ["token.created", "token.revoked"]
    assert [event.verb for event in AuditEvent.objects.filter(object_type="token").order_by("sequence")] == verbs


def test_a_token_is_kept_as_a_hash(agent: Agent, by: Actor) -> None:
    token, secret = tokens.create_token(agent=agent, name="t", scopes=["read", "read"], by=by)
    assert secret.startswith(token.prefix)
    assert len(secret) > 40
    assert secret not in str(ApiToken.objects.values().get()) + str(list(AuditEvent.objects.values()))
    assert token.scopes == ["read"]


def test_use_is_noted_once_a_minute(agent: Agent, by: Actor) -> None:
    _, secret = tokens.create_token(agent=agent, name="t", scopes=["read"], by=by)
    Caller(secret).get(EVALUATIONS)
    first = ApiToken.objects.get().last_used_at
    Caller(secret).get(EVALUATIONS)
    assert ApiToken.objects.get().last_used_at == first is not None
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    Caller(secret).get(EVALUATIONS)
    assert ApiToken.objects.get().last_used_at >= first


def test_a_token_serves_its_own_agent_only(agent: Agent, caller: Callable[..., Caller], by: Actor) -> None:
    create_agent(name="other", by=by)
    assert caller().get(f"{EVALUATIONS}?agent=sre-agent").status == 200
    refused = caller().get(f"{EVALUATIONS}?agent=other")
    assert (refused.status, "sre-agent" in refused.message) == (403, True)


def test_people_choose_among_their_agents(agent: Agent, bob: User, root: User, by: Actor) -> None:
    other = create_agent(name="other", by=by)
    assert browser(bob).get(f"{EVALUATIONS}?agent=other").status == 403
    assert browser(bob).get(f"{EVALUATIONS}?agent=nobody").status == 403
    assert browser(bob).get(f"{EVALUATIONS}?agent=%00").status == 403
    made = browser(root).post("/api/v2/hooks/check?agent=other", {"context": STOP, "hooks": {}}).body["id"]
    assert other.evaluations.get().pk == made


def test_a_browser_needs_its_csrf_token(bob: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(bob)
    body = {"context": STOP, "hooks": {}}
    refused = Caller(client=client).post("/api/v2/hooks/check", body)
    assert (refused.status, refused.code) == (403, "Forbidden")
    assert "CSRF" in refused.message
    client.cookies["csrftoken"] = "a" * 32
    assert Caller(client=client).post("/api/v2/hooks/check", body, X_CSRFToken="a" * 32).status == 200
    assert Caller(client=client).post("/api/v2/hooks/check", raw="x" * 9, type="multipart/form-data").status in (
        403,
        415,
    )


def test_a_token_needs_none(caller: Callable[..., Caller], bob: User) -> None:
    made = caller()
    made.client = Client(enforce_csrf_checks=True)
    made.client.force_login(bob)
    assert made.post("/api/v2/hooks/check", {"context": STOP, "hooks": {}}).status == 200


def test_a_user_who_left_is_out(bob: User) -> None:
    made = browser(bob)
    User.objects.update(is_active=False)
    assert made.get(EVALUATIONS).status == 401


@pytest.mark.parametrize(
    "bad", [{"scopes": []}, {"scopes": ["all"]}, {"name": " "}, {"name": "x\x00"}, {"expires_at": timezone.now()}]
)
def test_tokens_are_made_soundly(agent: Agent, by: Actor, bad: dict[str, Any]) -> None:
    from hooks.engine.errors import Invalid

    with pytest.raises(Invalid):
        tokens.create_token(**{"agent": agent, "name": "x", "scopes": ["read"], "by": by, **bad})
    assert ApiToken.objects.count() == 0
