"""Signing in is slowed down: after failures under a name, or from an address, nobody gets in that way for a while.

A name is counted whether or not it is anybody's, so that a lock tells nothing. An attempt counts before its password is
looked at, so that many at the same moment are no way round.
"""

import hashlib
import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from portal.access.models import Attempts
from portal.http import client_address

OF_A_NAME, FROM_AN_ADDRESS = 5, 30  # failures, within
WINDOW = timedelta(minutes=15)
LOCK = timedelta(minutes=5)
FROM = "from:"  # before an address; what is tried stands before a name


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try. `wait` is how many seconds are to be waited (it must not go on then); `last` whether failing now locks."""

    keys: tuple[str, ...]
    wait: int = 0
    last: bool = False


@transaction.atomic
def begin(request: HttpRequest, name: str, *, of: str = "name") -> Attempt:
    """Count an attempt as if it failed; `succeeded` takes that back. `of` says what is tried: each is counted by itself."""
    now = timezone.now()
    limits = {_of_name(of, name): OF_A_NAME, _of_address(client_address(request)): FROM_AN_ADDRESS}
    keys = tuple(sorted(limits))  # one order for all, so that two attempts never wait for each other
    rows = [_row(key, now) for key in keys]
    locked = [row.locked_until for row in rows if row.locked_until and row.locked_until > now]
    if locked:
        return Attempt(keys, wait=max(1, int((max(locked) - now).total_seconds() + 0.999)))
    last = False
    for row in rows:
        if row.locked_until or now - row.since > WINDOW:
            row.failures, row.since, row.locked_until = 0, now, None
        row.failures += 1
        if row.failures >= limits[row.key]:
            row.locked_until, last = now + LOCK, True
        row.save()
    return Attempt(keys, last=last)


@transaction.atomic
def succeeded(attempt: Attempt) -> None:
    """Forget the failures under the name. Those from the address stay: somebody's own account must not wash them away."""
    for key in attempt.keys:
        row = Attempts.objects.select_for_update().filter(pk=key).first()
        if row is None:
            continue
        row.failures = max(0, row.failures - 1) if key.startswith(FROM) else 0
        row.locked_until = None
        row.save()


def purge(now: datetime) -> int:
    """Delete what no longer counts."""
    return Attempts.objects.filter(since__lt=now - WINDOW - LOCK).delete()[0]


def _row(key: str, now: datetime) -> Attempts:
    Attempts.objects.get_or_create(pk=key, defaults={"since": now})
    return Attempts.objects.select_for_update().get(pk=key)


def _of_name(of: str, name: str) -> str:
    return f"{of}:" + hashlib.sha256(name.casefold().encode("utf-8", "replace")).hexdigest()


def _of_address(address: str) -> str:
    """Take a network of IPv6 for one address: whoever has one has all of it."""
    try:
        place = ipaddress.ip_address(address)
    except ValueError:
        return f"{FROM}{address[:60]}"
    return f"{FROM}{ipaddress.ip_network((place, 64), strict=False) if place.version == 6 else place}"
