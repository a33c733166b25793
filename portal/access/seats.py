"""Where a user is signed in: a row for each browser, and ending them."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from portal.access.models import Seat
from portal.http import client_address
from portal.shown import visible

SEEN, EVERY = "seen", 60  # s; looking at a page writes at most once a minute
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "CrOS", "Linux")
BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "Safari", "curl")
NAMES = {"Mac OS X": "macOS", "CrOS": "ChromeOS", "Edg": "Edge", "OPR": "Opera"}


class SeatMiddleware:
    """Notes when and from where each session was last used."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        # A session that nobody has looked at holds nobody: static files and tokens cost nothing here.
        if request.session.accessed and request.session.session_key and "_auth_user_id" in request.session:
            note(request, request.user)
        return response


def note(request: HttpRequest, user: Any) -> None:
    """Write that the session of `request` is in use, at most once a minute."""
    now = timezone.now()
    if user is None or not user.is_authenticated or now.timestamp() - request.session.get(SEEN, 0) < EVERY:
        return
    if request.session.session_key is None:
        request.session.create()
    request.session[SEEN] = int(now.timestamp())
    values = {"address": client_address(request), "device": visible(request.headers.get("User-Agent", ""))[:300]}
    Seat.objects.update_or_create(
        session_key=str(request.session.session_key), defaults={**values, "user": user, "seen_at": now}
    )


def taken(sender: Any, request: HttpRequest | None, user: User, **kwargs: Any) -> None:
    """Note a session when it begins, whichever way in was taken: all of them end in Django's signal."""
    if request is not None:
        request.session.pop(SEEN, None)
        note(request, user)


def given_up(sender: Any, request: HttpRequest | None, **kwargs: Any) -> None:
    """Forget a session when its user signs out."""
    if request is not None and request.session.session_key:
        Seat.objects.filter(session_key=request.session.session_key).delete()


def purge(now: datetime) -> int:
    """Delete the sessions that are over, and what was noted of those; tell how many there were."""
    Session.objects.filter(expire_date__lt=now).delete()
    # A session may be stored a moment after its seat.
    old = Seat.objects.filter(seen_at__lt=now - timedelta(minutes=10))
    return old.exclude(session_key__in=Session.objects.values("session_key")).delete()[0]


def of(user: User) -> list[Seat]:
    """List where `user` is signed in now, the one used last first."""
    seats = list(user.seats.all()[:200])
    keys = [seat.session_key for seat in seats]
    alive = set(
        Session.objects.filter(pk__in=keys, expire_date__gt=timezone.now()).values_list("session_key", flat=True)
    )
    return [seat for seat in seats if seat.session_key in alive]


def end(seat: Seat) -> None:
    Session.objects.filter(pk=seat.session_key).delete()
    seat.delete()


def end_all(*, user: User, but: str = "") -> int:
    """End every session of `user` except the one with the key `but`; tell how many there were."""
    seats = list(Seat.objects.filter(user=user).exclude(session_key=but))
    Session.objects.filter(pk__in=[seat.session_key for seat in seats]).delete()
    Seat.objects.filter(pk__in=[seat.pk for seat in seats]).delete()
    return len(seats)


def device_of(agent: str) -> str:
    """Name a browser and its system as people know them, as far as it says so itself."""
    browser = next((word for word in BROWSERS if re.search(rf"\b{word}", agent)), "")
    system = next((word for word in SYSTEMS if word in agent), "")
    named = [NAMES.get(word, word) for word in (browser, system) if word]
    return " · ".join(named) or agent[:60]
