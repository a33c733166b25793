"""Signing in and out, sessions and passwords, each with its audit event."""

from django.contrib.auth import SESSION_KEY, login, logout, update_session_auth_hash
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest

from portal.access import seats
from portal.access.actors import Actor, actor_of
from portal.access.models import Seat
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.http import client_address
from portal.shown import visible

NAME_LIMIT = 150


@transaction.atomic
def sign_in(request: HttpRequest, user: User) -> None:
    login(request, user)
    _note(Verb.SIGNED_IN, actor_of(request), key=str(user.pk))


@transaction.atomic
def sign_out(request: HttpRequest) -> None:
    if request.user.is_authenticated:
        _note(Verb.SIGNED_OUT, actor_of(request), key=str(request.user.pk))
    logout(request)


@transaction.atomic
def end_one(request: HttpRequest, seat: Seat) -> None:
    """Sign the user of `request` out where `seat` says."""
    seats.end(seat)
    _note(Verb.SESSION_ENDED, actor_of(request), key=str(request.user.pk))


@transaction.atomic
def end_everywhere(request: HttpRequest) -> int:
    """Sign the user of `request` out everywhere, here included; tell how many sessions there were."""
    user = request.user
    assert user.is_authenticated  # noqa: S101 - a page for those who are
    ended = seats.end_all(user=user)
    _note(Verb.SIGNED_OUT_EVERYWHERE, actor_of(request), key=str(user.pk))
    logout(request)
    return ended


@transaction.atomic
def set_password(request: HttpRequest, password: str) -> None:
    """Change the password of the user of `request`, who stays signed in here and nowhere else."""
    user = request.user
    assert user.is_authenticated  # noqa: S101 - a page for those who are
    user.set_password(password)
    user.save(update_fields=["password"])
    seats.end_all(user=user)
    update_session_auth_hash(request, user)
    request.session.pop(seats.SEEN, None)  # its key is a new one
    _note(Verb.PASSWORD_CHANGED, actor_of(request), key=str(user.pk))


def closed(request: HttpRequest) -> bool:
    """Whether the session of `request` is of an account that was deactivated; if so, it ends."""
    key = str(request.session.get(SESSION_KEY, ""))
    if request.user.is_authenticated or not key.isdecimal():
        return False
    inactive = User.objects.filter(pk=int(key), is_active=False).exists()
    request.session.flush()
    return inactive


@transaction.atomic
def note_failure(request: HttpRequest, name: str, *, locks: bool = False) -> None:
    """Note that somebody tried to sign in under `name`, which need not be anybody's, and whether that locked it."""
    tried = visible(name[:NAME_LIMIT])[:NAME_LIMIT]
    address, request_id = client_address(request), getattr(request, "request_id", "")
    _note(
        Verb.LOCKED_OUT if locks else Verb.SIGN_IN_FAILED,
        Actor(kind="user", key="", text=tried or "nobody", address=address, request_id=request_id),
    )


def _note(verb: Verb, by: Actor, key: str = "") -> None:
    record(verb, by=by, object_type="session", object_key=key, object_text=by.text)
