"""Old threads are deleted as old evaluations are: once nothing has happened in them for that long."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from agents.models import Thread

BATCH = 100


def purge(*, days: int | None = None) -> int:
    """Delete threads without an event for `days` (default: as for evaluations); return how many.

    With a live agent's thread goes what was switched in it: it begins anew should the agent ever come back to it.
    """
    before = timezone.now() - timedelta(days=settings.EVALUATION_RETENTION_DAYS if days is None else days)
    gone = 0
    while keys := list(
        Thread.objects.filter(last_event_at__lt=before, state=Thread.State.IDLE)
        .order_by("last_event_at")
        .values_list("pk", flat=True)[:BATCH]
    ):
        Thread.objects.filter(pk__in=keys).delete()
        gone += len(keys)
    return gone
