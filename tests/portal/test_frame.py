"""What is around every page: who may enter, the frame, the theme, what is down, and pages of last resort."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import URLPattern, get_resolver, reverse

from agents.models import Agent
from portal import troubles
from portal.health import Check
from portal.http import last_resort
from tests.pages import HTMX, words

TEMPLATES = Path(settings.BASE_DIR, "templates")
OPEN = {"home", "sign_in", "sign_out", "theme", "healthz", "readyz", "nothing_here"}


def pages() -> Iterator[tuple[str, URLPattern]]:
    """Every URL that a person opens, with its whole name."""
    for one in get_resolver().url_patterns:
        if isinstance(one, URLPattern):
            yield one.name or "", one
        elif one.namespace != "api":
            for inner in one.url_patterns:
                yield f"{one.namespace}:{inner.name}" if one.namespace else inner.name, inner


def address_of(name: str, pattern: URLPattern) -> str:
    return reverse(name, args=["x"] * len(pattern.pattern.converters))


GUARDED = [(name, pattern) for name, pattern in pages() if name not in OPEN]


@pytest.mark.parametrize(("name", "pattern"), GUARDED, ids=[name for name, _ in GUARDED])
def test_every_page_asks_who_one_is_and_what_one_may(
    name: str, pattern: URLPattern, signed_in: Callable[[User], Client], charlie: User
) -> None:
    assert pattern.callback.scopes[0] in {"read", "evaluate", "write", "admin"}  # type: ignore[attr-defined]
    address = address_of(name, pattern)
    method = "get" if getattr(Client(), "get")(address).status_code != 405 else "post"  # noqa: B009
    anonymous = getattr(Client(), method)(address)
    assert anonymous.status_code == 302
    assert anonymous.headers["Location"] == f"/sign-in?next={address}"
    stranger = getattr(signed_in(charlie), method)(address)
    assert stranger.status_code == 403
    assert "You have no role on any agent" in words(stranger)


@pytest.mark.parametrize(("name", "pattern"), GUARDED, ids=[name for name, _ in GUARDED])
def test_a_page_its_view_and_its_template_share_a_name(name: str, pattern: URLPattern) -> None:
    app, word = name.split(":")
    view = pattern.callback
    assert view.__name__ == word
    assert view.__module__.startswith(f"{app}.views")
    if "GET" in getattr(view, "methods", ("GET",)):
        assert (TEMPLATES / app / f"{word}.html").exists() or word in {"switch", "cancel"}


def test_signing_in(db: None, bob: User) -> None:
    client = Client()
    page = client.get("/sign-in?next=/samples/")
    assert "Sign in" in words(page)
    page = client.post("/sign-in", {"username": "bob", "password": "wrong", "next": "/samples/"})
    assert page.status_code == 422
    assert "User name and password do not match" in words(page)
    assert 'value="bob"' in page.content.decode() and "wrong" not in page.content.decode()
    page = client.post("/sign-in", {"username": "bob", "password": "correct-horse", "next": "/samples/"})
    assert (page.status_code, page.headers["Location"]) == (302, "/samples/")
    assert client.get("/sign-in").headers["Location"] == "/"
    assert client.post("/sign-out").headers["Location"] == "/sign-in"
    assert client.get("/samples/").status_code == 302


@pytest.mark.parametrize("next", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\r\nX: y", ""])
def test_signing_in_leads_nowhere_else(bob: User, next: str) -> None:
    page = Client().post("/sign-in", {"username": "bob", "password": "correct-horse", "next": next})
    assert page.headers["Location"] == "/"


def test_empty_fields_have_words_of_their_own(db: None) -> None:
    page = Client().post("/sign-in", {"username": "", "password": ""})
    assert "Fill in both the user name and the password" in words(page)


def test_a_fragment_for_somebody_signed_out_loads_the_page_anew(db: None) -> None:
    page = Client().get("/hooks/", headers=HTMX)
    assert page.headers["HX-Refresh"] == "true"


def test_refusals_of_fragments_are_one_line(signed_in: Callable[[User], Client], dana: User) -> None:
    page = signed_in(dana).post("/hooks/x/switch", headers=HTMX)
    assert page.status_code == 403
    assert page.headers["Content-Type"].startswith("text/plain")


def test_home_is_the_grid_of_hooks(as_bob: Client) -> None:
    assert as_bob.get("/").headers["Location"] == "/hooks/"


@pytest.mark.parametrize(("chosen", "painted"), [("light", "light"), ("dark", "dark"), ("system", "light")])
def test_the_theme_is_in_the_page_that_the_server_sends(as_bob: Client, chosen: str, painted: str) -> None:
    page = as_bob.post("/theme", {"theme": chosen, "next": "/samples/"})
    assert page.headers["Location"] == "/samples/"
    body = as_bob.get("/hooks/").content.decode()
    assert f'data-bs-theme="{painted}" data-theme="{chosen}"' in body


def test_a_theme_that_there_is_not_changes_nothing(as_bob: Client) -> None:
    as_bob.post("/theme", {"theme": '"><script>'})
    as_bob.cookies["theme"] = '"><script>'
    assert 'data-theme="system"' in as_bob.get("/hooks/").content.decode()


def test_nothing_inline_and_nothing_from_elsewhere(as_bob: Client, agent: Agent) -> None:
    page = as_bob.get("/hooks/create")
    body = page.content.decode()
    assert "style=" not in body and "<style" not in body and " onclick" not in body
    assert not re.search(r"<script(?![^>]*\bsrc=)", body)
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", body)
    assert "script-src 'self';" in page.headers["Content-Security-Policy"] + ";"


@pytest.mark.parametrize(
    ("down", "said"),
    [
        ({"sandbox"}, ["The sandbox is not available."]),
        ({"worker"}, ["No worker is running."]),
        ({"broker", "worker"}, ["The message broker cannot be reached."]),
    ],
)
def test_what_is_down_stands_on_every_page(
    as_bob: Client, monkeypatch: pytest.MonkeyPatch, down: set[str], said: list[str]
) -> None:
    checks = {name: f"tests.portal.test_frame.{'bad' if name in down else 'good'}" for name in troubles.MEANINGS}
    monkeypatch.setattr(settings, "READINESS_CHECKS", checks)
    monkeypatch.setattr(troubles.watch, "_look", troubles.look)
    troubles.watch.forget()
    assert [trouble.what for trouble in troubles.watch.troubles()] == said
    assert said[0] in words(as_bob.get("/hooks/"))


def good() -> Check:
    return Check(True, "")


def bad() -> Check:
    return Check(False, "down")


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_pages_of_last_resort(rf: RequestFactory, status: int) -> None:
    request: Any = rf.get("/nowhere")
    request.request_id = "abc123"
    page = last_resort(request, status)
    assert page.status_code == status
    assert "abc123" in words(page) and "To the hooks" in words(page)


def test_an_address_that_there_is_not(as_bob: Client) -> None:
    page = as_bob.get("/nowhere")
    assert page.status_code == 404
    assert "Nothing here" in words(page)


def test_a_form_without_its_token_is_refused_in_words(bob: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(bob)
    page = client.post("/theme", {"theme": "dark"})
    assert page.status_code == 403
    assert "The page was open too long" in words(page)


def test_the_sprite_has_the_icons_in_use_and_no_others() -> None:
    from hooks import words as said

    sprite = (TEMPLATES / "portal" / "_icons.html").read_text()
    drawn = set(re.findall(r'<symbol id="i-([\w-]+)"', sprite))
    sources = [path.read_text() for path in TEMPLATES.rglob("*.html")]
    used = {name for text in sources for name in re.findall(r'\{% icon "([\w-]+)"', text)}
    used |= {name for text in sources for name in re.findall(r'side_entry .* "([\w-]+)" %\}', text)}
    badges = [*said.OUTCOMES.values(), *said.RUNS.values(), said.SILENT, said.REJECTED, said.LET_PASS]
    used |= {*said.EVENT_ICONS.values(), *said.TYPE_ICONS.values(), *(badge.icon for badge in badges)}
    assert drawn == used
