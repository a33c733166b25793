"""The audit log taken away: what a filter selects, as CSV or as lines of JSON, written while it is read."""

import csv
from collections.abc import Iterator
from typing import Any, Literal

from django.db import transaction
from django.http import StreamingHttpResponse

from hooks.engine import strictjson
from portal.access.actors import Actor
from portal.audit import reading
from portal.audit.chain import record
from portal.audit.filters import Filters
from portal.audit.models import AuditEvent
from portal.audit.showing import describe, moment
from portal.audit.verbs import Verb

Format = Literal["csv", "jsonl"]
KINDS: dict[str, str] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}
COLUMNS = (
    *("sequence", "at", "action", "actor kind", "actor", "address", "request id", "agent", "target type", "target"),
    *("summary", "before", "after", "hash"),
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
CHUNK = 64 * 1024


def export(*, agent: Any, wanted: Filters, format: Format, by: Actor) -> StreamingHttpResponse:
    """Answer all that the filters select now. The export itself is recorded first, and not in it."""
    through = reading.newest()
    with transaction.atomic():
        record(
            Verb.AUDIT_EXPORTED,
            by=by,
            object_type="audit log",
            object_text=f"audit log as {format.upper()}",
            agent_name=agent.name,
            after={"format": format, "filter": wanted.given, "through": through},
        )
    events = reading.walk(agent=agent, wanted=wanted, through=through)
    lines = _csv(events) if format == "csv" else _jsonl(events)
    response = StreamingHttpResponse(chunks(lines), content_type=KINDS[format])
    response["Content-Disposition"] = f'attachment; filename="{agent.name}-audit.{format}"'
    response["Cache-Control"] = "no-store"
    return response


def _jsonl(events: Iterator[AuditEvent]) -> Iterator[str]:
    for event in events:
        yield strictjson.dumps(describe(event)) + "\n"


class _Line:
    """What csv writes into; `write` gives back the line."""

    def write(self, line: str) -> str:
        return line


def _csv(events: Iterator[AuditEvent]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield "\ufeff" + writer.writerow(COLUMNS)  # by the mark Excel knows that it is UTF-8
    for event in events:
        yield writer.writerow([_cell(value) for value in _values(event)])


def _values(event: AuditEvent) -> tuple[Any, ...]:
    sides = ["" if side is None else strictjson.dumps(side, ascii_only=False) for side in (event.before, event.after)]
    who = (event.actor_kind, event.actor_text, event.address, event.request_id)
    what = (event.agent_name, event.object_type, event.object_text, event.summary)
    return (event.sequence, moment(event.at), event.verb, *who, *what, *sides, event.hash)


def _cell(value: Any) -> str:
    """Keep a spreadsheet from taking a text for a formula, and NUL from ending it."""
    text = str(value).replace("\x00", "\ufffd")
    return f"'{text}" if text.startswith(FORMULA) else text


def chunks(lines: Iterator[str]) -> Iterator[bytes]:
    """Put lines together: each chunk costs the web server as much as a line would."""
    kept: list[str] = []
    size = 0
    for line in lines:
        kept.append(line)
        size += len(line)
        if size >= CHUNK:
            yield "".join(kept).encode("utf-8", "replace")
            kept, size = [], 0
    if kept:
        yield "".join(kept).encode("utf-8", "replace")
