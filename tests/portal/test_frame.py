"""What is around every page: who may enter, the frame, the theme, what is down, and pages of last resort."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, RequestFactory

from agents.models import Agent
from portal import troubles
from portal.health import Check
from portal.http import last_resort
from tests.pages import HTMX, words

TEMPLATES = Path(settings.BASE_DIR, "templates")


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
    from portal.templatetags import audit_tags

    sprite = (TEMPLATES / "portal" / "_icons.html").read_text()
    drawn = set(re.findall(r'<symbol id="i-([\w-]+)"', sprite))
    sources = [path.read_text() for path in TEMPLATES.rglob("*.html")]
    used = {name for text in sources for name in re.findall(r'\{% icon "([\w-]+)"', text)}
    used |= {name for text in sources for name in re.findall(r'side_entry .* "([\w-]+)" %\}', text)}
    badges = [*said.OUTCOMES.values(), *said.RUNS.values(), said.SILENT, said.REJECTED, said.LET_PASS]
    used |= {*said.EVENT_ICONS.values(), *said.TYPE_ICONS.values(), *(badge.icon for badge in badges)}
    used |= {*audit_tags.ICONS.values(), *audit_tags.ACTORS.values()}
    assert drawn == used
