"""One's own account, and what slows down those who guess."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from portal.access import lockout, tasks
from portal.access.models import Attempts, Seat
from portal.audit.models import AuditEvent
from tests.pages import words

RIGHT = {"username": "bob", "password": "correct-horse"}
WRONG = {"username": "bob", "password": "wrong"}
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile Safari/604.1"
CHANGE = {"current": "correct-horse", "password": "another-long-one", "again": "another-long-one"}


def browser(agent: str = CHROME, address: str = "10.0.0.1") -> Client:
    client = Client(headers={"User-Agent": agent}, REMOTE_ADDR=address)
    assert client.post("/sign-in", RIGHT).status_code == 302
    return client


def events(like: str) -> list[str]:
    return list(AuditEvent.objects.filter(verb__contains=like).order_by("sequence").values_list("verb", flat=True))


def test_sessions_are_listed_and_end_one_by_one(bob: User) -> None:
    desk, phone = browser(), browser(PHONE, "10.0.0.2")
    page = words(desk.get("/account/"))
    for said in ("Chrome · Linux", "Safari · iPhone", "10.0.0.1", "10.0.0.2"):
        assert said in page
    assert page.count("This one") == 1
    seat = Seat.objects.get(address="10.0.0.2")
    assert desk.post(f"/account/sessions/{seat.pk}/end").status_code == 303
    assert phone.get("/hooks/").status_code == 302 and desk.get("/hooks/").status_code == 200
    assert desk.post(f"/account/sessions/{seat.pk}/end").status_code == 404
    assert events("session.ended") == ["session.ended"]


def test_signing_out_everywhere(bob: User) -> None:
    desk, phone = browser(), browser(PHONE)
    assert phone.post("/account/sign-out-everywhere").headers["Location"] == "/sign-in"
    assert desk.get("/hooks/").status_code == phone.get("/hooks/").status_code == 302
    assert events("everywhere") == ["session.signed_out_everywhere"] and events("session.signed_out") == events("every")


def test_a_session_that_is_over_is_forgotten(bob: User) -> None:
    browser().post("/sign-out")
    assert not Seat.objects.exists()
    desk, phone = browser(), browser(PHONE)
    Session.objects.filter(pk=phone.session.session_key).update(expire_date=timezone.now() - timedelta(seconds=1))
    Seat.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    tasks.purge()
    assert [seat.session_key for seat in Seat.objects.all()] == [desk.session.session_key]


def test_nobody_ends_the_session_of_another(bob: User, alice: User, signed_in: Any) -> None:
    desk = browser()
    assert signed_in(alice).post(f"/account/sessions/{Seat.objects.get(user=bob).pk}/end").status_code == 404
    assert desk.get("/hooks/").status_code == 200


def test_looking_at_pages_writes_at_most_once_a_minute(bob: User, django_assert_max_num_queries: Any) -> None:
    desk = browser()
    desk.get("/account/")
    seen = Seat.objects.get().seen_at
    with django_assert_max_num_queries(12):
        desk.get("/account/")
    assert Seat.objects.get().seen_at == seen


def test_a_new_password(bob: User) -> None:
    desk, phone = browser(), browser(PHONE)
    assert desk.post("/account/password", CHANGE).status_code == 303
    assert "You were signed out everywhere else" in words(desk.get("/account/"))
    assert phone.get("/hooks/").status_code == 302
    assert Client().post("/sign-in", RIGHT).status_code == 422
    assert Client().post("/sign-in", {**RIGHT, "password": CHANGE["password"]}).status_code == 302
    assert events("password") == ["password.changed"]
    assert CHANGE["password"] not in str(list(AuditEvent.objects.values()))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"current": "wrong"}, "This is not your current password"),
        ({"again": "x"}, "The two passwords differ"),
        ({"password": "1234567890", "again": "1234567890"}, "too common"),
        ({"password": "", "again": ""}, "This field is required"),
    ],
)
def test_what_is_wrong_with_a_new_password_is_said(bob: User, changed: dict[str, str], said: str) -> None:
    page = browser().post("/account/password", CHANGE | changed)
    assert page.status_code == 422 and said in words(page)
    assert not events("password")


def test_guessing_the_current_password_is_slowed_down(bob: User) -> None:
    desk = browser()
    for _ in range(lockout.OF_A_NAME):
        assert desk.post("/account/password", CHANGE | {"current": "wrong"}).status_code == 422
    assert desk.post("/account/password", CHANGE).status_code == 429


# --- the lock


def test_each_thing_that_is_tried_is_locked_by_itself(bob: User) -> None:
    desk = browser()
    for of in ("own password", "second factor"):
        for _ in range(lockout.OF_A_NAME):
            Client().post("/sign-in", {"username": f"bob ({of})", "password": "wrong"})
    assert desk.post("/account/password", CHANGE).status_code == 303


def test_failures_are_forgotten_when_they_no_longer_count(bob: User) -> None:
    Client().post("/sign-in", WRONG)
    tasks.purge()
    assert Attempts.objects.exists()
    Attempts.objects.update(since=timezone.now() - timedelta(hours=1))
    tasks.purge()
    assert not Attempts.objects.exists()


@pytest.mark.parametrize("name", ["bob", "no-such-user"])
def test_a_name_is_locked_for_a_while_whoevers_it_is(bob: User, name: str) -> None:
    for _ in range(lockout.OF_A_NAME):
        page = Client().post("/sign-in", {"username": name, "password": "wrong"})
        assert page.status_code == 422
    page = Client().post("/sign-in", {"username": name.upper(), "password": "correct-horse"})
    assert page.status_code == 429 and page.headers["Retry-After"] == "300"
    assert "Try again in 5 minutes" in words(page)
    failed = ["session.sign_in_failed"] * (lockout.OF_A_NAME - 1)
    assert events("session.") == [*failed, "session.locked_out"]
    Attempts.objects.update(locked_until=timezone.now())
    assert Client().post("/sign-in", {"username": name, "password": "wrong"}).status_code == 422


def test_right_after_wrong_starts_anew(bob: User) -> None:
    for _ in range(3):
        for _ in range(lockout.OF_A_NAME - 1):
            Client().post("/sign-in", WRONG)
        assert Client().post("/sign-in", RIGHT).status_code == 302


def test_an_address_that_tries_many_names_is_locked(bob: User, settings: Any) -> None:
    settings.TRUSTED_PROXIES = ["127.0.0.1"]

    def attempt(number: int, address: str = "203.0.113.9") -> int:
        form = {"username": f"name{number}", "password": "x"}
        return Client().post("/sign-in", form, headers={"X-Forwarded-For": f"1.2.3.{number}, {address}"}).status_code

    assert {attempt(number) for number in range(lockout.FROM_AN_ADDRESS)} == {422}
    assert attempt(99) == 429
    assert attempt(99, "203.0.113.10") == 422


def test_signing_in_takes_a_new_session(bob: User) -> None:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = "x" * 32
    client.post("/sign-in", RIGHT)
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != "x" * 32
