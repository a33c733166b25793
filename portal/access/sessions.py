"""Signing in and out, each with its audit event."""

from django.contrib.auth import login, logout
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest

from portal.access.actors import Actor, actor_of
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
def note_failure(request: HttpRequest, name: str) -> None:
    """Note that somebody tried to sign in under `name`, which need not be anybody's."""
    tried = visible(name[:NAME_LIMIT])[:NAME_LIMIT]
    address, request_id = client_address(request), getattr(request, "request_id", "")
    _note(
        Verb.SIGN_IN_FAILED, Actor(kind="user", key="", text=tried or "nobody", address=address, request_id=request_id)
    )


def _note(verb: Verb, by: Actor, key: str = "") -> None:
    record(verb, by=by, object_type="session", object_key=key, object_text=by.text)
