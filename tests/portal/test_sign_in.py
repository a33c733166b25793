"""Signing in and out."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from portal.audit.models import AuditEvent
from tests.pages import words


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
    noted = AuditEvent.objects.filter(verb__startswith="session.").order_by("sequence")
    assert [(event.verb.split(".")[1], event.actor_text) for event in noted] == [
        ("sign_in_failed", "bob"),
        ("signed_in", "bob"),
        ("signed_out", "bob"),
    ]


@pytest.mark.parametrize("name", ["x" * 3000, "a\x00b", "\u202e"])
def test_whatever_name_is_tried_can_be_noted(db: None, name: str) -> None:
    page = Client().post("/sign-in", {"username": name, "password": "wrong"})
    assert page.status_code == 422


@pytest.mark.parametrize("next", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\r\nX: y", ""])
def test_signing_in_leads_nowhere_else(bob: User, next: str) -> None:
    page = Client().post("/sign-in", {"username": "bob", "password": "correct-horse", "next": next})
    assert page.headers["Location"] == "/"


def test_empty_fields_have_words_of_their_own(db: None) -> None:
    page = Client().post("/sign-in", {"username": "", "password": ""})
    assert "Fill in both the user name and the password" in words(page)
