"""Entries of a thread: appended and changed, each with the thread's next revision, so that a page can ask what is new.

What `state` says, and what `data` holds:

user        new, then ""                          {}
injected    ""                                    {"event", "hook"}: whose reason or context it is
assistant   new, then final, forced, held or turn (with calls, so no answer), partial (cancelled)      {"group"}
call        new, then asked, allowed, refused, then done       {"tool", "id", "group", "given": {"text", "succeeded"} | None}
result      new, then given or withheld           {"tool", "call", "succeeded", "ran", "durationMs", "instead"}
evaluation  ""                                    what `events.snapshot` makes
ask         waiting, then approved, denied, expired, cancelled           {"tool", "call"}
notice      ""                                    {"code", "detail"}
step        ""                                    {"example", "step"}

What is stored is the true text, since the conversation has to go on with it. What a page, the export and the API show of it,
previews and evaluations included, has its secrets masked.

An entry in the state new (or a call that is allowed or refused) is what has to be worked on next.
"""

from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from agents.models import Thread, ThreadEntry
from hooks.engine import strictjson
from portal.errors import Conflict
from portal.redaction import redact
from portal.shown import visible

Kind = ThreadEntry.Kind
PREVIEW = 4000
MOST = 1000
OPEN = Q(state="new") | Q(kind=Kind.CALL, state__in=("allowed", "refused"))
FULL = "This thread has {most:,} entries, which is the most there can be. Start a new one."


@transaction.atomic
def append(thread: Thread, kind: str, text: str = "", *, state: str = "", by: str = "", **data: Any) -> ThreadEntry:
    """Add an entry at the end. `evaluation=` goes to the column. Raises Conflict once the thread is full."""
    text = strictjson.clean(text)
    evaluation = data.pop("evaluation", "")
    length, revision = _next(thread, length=1)
    if length > MOST and kind == Kind.USER:
        raise Conflict(FULL.format(most=MOST))
    return ThreadEntry.objects.create(
        thread=thread,
        number=length,
        revision=revision,
        kind=kind,
        state=state,
        by=by[:200],
        text=text,
        # A little more than is shown is looked at, so that a secret at the cut is whole.
        preview=visible(redact(text[: PREVIEW + 2000])[:PREVIEW]),
        size=len(text),
        data=data,
        evaluation=evaluation,
    )


@transaction.atomic
def change(entry: ThreadEntry, state: str, **data: Any) -> None:
    """Move an entry to another state, with more data."""
    _, entry.revision = _next(entry.thread)
    entry.state, entry.data = state, {**entry.data, **data}
    entry.save(update_fields=["state", "data", "revision"])


def notice(thread: Thread, code: str, detail: str = "") -> ThreadEntry:
    """Say what happened to the thread itself; `agents.playground.words` has the sentence of each code."""
    return append(thread, Kind.NOTICE, code=code, detail=visible(redact(detail[:2000])))


def _next(thread: Thread, *, length: int = 0) -> tuple[int, int]:
    """Count on, and return the thread's length and revision; in the caller's transaction."""
    mine = Thread.objects.filter(pk=thread.pk)
    mine.update(length=F("length") + length, revision=F("revision") + 1, last_event_at=timezone.now())
    thread.length, thread.revision = mine.values_list("length", "revision").get()
    return thread.length, thread.revision
