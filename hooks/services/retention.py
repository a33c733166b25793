"""Old evaluations are deleted, a bounded number at a time, so that no transaction grows with the table."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from hooks.models import Evaluation, Lease, TestRun
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb

BATCH = 200


def purge(*, days: int | None = None, by: Actor | None = None) -> int:
    """Delete evaluations and test runs older than `days` (default: the setting); return how many evaluations went."""
    by = by or Actor.system("retention")
    days = settings.EVALUATION_RETENTION_DAYS if days is None else days
    before, gone = timezone.now() - timedelta(days=days), 0
    while keys := list(
        Evaluation.objects.filter(created_at__lt=before).order_by("created_at").values_list("pk", flat=True)[:BATCH]
    ):
        Evaluation.objects.filter(pk__in=keys).delete()
        gone += len(keys)
    TestRun.objects.filter(ended_at__lt=before).delete()
    Lease.objects.filter(until__lt=timezone.now() - timedelta(days=1)).delete()
    if gone:
        with transaction.atomic():
            after = {"olderThanDays": days, "count": gone}
            record(Verb.PURGED, by=by, object_type="evaluations", object_text=f"{gone:,} evaluations", after=after)
    return gone
