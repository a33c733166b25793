"""Settings → Members: roles, invites, accounts closed and opened again."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from portal.access.actors import Actor
from portal.access.invites import accept, create_invite, find_invite
from portal.access.members import deactivate, set_role
from portal.access.models import Invite, Membership
from portal.audit.models import AuditEvent
from portal.errors import Conflict, Refused
from tests.concurrency import at_once
from tests.pages import words
from tests.shell import person

INVITE = {"note": "Erin", "role": "editor", "days": "7"}
NEW = {"username": "erin", "password": "a-long-sentence", "again": "a-long-sentence"}


@pytest.fixture
def as_alice(signed_in: Callable[[User], Client], alice: User) -> Client:
    """alice, the only admin, at her browser."""
    return signed_in(alice)


@pytest.fixture
def link(as_alice: Client) -> str:
    """The link of an invite that alice has made, without the host."""
    page = as_alice.post("/members/invite", INVITE)
    found = re.search(r"http://testserver(/join/[\w-]+)<", page.content.decode())
    assert found and "no-store" in page.headers["Cache-Control"]
    return found[1]


def verbs(*, skip: int = 0) -> list[str]:
    return [event.verb for event in AuditEvent.objects.order_by("sequence")][skip:]


def test_invited_accepted_promoted_and_put_out(as_alice: Client, link: str) -> None:
    assert "Erin" in words(as_alice.get("/members/")) and link.split("/")[-1] not in words(as_alice.get("/members/"))
    erin, start = Client(), AuditEvent.objects.count()
    page = erin.get(link)
    assert "alice invites you as Editor" in words(page) and "at least 10 characters" in words(page)
    assert erin.post(link, NEW).headers["Location"] == "/hooks/?agent=sre-agent"
    assert erin.get("/hooks/create").status_code == 200 and erin.get("/members/").status_code == 403
    user = User.objects.get(username="erin")
    assert as_alice.post(f"/members/{user.pk}/role", {"role": "admin"}).status_code == 303
    assert erin.get("/members/").status_code == 200
    assert "signed out at its next request" in words(as_alice.get(f"/members/{user.pk}/deactivate"))
    assert as_alice.post(f"/members/{user.pk}/deactivate").status_code == 303
    assert erin.get("/hooks/").headers["Location"] == "/sign-in?next=/hooks/"
    assert "Your account was deactivated" in words(erin.get("/sign-in?next=/hooks/"))
    assert "User name and password do not match" in words(erin.post("/sign-in", NEW))
    assert as_alice.post(f"/members/{user.pk}/reactivate").status_code == 303
    assert erin.get("/hooks/").status_code == 302
    assert verbs(skip=start) == [
        "session.signed_in",
        "member.added",
        "member.changed",
        "member.deactivated",
        "session.sign_in_failed",
        "member.reactivated",
    ]
    joined = AuditEvent.objects.get(verb="member.added", actor_text="erin")
    assert (joined.object_text, joined.after, joined.agent_name) == ("erin", {"role": "editor"}, "sre-agent")
    kept = str(list(AuditEvent.objects.values())) + str(list(Invite.objects.values()))
    assert link.split("/")[-1] not in kept and NEW["password"] not in kept


def test_a_session_from_before_does_not_come_back(as_alice: Client, bob: User, signed_in: Any) -> None:
    at_work = signed_in(bob)
    for step in ("deactivate", "reactivate"):
        as_alice.post(f"/members/{bob.pk}/{step}")
    assert at_work.get("/hooks/").status_code == 302


def test_a_link_works_once(as_alice: Client, link: str) -> None:
    Client().post(link, NEW)
    page = Client().post(link, {**NEW, "username": "mallory"})
    assert page.status_code == 410 and "used already" in words(page)
    assert not User.objects.filter(username="mallory").exists()
    assert Client().get(link[:-1]).status_code == Client().get("/join/%00").status_code == 404


def test_who_is_a_moment_late_at_a_link_is_told_so(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*, invite: Invite, **_: Any) -> None:
        Invite.objects.filter(pk=invite.pk).update(used_at=timezone.now())
        accept(invite=invite, **_)

    monkeypatch.setattr("portal.access.invites.accept", late)
    client = Client()
    page = client.post(link, NEW)
    assert page.status_code == 410 and "used already" in words(page)
    assert not User.objects.filter(username=NEW["username"]).exists() and client.get("/hooks/").status_code == 302


def test_a_link_ends(as_alice: Client, link: str) -> None:
    Invite.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    page = Client().get(link)
    assert page.status_code == 410 and "has expired" in words(page)
    Invite.objects.update(expires_at=timezone.now() + timedelta(days=1))
    as_alice.post(f"/members/invites/{Invite.objects.get().pk}/withdraw")
    page = Client().post(link, NEW)
    assert page.status_code == 410 and "withdrawn" in words(page)


def test_who_has_an_account_accepts_with_it(link: str, signed_in: Any, dana: User, charlie: User) -> None:
    browser = signed_in(charlie)
    assert "You are signed in as charlie" in words(browser.get(link))
    assert browser.post(link, {"as": str(dana.pk)}).status_code == 409
    assert browser.post(link, {"as": str(charlie.pk)}).status_code == 302
    assert Membership.objects.get(user=charlie).role == "editor"


def test_an_invite_takes_nothing_away(link: str, signed_in: Any, alice: User) -> None:
    page = signed_in(alice).post(link, {"as": str(alice.pk)})
    assert page.status_code == 409 and "a higher one" in words(page)
    assert Invite.objects.get().state == "open" and Membership.objects.get(user=alice).role == "admin"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"username": ""}, "This field is required"),
        ({"username": "<b>x</b>"}, "Enter a valid username"),
        ({"username": "ALICE"}, "Somebody has this user name already"),
        ({"username": "x" * 151}, "at most 150 characters"),
        ({"again": "another"}, "The two passwords differ"),
        ({"password": "short", "again": "short"}, "at least 10 characters"),
        ({"password": "password123", "again": "password123"}, "too common"),
        ({"username": "erinerin", "password": "erinerin12", "again": "erinerin12"}, "too similar"),
        ({"password": "x" * 5000, "again": "x" * 5000}, "at most 1024 characters"),
    ],
)
def test_what_is_wrong_is_said_and_the_link_still_opens(link: str, changed: dict[str, str], said: str) -> None:
    page = Client().post(link, NEW | changed)
    assert page.status_code == 422 and said in words(page)
    assert "<b>x</b>" not in page.content.decode() and User.objects.count() == 1
    assert Invite.objects.get().state == "open"


@pytest.mark.parametrize("changed", [{"note": ""}, {"note": "x" * 101}, {"role": "root"}, {"days": "9999"}])
def test_no_invite_is_made_of_nonsense(as_alice: Client, changed: dict[str, str]) -> None:
    assert as_alice.post("/members/invite", INVITE | changed).status_code == 422
    assert not Invite.objects.exists()


def test_html_in_a_name_is_text(as_alice: Client) -> None:
    as_alice.post("/members/invite", INVITE | {"note": "<script>alert(1)</script>"})
    assert "<script>alert(1)" not in as_alice.get("/members/").content.decode()


def test_the_last_admin_stays(as_alice: Client, alice: User, bob: User) -> None:
    tries: list[tuple[str, dict[str, str]]] = [("role", {"role": "viewer"}), ("remove", {}), ("deactivate", {})]
    for step, form in tries:
        page = as_alice.post(f"/members/{alice.pk}/{step}", form)
        assert page.status_code == 409 and "alice is the last admin" in words(page)
    as_alice.post(f"/members/{bob.pk}/role", {"role": "admin"})
    assert as_alice.post(f"/members/{alice.pk}/role", {"role": "viewer"}).headers["Location"] == "/"
    assert as_alice.get("/members/").status_code == 403


def test_a_role_that_is_none_and_a_member_who_is_none(as_alice: Client, bob: User, charlie: User) -> None:
    assert as_alice.post(f"/members/{bob.pk}/role", {"role": "root"}).status_code == 400
    assert as_alice.post(f"/members/{charlie.pk}/role", {"role": "admin"}).status_code == 404
    assert as_alice.post(f"/members/{2**64}/deactivate").status_code == 404
    assert Membership.objects.get(user=bob).role == "editor"


def test_an_account_with_roles_elsewhere_is_not_this_admins_to_close(
    as_alice: Client, bob: User, root: User, signed_in: Any, by: Actor
) -> None:
    other = create_agent(name="other", by=by)
    set_role(agent=other, user=bob, role="viewer", by=by)
    page = as_alice.post(f"/members/{bob.pk}/deactivate")
    assert page.status_code == 403 and "which you do not administer" in words(page)
    assert as_alice.post(f"/members/{bob.pk}/role?agent=other", {"role": "admin"}).status_code == 403
    assert signed_in(root).post(f"/members/{bob.pk}/deactivate").status_code == 303
    bob.refresh_from_db()
    assert not bob.is_active


def test_an_admin_does_not_close_a_superusers_account(as_alice: Client, agent: Agent, root: User, by: Actor) -> None:
    set_role(agent=agent, user=root, role="viewer", by=by)
    assert as_alice.post(f"/members/{root.pk}/deactivate").status_code == 403


def test_who_is_admin_no_more_leaves_no_door_open(as_alice: Client, link: str, root: User, signed_in: Any) -> None:
    alice = User.objects.get(username="alice")
    signed_in(root).post(f"/members/{alice.pk}/role", {"role": "viewer"})
    assert Client().get(link).status_code == 410
    assert AuditEvent.objects.get(verb="member.changed").after == {"role": "viewer", "invitesWithdrawn": 1}


def test_no_post_without_its_token(alice: User, bob: User, link: str) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    for address in (
        *(f"/members/{bob.pk}/{step}" for step in ("role", "remove", "deactivate", "reactivate")),
        "/members/invite", "/members/invites/1/withdraw", "/account/password", "/account/sign-out-everywhere",
        "/account/sessions/1/end", link, "/sign-in", "/sign-out",
    ):  # fmt: skip
        assert browser.post(address, {"role": "admin"}).status_code == 403, address


def test_many_members_take_pages_and_few_queries(
    as_alice: Client, agent: Agent, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    users = User.objects.bulk_create([User(username=f"user{number:04}") for number in range(130)])
    Membership.objects.bulk_create([Membership(user=user, agent=agent) for user in users])
    with django_assert_max_num_queries(12):
        page = as_alice.get("/members/")
    assert "1–50 / 131" in words(page) and len(page.content) < 150_000


@pytest.mark.django_db(transaction=True)
def test_of_two_last_admins_who_step_down_at_once_one_stays(agent: Agent, by: Actor) -> None:
    admins = [person(name, agent, "admin") for name in ("first", "second")]

    def step_down(user: User) -> Any:
        try:
            set_role(agent=agent, user=user, role="viewer", by=by)
        except Conflict:
            return "stays"
        return "steps down"

    def leave(user: User) -> Any:
        try:
            deactivate(agent=agent, user=user, admin=user, by=by)
        except Conflict:
            return "stays"
        return "steps down"

    assert sorted(at_once(lambda: step_down(admins[0]), lambda: leave(admins[1]))) == ["stays", "steps down"]
    assert agent.memberships.filter(role="admin", user__is_active=True).count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_who_open_a_link_at_once_one_gets_in(agent: Agent, by: Actor) -> None:
    admin = person("admin", agent, "admin")
    _, secret = create_invite(agent=agent, role="editor", note="x", days=1, admin=admin, by=by)
    found = find_invite(secret)

    def take(user: User) -> bool:
        try:
            accept(invite=found, user=user, by=by)
        except Refused:
            return False
        return True

    users = [User.objects.create_user(f"u{number}") for number in range(4)]
    assert sum(at_once(*(lambda user=user: take(user) for user in users))) == 1  # type: ignore[misc]
    assert agent.memberships.filter(role="editor").count() == 1
