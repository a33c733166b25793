"""What the OpenAPI document says of threads."""

from agents.models import Thread, ThreadEntry
from hooks.openapi.operations import THREAD, THREADS
from portal.openapi.operations import Answer, Operation, Operations, Schema, ref
from portal.openapi.shared import PAGING, TEXT, TIME, nullable, page_of, record

WHOLE = {"type": "integer", "minimum": 0}
SUMMARY: dict[str, Schema] = {
    "id": TEXT,
    "title": TEXT,
    "customAgent": nullable(TEXT),
    "mode": {"type": "string", "enum": ["live", "hand", "model"]},
    "state": {"type": "string", "enum": Thread.State.values},
    "model": nullable(TEXT),
    "length": {**WHOLE, "description": "How many entries it has."},
    "stopRejections": {**WHOLE, "description": "Rejections since the last Stop that was allowed."},
    "createdBy": nullable(TEXT),
    "createdAt": TIME,
    "lastEventAt": TIME,
}
ENTRY = record(
    {
        "number": WHOLE,
        "kind": {"type": "string", "enum": ThreadEntry.Kind.values},
        "state": nullable(TEXT),
        "by": nullable(TEXT),
        "text": {"type": "string", "description": "Whole, with secrets masked."},
        "data": {"type": "object", "description": "What belongs to its kind."},
        "evaluation": nullable(TEXT),
        "at": TIME,
    }
)
SCHEMAS: dict[str, Schema] = {
    "ThreadEntry": ENTRY,
    "Thread": record({**SUMMARY, "entries": {"type": "array", "items": ref("ThreadEntry")}}),
    "ThreadPage": page_of(record(SUMMARY)),
}
OPERATIONS: Operations = {
    "threads": {
        "GET": Operation(
            summary="List the threads",
            tag=THREADS,
            text="The newest first: those of the playground, and those that events have named.",
            answers={200: Answer(text="One page.", schema=ref("ThreadPage"))},
            query=PAGING,
        )
    },
    "thread": {
        "GET": Operation(
            summary="Read a thread with all its entries",
            tag=THREADS,
            text="Messages, tool calls, results and evaluations in order. A live agent's thread has none.",
            answers={200: Answer(text="The thread.", schema=ref("Thread"))},
            path=THREAD,
        )
    },
}
