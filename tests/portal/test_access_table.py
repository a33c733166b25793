"""Every URL, with every method, by everyone: who is sent to sign in, who is refused, who gets through."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from portal.access.models import ROLE_SCOPES, ApiToken
from portal.access.tokens import create_token
from tests.access_table import API, OPEN, PAGES
from tests.shell import ALL, BY, person

pytestmark = pytest.mark.django_db
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
THROUGH = set(range(200, 500)) - {401, 403, 405, 429}
# What stands in a URL for an object; there is none of that name, so nothing is changed.
PLACES = {"tier": "Fast", "number": "999999", "version": "1", "action": "activate", "rest": "x"}
Send = Callable[[str, str], HttpResponse]


def urls() -> Iterator[tuple[str, URLPattern]]:
    for one in get_resolver().url_patterns:
        if isinstance(one, URLPattern):
            yield one.name or "", one
        else:
            for inner in one.url_patterns:
                yield f"{one.namespace}:{inner.name}" if one.namespace else str(inner.name), inner


PATTERNS = dict(urls())
# Who is signed out gets no further, so these come last.
LAST = ("access:sign_out_everywhere", "sign_out")
TABLE = {**PAGES, **{f"api:{name}": methods for name, methods in API.items()}}
TABLE |= {name: TABLE.pop(name) for name in LAST}
GUARDED = [(name, method, scope) for name, row in TABLE.items() for method, scope in row.items() if scope != OPEN]


def address(name: str) -> str:
    """An address of a URL, with names that nothing has."""
    pattern = str(PATTERNS[name].pattern).removeprefix("^").removesuffix("$")
    pattern = re.sub(r"<int:\w+>", PLACES["number"], pattern)
    parts = re.sub(
        r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^()]*\)", lambda found: PLACES.get(found[1] or found[2], "x"), pattern
    )
    return "/" + parts


@pytest.fixture
def elsewhere(agent: Agent) -> Agent:
    return create_agent(name="elsewhere", is_default=False, by=BY)


@pytest.fixture
def people(agent: Agent, elsewhere: Agent) -> dict[str, Send]:
    """Everyone with a browser, by what they may do here: each by the role, another agent's admin, and a user without any."""
    made: dict[str, Send] = {"anonymous": by_browser(None), "stranger": by_browser(person("nobody", agent, None))}
    made |= {role: by_browser(person(f"the-{role}", agent, role)) for role in ROLE_SCOPES}
    made["elsewhere"] = by_browser(person("theirs", elsewhere, "admin"))
    return made


def by_browser(user: User | None) -> Send:
    client = Client()
    if user is not None:
        client.force_login(user)
    return lambda method, path: client.generic(method, path, "{}", content_type="application/json")


def by_token(secret: str) -> Send:
    client, headers = Client(), {"Authorization": f"Bearer {secret}"}
    return lambda method, path: client.generic(method, path, "{}", content_type="application/json", headers=headers)


@pytest.fixture
def programs(agent: Agent, elsewhere: Agent) -> dict[str, Send]:
    """Tokens: one with each scope alone, and those that are good for nothing here."""

    def token(*scopes: str, of: Agent = agent, **changed: Any) -> Send:
        made, secret = create_token(agent=of, name="t", scopes=scopes or ALL, by=BY)
        ApiToken.objects.filter(pk=made.pk).update(**changed)
        return by_token(secret)

    ended = timezone.now() - timedelta(minutes=1)
    return {
        **{scope: token(scope) for scope in ALL},
        "none": token(scopes=[]),
        "expired": token(expires_at=ended),
        "revoked": token(revoked_at=ended),
        "malformed": by_token("hk_\u2026"),
        "elsewhere": token(of=elsewhere),
    }


def test_every_url_and_method_stands_in_the_table() -> None:
    assert set(PATTERNS) == set(TABLE)


def test_no_other_method_is_served(people: dict[str, Send]) -> None:
    wrong = {}
    for name, row in TABLE.items():
        served = {method for method in METHODS if people["admin"](method, address(name)).status_code != 405}
        # What is no path of the API is not found, whatever the method.
        if served != (set(METHODS) if name == "nothing_here" else set(row)):
            wrong[name] = served
    assert wrong == {}


def test_people(people: dict[str, Send]) -> None:
    wrong = []
    for name, method, scope in GUARDED:
        for who, send in people.items():
            path = address(name) + ("?agent=sre-agent" if who == "elsewhere" else "")
            response = send(method, path)
            if who == "anonymous":
                right = asks_to_sign_in(name, response)
            elif scope in ROLE_SCOPES.get(who, ()):
                right = response.status_code in THROUGH
            else:
                right = response.status_code == 403
            if not right:
                wrong.append((method, path, who, response.status_code))
    assert wrong == []


def asks_to_sign_in(name: str, response: HttpResponse) -> bool:
    if name.startswith("api:"):
        return response.status_code == 401 and response.headers["WWW-Authenticate"].startswith("Bearer")
    return response.status_code == 302 and response.headers["Location"] == f"/sign-in?next={address(name)}"


def test_tokens(programs: dict[str, Send]) -> None:
    wrong = []
    for name, method, scope in GUARDED:
        for which, send in programs.items():
            path = address(name) + ("?agent=sre-agent" if which == "elsewhere" else "")
            status = send(method, path).status_code
            if not name.startswith("api:"):
                right = status == 302  # a page is for people who signed in
            elif which in ("expired", "revoked", "malformed"):
                right = status == 401
            else:
                right = status in THROUGH if which == scope else status == 403
            if not right:
                wrong.append((method, path, which, status))
    assert wrong == []
