"""What the last walk along the chain found, kept for the badge of the page."""

from django.utils import timezone

from portal.audit.models import AuditCheck
from portal.audit.verifying import Walk, verify


def check_chain() -> AuditCheck:
    """Walk the whole chain and keep what was found."""
    return keep(verify())


def keep(walk: Walk) -> AuditCheck:
    """Keep the end of a walk."""
    found = {
        "at": timezone.now(),
        "count": walk.count,
        "last": walk.sequence,
        "broken_at": walk.broken.sequence if walk.broken else 0,
        "message": walk.broken.message if walk.broken else "",
    }
    kept, _ = AuditCheck.objects.update_or_create(pk=1, defaults=found)
    return kept


def last_check() -> AuditCheck | None:
    return AuditCheck.objects.filter(pk=1).first()
