"""Settings → API tokens, and tokens as resources of the API."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from portal.access import tokens
from portal.access.actors import Actor
from portal.access.models import ApiToken
from portal.audit.models import AuditEvent
from tests.pages import HTMX, words
from tests.shell import Answer, Caller, command, put_hook

FILLED = {"name": "deploy bot", "scopes": ["read", "write"], "expires": "30", "day": ""}
TOKENS = "/api/v2/tokens"


@pytest.fixture
def as_alice(signed_in: Callable[[User], Client], alice: User) -> Client:
    """alice, an admin, at her browser."""
    return signed_in(alice)


def secret_in(page: Any) -> str:
    return str(page.content.decode().split('id="secret"')[1].split(">")[1].split("<")[0])


def test_it_works(as_alice: Client, agent: Agent) -> None:
    assert "No API tokens yet" in words(as_alice.get("/tokens/"))
    page = as_alice.post("/tokens/create", FILLED)
    assert "it is shown this once" in words(page) and "no-store" in page.headers["Cache-Control"]
    secret, token = secret_in(page), ApiToken.objects.get()
    assert secret.startswith(token.prefix) and secret.startswith("hk_")
    assert (token.name, token.scopes, token.created_by) == ("deploy bot", ["read", "write"], "alice")
    assert abs(token.expires_at - timezone.now() - timedelta(days=30)) < timedelta(minutes=1)  # type: ignore[operator]
    listed = as_alice.get("/tokens/")
    assert secret not in listed.content.decode()
    for said in ("deploy bot", token.prefix, "read write", "alice", "Never", "Active"):
        assert said in words(listed)
    assert Caller(secret).get("/api/v2/evaluations").status == 200
    assert "refused from the next request on" in words(as_alice.get(f"/tokens/{token.pk}/revoke"))
    assert as_alice.post(f"/tokens/{token.pk}/revoke").status_code == 303
    assert "revoked" in Caller(secret).get("/api/v2/evaluations").message
    assert "No token is in use" in words(as_alice.get("/tokens/"))
    assert "Revoked" in words(as_alice.get("/tokens/?show=ended"))
    events = AuditEvent.objects.filter(object_type="token").order_by("sequence")
    assert [(event.verb, event.actor_text) for event in events] == [
        ("token.created", "alice"),
        ("token.revoked", "alice"),
    ]
    assert secret not in str(list(AuditEvent.objects.values())) + str(list(ApiToken.objects.values()))


def test_a_script_gets_the_form_alone(as_alice: Client) -> None:
    page = as_alice.post("/tokens/create", FILLED, headers=HTMX)
    assert page.content.decode().lstrip().startswith('<section id="token-form"')
    assert secret_in(page).startswith("hk_")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": ""}, "Name must have 1 to 100 characters"),
        ({"name": "x" * 101}, "Name must have 1 to 100 characters"),
        ({"name": "a\u202eb"}, "all of them printable"),
        ({"scopes": []}, "Scopes must hold at least one of read, evaluate, write, admin"),
        ({"scopes": ["all"]}, "is no scope"),
        ({"expires": ""}, "Choose when it expires"),
        ({"expires": "<b>"}, "Choose when it expires"),
        ({"expires": "day", "day": ""}, "Give the last day"),
        ({"expires": "day", "day": "2027-02-30"}, "Give the last day"),
        ({"expires": "day", "day": "2001-01-01"}, "Expires must be in the future"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_made(as_alice: Client, changed: dict[str, Any], said: str) -> None:
    page = as_alice.post("/tokens/create", FILLED | changed)
    assert page.status_code == 422
    assert said in words(page) and "Not saved: 1 fault" in words(page)
    assert not ApiToken.objects.exists()


def test_it_may_last_for_ever_or_to_the_end_of_a_day(as_alice: Client) -> None:
    as_alice.post("/tokens/create", FILLED | {"expires": "never"})
    as_alice.post("/tokens/create", FILLED | {"expires": "day", "day": "2199-01-31"})
    day, never = (token.expires_at for token in ApiToken.objects.all())
    assert never is None and str(day) == "2199-01-31 23:59:59+00:00"


def test_admins_alone(signed_in: Callable[[User], Client], bob: User, dana: User, root: User, agent: Agent) -> None:
    for person, status in ((bob, 403), (dana, 403), (root, 200)):
        client = signed_in(person)
        assert client.get("/tokens/").status_code == status
        assert client.post("/tokens/create", FILLED).status_code == status
        assert ("API tokens" in words(client.get("/hooks/"))) is (status == 200)
    assert ApiToken.objects.count() == 1


def test_a_token_of_another_agent_is_not_found(as_alice: Client, api: Caller, by: Actor) -> None:
    other, _ = tokens.create_token(agent=create_agent(name="other", by=by), name="t", scopes=["read"], by=by)
    for number in (other.pk, 999, 2**64):
        assert as_alice.post(f"/tokens/{number}/revoke").status_code == 404
        assert api.delete(f"{TOKENS}/{number}").status == 404
    assert ApiToken.objects.get(pk=other.pk).state == "active"


def test_many_tokens_take_pages_and_few_queries(
    as_alice: Client, agent: Agent, by: Actor, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    rows = [ApiToken(agent=agent, name=f"t{n}", prefix="hk_x", digest=str(n), scopes=["read"]) for n in range(120)]
    ApiToken.objects.bulk_create(rows)
    with django_assert_max_num_queries(12):
        page = as_alice.get("/tokens/")
    assert "1–50 / 120" in words(page) and len(page.content) < 100_000
    assert "101–120 / 120" in words(as_alice.get("/tokens/?page=99&show=nonsense"))


# --- the API


def test_the_api_makes_lists_and_revokes(caller: Callable[..., Caller], agent: Agent) -> None:
    api = caller()
    made = api.post(TOKENS, {"name": "ci", "scopes": ["read"], "expiresAt": "2199-01-31T12:00:00+01:00"})
    assert (made.status, made.body["state"]) == (201, "active")
    assert made.body["expiresAt"] == "2199-01-31T11:00:00+00:00"
    place, secret = made.headers["Location"], made.body["token"]
    assert "no-store" in made.headers["Cache-Control"]
    assert Caller(secret).get("/api/v2/evaluations").status == 200
    listed = api.get(f"{TOKENS}?top=1").body
    assert [one["name"] for one in listed["value"]] == ["ci"] and listed["nextLink"]
    assert secret not in str(listed)
    assert api.delete(place).status == 204
    assert api.delete(place).status == 204
    assert api.get(place).body["state"] == "revoked"
    assert "revoked" in Caller(secret).get("/api/v2/evaluations").message
    assert AuditEvent.objects.filter(verb="token.revoked").count() == 1


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ([], [""]),
        ({}, ["name", "scopes"]),
        ({"name": 1, "scopes": "read", "expiresAt": 5, "x": 1}, ["x", "name", "scopes", "expiresAt"]),
        ({"name": "x", "scopes": ["read"], "expiresAt": "soon"}, ["expiresAt"]),
        ({"name": "x", "scopes": ["read"], "expiresAt": "2001-01-01"}, ["expiresAt"]),
        ({"name": "x", "scopes": ["read"], "expiresAt": "2001-01-01T00:00:00Z"}, ["expiresAt"]),
        ({"name": "x", "scopes": ["read"], "expiresAt": "9999-12-31T23:59:59-23:00"}, ["expiresAt"]),
        ({"name": "", "scopes": ["nothing"]}, ["scopes", "name"]),
    ],
)
def test_every_fault_is_named(api: Caller, body: Any, targets: list[str]) -> None:
    refused = api.post(TOKENS, body)
    assert (refused.status, refused.targets) == (400, targets)


def test_a_token_makes_none_that_reaches_further(agent: Agent, by: Actor) -> None:
    soon = timezone.now() + timedelta(days=1)
    _, secret = tokens.create_token(agent=agent, name="t", scopes=["read", "admin"], expires_at=soon, by=by)

    def make(scopes: list[str], expires: str | None) -> Answer:
        return Caller(secret).post(TOKENS, {"name": "x", "scopes": scopes, "expiresAt": expires})

    assert make(["write"], None).targets == ["scopes", "expiresAt"]
    assert make(["read"], (soon + timedelta(seconds=1)).isoformat()).targets == ["expiresAt"]
    assert make(["read"], soon.isoformat()).status == 201


def test_each_write_by_a_token_names_it_in_the_audit_log(api: Caller, agent: Agent, sandboxed: object) -> None:
    put_hook(api, "guard", "Stop", command("true"))
    token, event = ApiToken.objects.get(), AuditEvent.objects.get(verb="hook.created")
    assert (event.actor_kind, event.actor_key, event.actor_text) == ("token", str(token.pk), str(token))


def test_use_by_many_at_once_is_written_once(
    agent: Agent, by: Actor, django_assert_num_queries: Callable[..., Any]
) -> None:
    token, _ = tokens.create_token(agent=agent, name="t", scopes=["read"], by=by)
    stale = ApiToken.objects.get(pk=token.pk)
    tokens.note_use(token)
    noted = ApiToken.objects.get(pk=token.pk)
    tokens.note_use(stale)
    assert ApiToken.objects.get(pk=token.pk).last_used_at == noted.last_used_at is not None
    with django_assert_num_queries(0):
        tokens.note_use(noted)
