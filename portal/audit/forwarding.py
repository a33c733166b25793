"""Audit events as JSON lines on standard output, for a collector (AUDIT_TO_STDOUT)."""

import logging
import sys
from typing import Any

from django.conf import settings
from django.db import transaction

from hooks.engine import strictjson
from portal.audit.models import AuditEvent
from portal.audit.showing import describe

log = logging.getLogger(__name__)


def after_commit(event: AuditEvent) -> None:
    """Write the event once it is in force; what was rolled back never happened. A collector that is gone stops no change."""
    if settings.AUDIT_TO_STDOUT:
        line = strictjson.dumps(describe(event))
        transaction.on_commit(lambda: _write(line), robust=True)


def _write(line: Any) -> None:
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        log.warning("An audit event could not be written to standard output.", exc_info=True)
