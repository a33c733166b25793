"""The chain of audit events: appending to it and checking it."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.db import transaction
from django.utils import timezone

from hooks.engine import strictjson
from portal.access.actors import Actor
from portal.audit.models import AuditEvent, AuditHead
from portal.audit.verbs import Verb

HASHED = (
    "sequence",
    "verb",
    "actor_kind",
    "actor_key",
    "actor_text",
    "address",
    "request_id",
    "agent_name",
    "object_type",
    "object_key",
    "object_text",
    "before",
    "after",
    "previous_hash",
)


def record(
    verb: Verb,
    *,
    by: Actor,
    object_type: str,
    object_text: str,
    object_key: str | int = "",
    agent_name: str = "",
    before: Any = None,
    after: Any = None,
) -> AuditEvent:
    """Append one event, in the caller's transaction. Call it last there: it locks the end of the chain until the commit."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("record() needs the transaction of the change that it records")
    AuditHead.objects.get_or_create(pk=1)
    head = AuditHead.objects.select_for_update().get(pk=1)
    event = AuditEvent(
        sequence=head.sequence + 1,
        at=timezone.now(),
        verb=verb,
        actor_kind=by.kind,
        actor_key=by.key,
        actor_text=by.text[:200],
        address=by.address,
        request_id=by.request_id,
        agent_name=agent_name,
        object_type=object_type,
        object_key=str(object_key),
        object_text=object_text[:300],
        before=before,
        after=after,
        previous_hash=head.hash,
    )
    event.hash = digest(event)
    event.save(force_insert=True)
    head.sequence, head.hash = event.sequence, event.hash
    head.save(update_fields=["sequence", "hash"])
    return event


def digest(event: AuditEvent) -> str:
    """Hash all that an event says, the hash of the one before included."""
    said = {name: getattr(event, name) for name in HASHED} | {"at": event.at.astimezone(UTC).isoformat()}
    return hashlib.sha256(strictjson.dumps({name: said[name] for name in sorted(said)}).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Broken:
    """The first place at which the chain does not hold."""

    sequence: int
    message: str


def verify() -> tuple[int, Broken | None]:
    """Walk the chain; return how many events hold and the first break, if there is one."""
    count, previous = 0, ""
    for event in _oldest_first():
        if event.sequence != count + 1:
            return count, Broken(count + 1, f"Event {count + 1} is missing: the next one is {event.sequence}.")
        if event.previous_hash != previous:
            return count, Broken(event.sequence, f"Event {event.sequence} does not follow the one before it.")
        if event.hash != digest(event):
            return count, Broken(event.sequence, f"Event {event.sequence} was changed after it was written.")
        count, previous = count + 1, event.hash
    head = AuditHead.objects.filter(pk=1).first()
    if head is not None and (head.sequence, head.hash) != (count, previous):
        return count, Broken(
            count + 1, f"The last events are missing: {head.sequence} were written, {count} are there."
        )
    return count, None


def _oldest_first() -> Iterator[AuditEvent]:
    return AuditEvent.objects.order_by("sequence").iterator(chunk_size=500)
