"""What every kind of answer says to browsers, whoever made it."""

import io
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import Client

from hooks.services import tiers
from tests.shell import Caller

pytestmark = pytest.mark.django_db
SETTINGS = str(Path(settings.BASE_DIR, "portal", "settings.py"))
KEY = "0123456789abcdef" * 4


@pytest.fixture
def answers(as_bob: Client, api: Caller, bob: User, monkeypatch: pytest.MonkeyPatch) -> dict[str, HttpResponse]:
    """One answer of each kind: how it came about, and the answer."""

    def fail(*args: Any) -> None:
        raise ZeroDivisionError("secret")

    # WhiteNoise looks once, as a client makes its first request, for what there is.
    Path(settings.STATIC_ROOT, "probe.css").write_text("b { color: red }")
    anonymous, careless = Client(), Client(raise_request_exception=False)
    monkeypatch.setattr(tiers, "tiers_of", fail)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(bob)
    name = settings.SESSION_COOKIE_NAME
    careless.cookies[name] = as_bob.cookies[name].value
    made = {
        "a page": as_bob.get("/hooks/"),
        "a page, in part": as_bob.get("/hooks/", headers={"HX-Request": "true"}),
        "the page of signing in": anonymous.get("/sign-in"),
        "a redirect": anonymous.get("/hooks/"),
        "a page that one may not see": as_bob.get("/tokens/"),
        "a page that there is not": anonymous.get("/nowhere"),
        "a method that there is not": as_bob.put("/hooks/"),
        "a form without its token": strict.post("/theme", {"theme": "dark"}),
        "a host that is not ours": anonymous.get("/sign-in", headers={"Host": "evil.example"}),
        "a body that is too large": anonymous.post("/sign-in", {"username": "x" * 70_000}),
        "the API": api.client.get("/api/v2/evaluations", headers=api.headers),
        "the API's error": anonymous.get("/api/v2/evaluations"),
        "the API's bug": careless.get("/api/v2/modelTiers", headers=api.headers),
        "the API without its token": strict.post("/api/v2/hooks/check", "{}", content_type="application/json"),
        "the API on a host that is not ours": anonymous.get("/api/v2/x", headers={"Host": "evil.example"}),
        "the API's document": anonymous.get("/api/schema/"),
        "the page of the API": anonymous.get("/docs/api"),
        "a path of the API that there is not": anonymous.get("/api/nothing"),
        "a probe": anonymous.get("/healthz"),
        "a file": anonymous.get("/static/probe.css"),
    }
    made["a file"].close()
    assert {made["the API's bug"].status_code, made["a body that is too large"].status_code} == {500, 413}
    return made


SAID = [
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=()"),
    ("Content-Security-Policy", "default-src 'none'"),
    ("Content-Security-Policy", "object-src 'none'"),
    ("Content-Security-Policy", "frame-ancestors 'none'"),
    ("Content-Security-Policy", "base-uri 'none'"),
    ("Content-Security-Policy", "form-action 'self'"),
    ("Content-Security-Policy", "script-src 'self'"),
]


def test_every_answer_says_it_all(answers: dict[str, HttpResponse]) -> None:
    lacking = [
        (what, header, value)
        for what, answer in answers.items()
        for header, value in SAID
        if value not in answer.headers.get(header, "")
    ]
    assert lacking == []


def test_nothing_but_files_is_kept_by_browsers_and_proxies(answers: dict[str, HttpResponse]) -> None:
    kept = [what for what, answer in answers.items() if "no-store" not in answer.headers.get("Cache-Control", "")]
    assert kept == ["a file"]


def test_no_answer_has_what_the_csp_forbids(answers: dict[str, HttpResponse]) -> None:
    for what, answer in answers.items():
        policy = answer.headers.get("Content-Security-Policy", "")
        assert "unsafe" not in policy and "*" not in policy, what


def test_files_are_for_the_portals_own_pages(answers: dict[str, HttpResponse]) -> None:
    file = answers["a file"]
    assert file.status_code == 200
    assert "Access-Control-Allow-Origin" not in file.headers
    assert file.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert file.headers["X-Content-Type-Options"] == "nosniff"


def test_no_error_shows_a_traceback_or_a_setting(answers: dict[str, HttpResponse]) -> None:
    for what, answer in answers.items():
        if answer.status_code >= 400:
            body = answer.content.decode()
            assert "Traceback" not in body and "ZeroDivisionError" not in body and settings.SECRET_KEY not in body, what


# --- over HTTPS


@pytest.fixture
def over_https(settings: Any) -> None:
    for name, value in production(HTTPS="on").items():
        if name.startswith(("SECURE_", "SESSION_COOKIE_", "CSRF_COOKIE_")):
            setattr(settings, name, value)


def test_what_came_in_clear_is_led_to_https_and_the_api_refuses_it(over_https: None, api: Caller) -> None:
    page = Client().get("/hooks/")
    assert (page.status_code, page.headers["Location"]) == (301, "https://testserver/hooks/")
    refused = api.get("/api/v2/evaluations")
    assert (refused.status, refused.code) == (403, "Forbidden")
    assert "A token that was sent in clear should be revoked" in refused.message
    assert Client().get("/healthz").status_code == 200


def test_cookies_are_bound_to_this_host_and_to_https(over_https: None, bob: User) -> None:
    client = Client(headers={"X-Forwarded-Proto": "https"})
    page = client.post("/sign-in", {"username": "bob", "password": "correct-horse"})
    session, token = page.cookies["__Host-sessionid"], page.cookies["__Host-csrftoken"]
    for cookie in (session, token):
        assert cookie["secure"] and cookie["path"] == "/" and not cookie["domain"] and cookie["samesite"] == "Lax"
    assert session["httponly"]
    assert "max-age=31536000" in page.headers["Strict-Transport-Security"]


# --- what production refuses to start with


def production(**environment: str) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DEBUG", "HTTPS", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "TRUSTED_PROXIES", "DATABASE_URL"):
            patch.delenv(name, raising=False)
        for name, value in {"SECRET_KEY": KEY, **environment}.items():
            patch.setenv(name, value)
        return runpy.run_path(SETTINGS)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"SECRET_KEY": "short"}, "SECRET_KEY is too short"),
        ({"SECRET_KEY": "a" * 60}, "SECRET_KEY is no secret"),
        ({"SECRET_KEY": "django-insecure-" + KEY}, "SECRET_KEY is no secret"),
        ({"ALLOWED_HOSTS": "portal.example, *"}, "ALLOWED_HOSTS must name"),
        ({"DEBUG": "on", "HTTPS": "on"}, "DEBUG must be off"),
        ({"CSRF_TRUSTED_ORIGINS": "portal.example"}, "CSRF_TRUSTED_ORIGINS must hold origins"),
        ({"CSRF_TRUSTED_ORIGINS": "https://*"}, "CSRF_TRUSTED_ORIGINS must hold origins"),
        ({"TRUSTED_PROXIES": "10.0.0.0/8, everybody"}, "TRUSTED_PROXIES must hold addresses or networks"),
        ({"HTTPS": "maybe"}, "HTTPS must be on or off"),
    ],
)
def test_insecure_settings_stop_the_start(environment: dict[str, str], said: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=said):
        production(**environment)


def test_secure_ones_do_not() -> None:
    found = production(
        ALLOWED_HOSTS=".example.com", CSRF_TRUSTED_ORIGINS="https://*.example.com", TRUSTED_PROXIES="10.0.0.0/8, ::1"
    )
    assert found["DEBUG"] is False and "*" not in found["ALLOWED_HOSTS"]


# --- bodies


class Unread(io.BytesIO):
    def read(self, *_: Any) -> bytes:
        raise AssertionError("it was read")


@pytest.mark.parametrize(
    ("path", "signed_in_as", "length", "status"),
    [
        ("/sign-in", None, 64 * 1024 + 1, 413),
        ("/theme", None, 64 * 1024 + 1, 413),
        ("/samples/create", None, 64 * 1024 + 1, 413),
        ("/samples/create", "bob", 64 * 1024 * 1024 + 1, 413),
        ("/api/v2/hooks/check", None, 64 * 1024 * 1024, 401),
        ("/api/v2/hooks/check", None, 64 * 1024 * 1024 + 1, 413),
    ],
)
def test_bodies_are_refused_by_their_length_before_they_are_read(
    bob: User, signed_in: Callable[[User], Client], path: str, signed_in_as: str | None, length: int, status: int
) -> None:
    client = signed_in(bob) if signed_in_as else Client()
    meta = {"CONTENT_LENGTH": str(length), "wsgi.input": Unread()}
    page = client.generic("POST", path, b"", content_type="application/x-www-form-urlencoded", **meta)
    assert page.status_code == status


def test_chunks_of_somebody_unknown_are_not_read(agent: object) -> None:
    meta = {"wsgi.input": Unread(), "wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
    headers = {"Transfer-Encoding": "chunked"}
    page = Client().generic(
        "POST", "/api/v2/hooks/check", b"", content_type="application/json", headers=headers, **meta
    )
    assert page.status_code == 401


def test_too_many_chunks_are_too_large(api: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "BODY_LIMIT", 1000)
    meta = {"wsgi.input": io.BytesIO(b" " * 1001), "wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
    headers = {**api.headers, "Transfer-Encoding": "chunked"}
    page = Client().generic(
        "POST", "/api/v2/hooks/check", b"", content_type="application/json", headers=headers, **meta
    )
    assert (page.status_code, page.json()["error"]["code"]) == (413, "PayloadTooLarge")


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_too_many_fields_and_files(as_bob: Client, kind: str) -> None:
    if kind.startswith("multipart"):
        page = as_bob.post("/hooks/import", {f"f{n}": io.BytesIO(b"x") for n in range(11)})
    else:
        page = as_bob.post("/theme", "&".join(f"a{n}=1" for n in range(1001)), content_type=kind)
    assert page.status_code == 400
    assert "cannot be read" in page.content.decode()
