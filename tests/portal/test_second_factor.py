"""The second factor: turned on, asked for, recovered from, taken away."""

import re
import time
from collections.abc import Callable
from typing import Any

import pyotp
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from portal.access import totp
from portal.access.models import SecondFactor
from portal.audit.models import AuditEvent
from tests.pages import words

PASSWORD = "correct-horse"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Time for codes, which a test lets pass."""
    now = [time.time()]
    monkeypatch.setattr(totp.time, "time", lambda: now[0])

    def wait(seconds: float) -> None:
        now[0] += seconds

    return wait


def code_of(user: User) -> str:
    secret = totp._open(SecondFactor.objects.get(user=user).secret)
    return pyotp.TOTP(secret).at(int(totp.time.time()))


def turn_on(client: Client, user: User) -> list[str]:
    """Enrol as a person does: open the page, scan, give the code; answer the recovery codes."""
    client.get("/account/second-factor")
    page = client.post("/account/second-factor", {"code": code_of(user)})
    return re.findall(r"<li><code>([a-z0-9]{5}-[a-z0-9]{5})</code></li>", page.content.decode())


def password(client: Client, next: str = "/samples/") -> Any:
    return client.post("/sign-in", {"username": "bob", "password": PASSWORD, "next": next})


def test_it_works(as_bob: Client, bob: User, clock: Callable[[float], None]) -> None:
    page = as_bob.get("/account/second-factor")
    secret = re.search(r'class="secret">([A-Z2-7]{32})<', page.content.decode())
    assert secret and b"<svg" in page.content and b"style=" not in page.content
    assert len(turn_on(as_bob, bob)) == 10
    clock(30)
    client = Client()
    assert password(client).headers["Location"] == "/sign-in/code"
    assert client.get("/samples/").status_code == 302  # the password alone is not enough
    page = client.post("/sign-in/code", {"code": code_of(bob)})
    assert (page.status_code, page.headers["Location"]) == (302, "/samples/")
    assert client.get("/samples/").status_code == 200
    verbs = AuditEvent.objects.filter(object_text="bob").order_by("sequence").values_list("verb", flat=True)
    assert [verb for verb in verbs if verb.startswith(("user.", "session."))] == [
        "user.second_factor_on",
        "session.signed_in",
    ]


def test_a_code_serves_once(as_bob: Client, bob: User, clock: Callable[[float], None]) -> None:
    turn_on(as_bob, bob)
    code = code_of(bob)  # enrolled with it a moment ago
    client = Client()
    password(client)
    page = client.post("/sign-in/code", {"code": code})
    assert page.status_code == 422 and "wrong or was used" in words(page)
    clock(30)
    assert client.post("/sign-in/code", {"code": code_of(bob)}).status_code == 302
    other = Client()
    password(other)
    assert other.post("/sign-in/code", {"code": code_of(bob)}).status_code == 422


def test_a_clock_may_be_a_step_off(as_bob: Client, bob: User, clock: Callable[[float], None]) -> None:
    turn_on(as_bob, bob)
    clock(60)
    early = code_of(bob)
    clock(30)
    assert totp.accepts(bob, early)
    late = code_of(bob)
    clock(90)
    assert not totp.accepts(bob, late)


def test_a_recovery_code_serves_once_however_it_is_typed(as_bob: Client, bob: User) -> None:
    codes = turn_on(as_bob, bob)
    for typed, status in ((codes[0].upper().replace("-", " "), 302), (codes[0], 422), (codes[1], 302)):
        client = Client()
        password(client)
        assert client.post("/sign-in/code", {"code": typed}).status_code == status


def test_nothing_of_it_is_stored_readable(as_bob: Client, bob: User) -> None:
    page = as_bob.get("/account/second-factor").content.decode()
    codes = turn_on(as_bob, bob)
    secret = re.search(r'class="secret">([A-Z2-7]{32})<', page)
    stored = str(SecondFactor.objects.values().get()) + str(list(AuditEvent.objects.values()))
    assert secret and secret[1] not in stored
    assert not any(code in stored for code in codes)


@pytest.mark.parametrize("code", ["", "000000", "1234567", "١٢٣٤٥٦", "x" * 5000, "\x00" * 6])
def test_a_wrong_code_says_so(as_bob: Client, bob: User, code: str) -> None:
    turn_on(as_bob, bob)
    client = Client()
    password(client)
    page = client.post("/sign-in/code", {"code": code})
    assert page.status_code == 422 and 'role="alert"' in page.content.decode()
    assert client.get("/samples/").status_code == 302


def test_guessing_locks(as_bob: Client, bob: User) -> None:
    codes = turn_on(as_bob, bob)
    client = Client()
    password(client)
    statuses = [client.post("/sign-in/code", {"code": "000000"}).status_code for _ in range(6)]
    assert statuses[-1] == 429
    page = client.post("/sign-in/code", {"code": codes[0]})
    assert page.status_code == 429 and "Too many attempts" in words(page)
    assert int(page.headers["Retry-After"]) > 0
    assert AuditEvent.objects.filter(verb="session.locked_out").exists()


def test_the_step_is_nobodys_without_the_password(as_bob: Client, bob: User, clock: Callable[[float], None]) -> None:
    turn_on(as_bob, bob)
    clock(30)
    assert Client().post("/sign-in/code", {"code": code_of(bob)}).headers["Location"] == "/sign-in"
    client = Client()
    password(client)
    session = client.session
    session["second_factor_of"] = {**session["second_factor_of"], "until": timezone.now().timestamp() - 1}
    session.save()
    assert client.post("/sign-in/code", {"code": code_of(bob)}).headers["Location"] == "/sign-in"


def test_who_was_deactivated_in_between_stays_out(as_bob: Client, bob: User) -> None:
    codes = turn_on(as_bob, bob)
    client = Client()
    password(client)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert client.post("/sign-in/code", {"code": codes[0]}).headers["Location"] == "/sign-in"


def test_turning_it_off_takes_a_code(as_bob: Client, bob: User) -> None:
    codes = turn_on(as_bob, bob)
    assert as_bob.post("/account/second-factor/off", {"code": "000000"}).status_code == 422
    assert totp.is_on(bob)
    assert as_bob.post("/account/second-factor/off", {"code": codes[0]}).status_code == 303
    assert not totp.is_on(bob)
    assert password(Client()).headers["Location"] == "/samples/"


def test_an_admin_takes_it_from_who_has_lost_all(
    as_bob: Client, bob: User, alice: User, root: User, signed_in: Callable[[User], Client]
) -> None:
    turn_on(as_bob, bob)
    admin = signed_in(alice)
    assert "Second factor…" in words(admin.get("/members/"))
    assert admin.post(f"/members/{bob.pk}/second-factor").status_code == 303
    assert not totp.is_on(bob)
    assert AuditEvent.objects.get(verb="user.second_factor_off").actor_text == "alice"
    assert as_bob.post(f"/members/{alice.pk}/second-factor").status_code == 403


def test_with_another_secret_key_a_secret_is_lost_and_none_gets_in(as_bob: Client, bob: User, settings: Any) -> None:
    turn_on(as_bob, bob)
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another key that is as long as it has to be, at least"
    assert not totp.accepts(bob, "000000")
    settings.SECRET_KEY_FALLBACKS = [old]
    assert totp._open(SecondFactor.objects.get().secret)


def test_a_wrong_code_does_not_turn_it_on(as_bob: Client, bob: User) -> None:
    as_bob.get("/account/second-factor")
    assert as_bob.post("/account/second-factor", {"code": "000000"}).status_code == 422
    assert not totp.is_on(bob)
    assert password(Client()).headers["Location"] == "/samples/"
