"""One at a time, across threads, processes and machines, without holding a transaction open while hooks run."""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from hooks.models import Lease

FIRST_WAIT, LONGEST_WAIT = 0.02, 0.2


class Lost(Exception):
    """The lease could not be had in time."""


@contextmanager
def lease(name: str, *, seconds: float, patience: float) -> Iterator[None]:
    """Hold the lease `name` within the block, however long that takes: it is renewed as long as this process lives.

    Runs out `seconds` after the process died. Waits at most `patience` seconds for who has it, then raises Lost.
    """
    holder, end, wait = secrets.token_hex(16), time.monotonic() + patience, FIRST_WAIT
    while not _take(name, holder, seconds):
        if time.monotonic() >= end:
            raise Lost(name)
        time.sleep(wait)
        wait = min(wait * 1.5, LONGEST_WAIT)
    done = threading.Event()
    threading.Thread(target=_renew, args=(name, holder, seconds, done), daemon=True).start()
    try:
        yield
    finally:
        done.set()
        Lease.objects.filter(name=name, holder=holder).delete()


def _take(name: str, holder: str, seconds: float) -> bool:
    now = timezone.now()
    until = now + timedelta(seconds=seconds)
    if Lease.objects.filter(name=name, until__lt=now).update(holder=holder, until=until):
        return True
    try:
        with transaction.atomic():
            Lease.objects.create(name=name, holder=holder, until=until)
    except IntegrityError:
        return False
    return True


def _renew(name: str, holder: str, seconds: float, done: threading.Event) -> None:
    try:
        while not done.wait(seconds / 3):
            with suppress(DatabaseError):  # a database that is away for a moment is asked again
                until = timezone.now() + timedelta(seconds=seconds)
                Lease.objects.filter(name=name, holder=holder).update(until=until)
    finally:
        connection.close()
