"""Signing in through an OpenID Connect provider: a real one, with codes, tokens and signatures, on this machine."""

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from portal.access.models import Membership
from portal.audit.models import AuditEvent
from tests.pages import words

EVE = {"email": "eve@example.com", "email_verified": True, "preferred_username": "eve", "groups": ["staff", "sre"]}


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"{url}/.well-known/openid-configuration").raise_for_status()
                break
            assert process.poll() is None
            time.sleep(0.05)
        yield url
    finally:
        process.kill()
        process.wait()


@pytest.fixture(autouse=True)
def configured(provider: str, settings: Any) -> None:
    app = {"provider_id": "oidc", "name": "the house", "client_id": "portal", "secret": "s3cret-of-the-portal"}
    app |= {"settings": {"server_url": provider, "oauth_pkce_enabled": True}}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}
    settings.OIDC_NAME = "the house"


def comes_back(
    provider: str, sub: str, claims: dict[str, Any], *, client: Client | None = None, to: str = "/samples/"
) -> Any:
    """Go to the provider, sign in there, and come back with what it gave."""
    client = client or Client()
    httpx.put(f"{provider}/users/{sub}", json=claims).raise_for_status()
    away = client.get(f"/oidc/oidc/login?next={to}")
    assert away.status_code == 302, words(away)
    assert away.headers["Location"].startswith(f"{provider}/oauth2/authorize")
    agreed = httpx.post(away.headers["Location"], data={"sub": sub})
    back = urlsplit(agreed.headers["Location"])
    assert back.path == "/oidc/oidc/callback"
    return client.get(f"{back.path}?{back.query}")


def test_it_works(agent: Agent, provider: str, settings: Any) -> None:
    settings.OIDC_DEFAULT_ROLE = "viewer"
    client = Client()
    assert "Sign in with the house" in words(client.get("/sign-in"))
    back = comes_back(provider, "eve-1", EVE, client=client)
    assert (back.status_code, back.headers["Location"]) == (302, "/samples/")
    eve = User.objects.get()
    assert (eve.username, eve.email, eve.has_usable_password()) == ("eve", "eve@example.com", False)
    assert eve.memberships.get().role == "viewer"
    assert client.get("/samples/").status_code == 200
    verbs = list(AuditEvent.objects.filter(object_text="eve").order_by("sequence").values_list("verb", flat=True))
    assert verbs == ["user.created", "member.added", "session.signed_in"]


def test_who_comes_again_is_the_same_whatever_the_name(agent: Agent, provider: str) -> None:
    comes_back(provider, "eve-2", EVE)
    comes_back(provider, "eve-2", {**EVE, "preferred_username": "evelyn", "email": "evelyn@example.com"})
    assert User.objects.get().username == "eve"


def test_nobody_takes_over_an_account_by_its_name(agent: Agent, alice: User, provider: str) -> None:
    comes_back(provider, "mallory", {**EVE, "preferred_username": "Alice", "email": alice.email})
    made = User.objects.exclude(pk=alice.pk).get()
    assert made.username == "Alice-2" and not made.memberships.exists()


def test_without_a_role_one_gets_no_further(agent: Agent, provider: str) -> None:
    client = Client()
    comes_back(provider, "eve-3", EVE, client=client)
    page = client.get("/hooks/")
    assert page.status_code == 403 and "You have no role on any agent" in words(page)


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"email": "eve@elsewhere.example", "email_verified": True}, "of no domain"),
        ({"email": "eve@example.com", "email_verified": False}, "has not verified"),
        ({"email": "eve@example.com.elsewhere.example", "email_verified": True}, "of no domain"),
        ({"email": "elsewhere.example", "email_verified": True}, "of no domain"),
    ],
)
def test_only_addresses_of_the_domains(
    agent: Agent, provider: str, settings: Any, claims: dict[str, Any], why: str
) -> None:
    settings.OIDC_DOMAINS = ["Example.com"]
    client = Client()
    back = comes_back(provider, "eve-4", claims, client=client)
    assert back.headers["Location"] == "/sign-in"
    assert why in words(client.get("/sign-in"))
    assert not User.objects.exists()
    assert AuditEvent.objects.get(verb="session.sign_in_failed")


def test_roles_follow_the_groups(agent: Agent, alice: User, provider: str, settings: Any) -> None:
    settings.OIDC_ROLE_CLAIM, settings.OIDC_ADMINS, settings.OIDC_EDITORS = "groups", ["ops"], ["sre"]
    comes_back(provider, "eve-5", EVE)
    role = Membership.objects.filter(user__username="eve").values_list("role", flat=True)
    assert list(role) == ["editor"]
    comes_back(provider, "eve-5", {**EVE, "groups": ["ops"]})
    assert list(role.all()) == ["admin"]


def test_a_deactivated_user_stays_out(agent: Agent, provider: str) -> None:
    comes_back(provider, "eve-6", EVE)
    User.objects.update(is_active=False)
    client = Client()
    comes_back(provider, "eve-6", EVE, client=client)
    assert "not active" in words(client.get("/sign-in"))


@pytest.mark.parametrize("query", ["", "?error=access_denied", "?code=forged&state=forged", "?code=x"])
def test_what_did_not_begin_here_leads_nowhere(agent: Agent, query: str) -> None:
    client = Client()
    page = client.get(f"/oidc/oidc/callback{query}")
    assert (page.status_code, page.headers["Location"]) == (302, "/sign-in")
    assert client.get("/hooks/").status_code == 302


def test_a_code_serves_once_and_the_browser_that_asked_for_it(agent: Agent, provider: str) -> None:
    client = Client()
    httpx.put(f"{provider}/users/eve-7", json=EVE).raise_for_status()
    away = client.get("/oidc/oidc/login")
    asked = parse_qs(urlsplit(away.headers["Location"]).query)
    assert asked["code_challenge_method"] == ["S256"] and "openid" in asked["scope"][0].split()
    back = urlsplit(httpx.post(away.headers["Location"], data={"sub": "eve-7"}).headers["Location"])
    other = Client()
    assert other.get(f"{back.path}?{back.query}").headers["Location"] == "/sign-in"
    assert client.get(f"{back.path}?{back.query}").headers["Location"] == "/"
    assert Client().get(f"{back.path}?{back.query}").headers["Location"] == "/sign-in"


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example", "/%5Cevil.example"])
def test_it_leads_nowhere_else(agent: Agent, provider: str, to: str) -> None:
    assert comes_back(provider, "eve-8", EVE, to=to).headers["Location"] == "/"


def test_a_provider_that_is_away_is_said(agent: Agent, settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"]["server_url"] = "http://127.0.0.1:9"
    client = Client()
    page = client.get("/oidc/oidc/login")
    assert (page.status_code, page.headers["Location"]) == (302, "/sign-in")
    assert "could not be reached" in words(client.get("/sign-in"))


def test_where_it_is_not_set_up_there_is_no_such_page(agent: Agent, settings: Any) -> None:
    settings.OIDC_ISSUER = ""
    assert Client().get("/oidc/oidc/login").status_code == 404
    assert Client().get("/oidc/other/login").status_code == 404
    assert "Sign in with" not in words(Client().get("/sign-in"))
