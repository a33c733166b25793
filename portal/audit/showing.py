"""An audit event as programs read it: in the API, in exports, on standard output."""

from datetime import UTC, datetime
from typing import Any

from portal.audit.diff import diff
from portal.audit.models import AuditEvent


def summarise(event: AuditEvent) -> dict[str, Any]:
    """Show who did what to what, when and from where, without what it was before and after."""
    return {
        "sequence": event.sequence,
        "at": moment(event.at),
        "action": event.verb,
        "actor": {"kind": event.actor_kind, "key": event.actor_key, "name": event.actor_text},
        "address": event.address,
        "requestId": event.request_id,
        "agent": event.agent_name or None,
        "target": {"type": event.object_type, "key": event.object_key, "name": event.object_text},
        "summary": event.summary,
        "hash": event.hash,
    }


def with_diff(event: AuditEvent) -> dict[str, Any]:
    """Show an event with what it changed, field by field."""
    return summarise(event) | {"diff": diff(event.before or {}, event.after or {})}


def describe(event: AuditEvent) -> dict[str, Any]:
    """Show all of an event: what its hash is made of."""
    return summarise(event) | {
        "before": event.before,
        "after": event.after,
        "previousHash": event.previous_hash,
    }


def moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
