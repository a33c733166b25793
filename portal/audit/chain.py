"""The chain of audit events: appending to it, and what its hashes are made of."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from hooks.engine import strictjson
from portal.access.actors import Actor
from portal.audit import forwarding
from portal.audit.bounds import fit
from portal.audit.models import AuditEvent, AuditHead
from portal.audit.summaries import summary_of
from portal.audit.verbs import Verb

# What a hash covers, in the order in which it is written; `after` and `before` stand between these, `summary` among the last.
FIRST = ("actor_key", "actor_kind", "actor_text", "address")
SECOND = ("agent_name", "at")
LAST = ("object_key", "object_text", "object_type", "previous_hash", "request_id", "sequence", "summary", "verb")


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
    summary: str | None = None,
) -> AuditEvent:
    """Append one event, in the caller's transaction: where it cannot be written, the change fails with it.

    Call it last there: it locks the end of the chain until the commit. `summary` is made of the difference if it is not given.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("record() needs the transaction of the change that it records")
    AuditHead.objects.get_or_create(pk=1)
    head = AuditHead.objects.select_for_update().get(pk=1)
    written = fit(before), fit(after)
    event = AuditEvent(
        sequence=head.sequence + 1,
        at=timezone.now(),
        verb=verb,
        actor_kind=by.kind,
        actor_key=_text(by.key, 64),
        actor_text=_text(by.text, 200),
        address=_text(by.address, 64),
        request_id=_text(by.request_id, 64),
        agent_name=agent_name,
        object_type=object_type,
        object_key=_text(object_key, 64),
        object_text=_text(object_text, 300),
        summary=_text(summary_of(before, after) if summary is None else summary, 300),
        before=_read(written[0]),
        after=_read(written[1]),
        previous_hash=head.hash,
    )
    event.hash = digest(vars(event), *written)
    event.save(force_insert=True)
    head.sequence, head.hash = event.sequence, event.hash
    head.save(update_fields=["sequence", "hash"])
    forwarding.after_commit(event)
    return event


def digest(said: Mapping[str, Any], before: str | None, after: str | None) -> str:
    """Hash all that an event says, the hash of the one before included; `before` and `after` as JSON, as they are stored.

    It is the SHA-256 of one JSON object with sorted keys; a summary that is empty is left out of it.
    """
    at: datetime = said["at"]
    second = {"agent_name": said["agent_name"], "at": at.astimezone(UTC).isoformat()}
    last = {name: said[name] for name in LAST if name != "summary" or said[name]}
    parts = (
        json.dumps({name: said[name] for name in FIRST})[:-1],
        f'"after": {after or "null"}',
        json.dumps(second)[1:-1],
        f'"before": {before or "null"}',
        json.dumps(last)[1:],
    )
    return hashlib.sha256(", ".join(parts).encode()).hexdigest()


def _text(value: object, limit: int) -> str:
    # NUL is what PostgreSQL refuses, lone surrogates what no encoding takes.
    return strictjson.clean(str(value)).replace("\x00", "\ufffd")[:limit]


def _read(written: str | None) -> Any:
    return None if written is None else json.loads(written)
