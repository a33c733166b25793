"""What workers do for signing in by the clock."""

from celery import shared_task
from django.utils import timezone

from portal.access import lockout, seats


@shared_task(name="portal.access.tasks.purge")
def purge() -> None:
    """Forget failures that no longer count, and sessions that are over."""
    now = timezone.now()
    lockout.purge(now)
    seats.purge(now)
