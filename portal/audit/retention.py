"""Old audit events purged: the oldest ones, in their order, with a signed mark in the chain that says so."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.models import AuditEvent, AuditHead
from portal.audit.verbs import Verb
from portal.audit.verifying import sign

BATCH = 10_000


def purge(*, days: int | None = None, by: Actor | None = None) -> int:
    """Delete what is older than `days` (default: AUDIT_RETENTION_DAYS, where 0 keeps all); return how many events went.

    Each batch is a transaction of its own, which leaves its own mark.
    """
    by = by or Actor.system("retention")
    days = settings.AUDIT_RETENTION_DAYS if days is None else days
    if not days:
        return 0
    before, gone = timezone.now() - timedelta(days=days), 0
    while count := _purge_batch(before, days, by):
        gone += count
    return gone


@transaction.atomic
def _purge_batch(before: datetime, days: int, by: Actor) -> int:
    head = AuditHead.objects.select_for_update().filter(pk=1).first()
    oldest = AuditEvent.objects.order_by("sequence").first()
    if head is None or oldest is None or oldest.at >= before:
        return 0
    last = oldest.sequence + BATCH - 1
    young = AuditEvent.objects.filter(sequence__lte=last, at__gte=before).order_by("sequence").first()
    through = AuditEvent.objects.filter(sequence__lte=young.sequence - 1 if young else last).order_by("-sequence")[0]
    count = _delete(head, through.sequence)
    told = {"through": through.sequence, "hash": through.hash, "olderThanDays": days}
    record(
        Verb.AUDIT_PURGED,
        by=by,
        object_type="audit log",
        object_text=f"{count:,} events, up to number {through.sequence:,}",
        after={**told, "signature": sign(through.sequence, through.hash)},
        summary=f"Events older than {days} days",
    )
    return count


def _delete(head: AuditHead, through: int) -> int:
    """Delete the first events. This is the one way past the triggers: they let go what `purge_through` covers."""
    head.purge_through = through
    head.save(update_fields=["purge_through"])
    count: int = QuerySet(AuditEvent).filter(sequence__lte=through)._raw_delete(connection.alias)
    head.purge_through = 0
    head.save(update_fields=["purge_through"])
    return count
