"""Every page asks who one is and what one may; a new URL is in this table without anybody adding it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.urls.converters import IntConverter

from tests.access_table import OPEN as TAKES_NOTHING
from tests.access_table import PAGES
from tests.pages import words

TEMPLATES = Path(settings.BASE_DIR, "templates")
OPEN = {name for name, row in PAGES.items() if TAKES_NOTHING in row.values()}


def pages() -> Iterator[tuple[str, URLPattern]]:
    """Every URL that a person opens, with its whole name."""
    for one in get_resolver().url_patterns:
        if isinstance(one, URLPattern):
            yield one.name or "", one
        elif one.namespace != "api":
            for inner in one.url_patterns:
                yield f"{one.namespace}:{inner.name}" if one.namespace else inner.name, inner


def address_of(name: str, pattern: URLPattern) -> str:
    return reverse(
        name, args=["1" if isinstance(kind, IntConverter) else "x" for kind in pattern.pattern.converters.values()]
    )


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
    assert view.__module__.startswith((f"{app}.views", f"portal.{app}.views"))
    if "GET" in getattr(view, "methods", ("GET",)):
        assert (TEMPLATES / app / f"{word}.html").exists() or word.endswith("export")
