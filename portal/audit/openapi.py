"""What there is to say of the audit log."""

from portal.audit.verbs import Verb
from portal.openapi.operations import BOTH, Answer, Operation, Operations, Schema, ref
from portal.openapi.shared import DIFF, LABEL, PAGING, TEXT, TIME, nullable, page_of, query, record

TAG = "Audit log"
WHOLE = {"type": "integer", "minimum": 0}
MOMENT = {"type": "string", "examples": ["2026-01-31T12:00:00Z", "2026-01-31"], "format": "moment"}
FAMILIES = sorted({verb.value.partition(".")[0] for verb in Verb})
FILTERS = (
    query("actor", LABEL, "Those of this user, or of the tokens of this name."),
    query(
        "action", {"type": "string", "enum": ["", *Verb.values, *FAMILIES]}, "Those of this action, or of this kind."
    ),
    query("target", LABEL, "Those of the object of this name."),
    query("since", MOMENT, "From this time on; without a zone it is UTC."),
    query("until", MOMENT, "Before this time."),
    query("q", LABEL, "Those with this text in actor, target, summary, request id or address."),
)
FORMAT = query(
    "format",
    {"type": "string", "enum": ["json", "jsonl", "csv"]},
    "`jsonl` and `csv` stream all that the filters select, in one answer, and the export is itself recorded.",
)
STREAMS = ("application/jsonl", "text/csv")
EVENT = record(
    {
        "sequence": WHOLE,
        "at": TIME,
        "action": {"type": "string", "enum": Verb.values},
        "actor": record({"kind": {"type": "string", "enum": ["user", "token", "system"]}, "key": TEXT, "name": TEXT}),
        "address": TEXT,
        "requestId": TEXT,
        "agent": nullable(TEXT),
        "target": record({"type": TEXT, "key": TEXT, "name": TEXT}),
        "summary": TEXT,
        "hash": TEXT,
        "diff": DIFF,
    }
)
VERIFIED = record(
    {
        "holds": {"type": "boolean"},
        "count": {**WHOLE, "description": "How many events hold."},
        "last": nullable(record({"sequence": WHOLE, "hash": TEXT})),
        "broken": nullable(record({"sequence": WHOLE, "message": TEXT})),
    }
)
OPERATIONS: Operations = {
    "audit": {
        "GET": Operation(
            summary="List the audit log",
            tag=TAG,
            text="What concerns the agent, and what concerns none, such as signing in. The newest first.",
            answers={200: Answer(text="One page, or a stream.", schema=ref("AuditPage"), media=(*BOTH, *STREAMS))},
            query=(*FILTERS, FORMAT, *PAGING),
        )
    },
    "audit_verify": {
        "GET": Operation(
            summary="Verify the chain of the audit log",
            tag=TAG,
            text="Walks along all of it, and names the first broken event.",
            answers={200: Answer(text="What was found.", schema=ref("AuditVerified"))},
        )
    },
}
SCHEMAS: dict[str, Schema] = {"AuditPage": page_of(EVENT), "AuditVerified": VERIFIED}
