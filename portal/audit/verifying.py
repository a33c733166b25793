"""Walking along the chain of audit events, to see whether it holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.signing import BadSignature, Signer
from django.db.models import Subquery, TextField
from django.db.models.functions import Cast

from portal.audit.chain import FIRST, LAST, digest
from portal.audit.models import AuditEvent, AuditHead
from portal.audit.verbs import Verb

BATCH = 1_000
COLUMNS = (*FIRST, "agent_name", "at", *LAST, "hash", "was", "became")
SALT = "portal.audit.purge"
TRIES = 3


@dataclass(frozen=True, slots=True)
class Broken:
    """The first place at which the chain does not hold."""

    sequence: int
    message: str


@dataclass(frozen=True, slots=True)
class Walk:
    """How far a walk came: `count` events hold, the last of them `sequence` with `hash`; it ends at `end`."""

    count: int
    sequence: int
    hash: str
    end: int
    broken: Broken | None = None

    @property
    def done(self) -> bool:
        return self.broken is not None or self.sequence >= self.end


def verify() -> Walk:
    """Walk the whole chain."""
    walk = begin()
    for _ in range(TRIES):
        while not walk.done:
            walk = go_on(walk, limit=BATCH)
        mark = newest_mark()
        if walk.broken is None or mark is None or walk.broken.sequence > mark[0]:
            return walk
        walk = begin()  # what was missing, a purge took away meanwhile
    return walk


def begin() -> Walk:
    """Stand before the first event that is kept. Where earlier ones were purged, the mark of the purge must say so."""
    first = AuditEvent.objects.order_by("sequence").values_list("sequence", flat=True).first()
    ends = AuditHead.objects.filter(pk=1).annotate(
        newest=Subquery(AuditEvent.objects.order_by("-sequence").values("sequence")[:1])
    )
    head = ends.first()
    if head is None:
        count = AuditEvent.objects.count()
        broken = Broken(1, f"The end of the chain is not known, though there are {count:,} events.") if count else None
        return Walk(0, 0, "", 0, broken)
    if (head.newest or 0) > head.sequence:
        told = f"Event {head.sequence + 1} was not written by the portal: the chain ends at {head.sequence}."
        return Walk(0, 0, "", head.sequence, Broken(head.sequence + 1, told))
    if first in (1, None) and not (first is None and head.sequence):
        return Walk(0, 0, "", head.sequence)
    mark = newest_mark()
    if mark is None or mark[0] + 1 != first:
        last = (first or head.sequence + 1) - 1
        return Walk(0, 0, "", head.sequence, Broken(1, f"Events 1 to {last} are missing, and no purge tells of it."))
    return Walk(0, mark[0], mark[1], head.sequence)


def newest_mark() -> tuple[int, str] | None:
    """Read the mark that the last purge left: the last event that it deleted, and its hash. None without a sound one."""
    event = AuditEvent.objects.filter(agent_name="", verb=Verb.AUDIT_PURGED).order_by("-sequence").first()
    said = event.after if event is not None and isinstance(event.after, dict) else {}
    try:
        Signer(salt=SALT).unsign(f"{said['through']}/{said['hash']}:{said['signature']}")
        return int(said["through"]), str(said["hash"])
    except (BadSignature, KeyError, TypeError, ValueError):
        return None


def sign(through: int, last_hash: str) -> str:
    return Signer(salt=SALT).signature(f"{through}/{last_hash}")


def go_on(walk: Walk, *, limit: int) -> Walk:
    """Walk over the next `limit` events."""
    count, sequence, previous, seen = walk.count, walk.sequence, walk.hash, 0
    for row in _rows(walk, limit):
        seen += 1
        if broken := _fault(row, sequence, previous):
            return Walk(count, sequence, previous, walk.end, broken)
        count, sequence, previous = count + 1, row["sequence"], row["hash"]
    if seen < limit and sequence < walk.end:
        told = f"The last events are missing: {walk.end:,} were written, the last one that is there is {sequence:,}."
        return Walk(count, sequence, previous, walk.end, Broken(sequence + 1, told))
    if sequence == walk.end and not _is_end(sequence, previous):
        told = f"Event {sequence} is not the one that the portal wrote last."
        return Walk(count - 1, sequence - 1, "", walk.end, Broken(sequence, told))
    return Walk(count, sequence, previous, walk.end)


def _is_end(sequence: int, found: str) -> bool:
    """Whether the end of the chain says the same; where it has gone on since, the next event does."""
    head = AuditHead.objects.get(pk=1)
    return head.sequence > sequence or head.hash == found


def _fault(row: dict[str, Any], sequence: int, previous: str) -> Broken | None:
    here = row["sequence"]
    if here != sequence + 1:
        return Broken(sequence + 1, f"Event {sequence + 1} is missing: the next one is {here}.")
    if row["previous_hash"] != previous:
        return Broken(here, f"Event {here} does not follow the one before it.")
    if row["hash"] != digest(row, row["was"], row["became"]):
        return Broken(here, f"Event {here} was changed after it was written.")
    return None


def _rows(walk: Walk, limit: int) -> Iterator[dict[str, Any]]:
    """Read rows as they are stored: what is inside `before` and `after` need not be parsed to be hashed."""
    rows = AuditEvent.objects.filter(sequence__gt=walk.sequence, sequence__lte=walk.end).order_by("sequence")
    as_text = {"was": Cast("before", TextField()), "became": Cast("after", TextField())}
    found = rows.annotate(**as_text).values_list(*COLUMNS)[:limit]
    return (dict(zip(COLUMNS, row, strict=True)) for row in found.iterator(chunk_size=200))
