"""A thread written down whole: as JSON for people to keep, and as the API shows it."""

import json
from collections.abc import Iterator
from typing import Any

from agents.models import Thread, ThreadEntry
from hooks.engine import strictjson
from hooks.services.records import timestamp
from portal.redaction import redact


def summarise(thread: Thread) -> dict[str, Any]:
    """Show a thread as a list does."""
    return {
        "id": thread.key,
        "title": thread.title,
        "customAgent": thread.custom_agent or None,
        "mode": thread.mode or "live",
        "state": thread.state,
        "model": thread.model or None,
        "length": thread.length,
        "stopRejections": thread.stop_rejections,
        "createdBy": thread.created_by or None,
        "createdAt": timestamp(thread.created_at),
        "lastEventAt": timestamp(thread.last_event_at),
    }


def describe_entry(entry: ThreadEntry) -> dict[str, Any]:
    """Show an entry whole but for secrets: its text, what became of it (`state`), and what belongs to its kind (`data`)."""
    shown: dict[str, Any] = redact({"text": entry.text, "data": entry.data})
    return {
        "number": entry.number,
        "kind": entry.kind,
        "state": entry.state or None,
        "by": entry.by or None,
        **shown,
        "evaluation": entry.evaluation or None,
        "at": timestamp(entry.created_at),
    }


def describe(thread: Thread, entries: list[ThreadEntry]) -> dict[str, Any]:
    return {**summarise(thread), "entries": [describe_entry(entry) for entry in entries]}


def pieces(thread: Thread) -> Iterator[str]:
    """Write a thread as one JSON document, an entry at a time, since together they may be large."""
    yield json.dumps(summarise(thread), indent=2).removesuffix("\n}") + ',\n  "entries": ['
    comma = ""
    for entry in thread.entries.order_by("number").iterator(chunk_size=50):
        yield f"{comma}\n    {strictjson.dumps(describe_entry(entry))}"
        comma = ","
    yield "\n  ]\n}\n"
