"""What the OpenAPI document says of API tokens."""

from portal.access.models import SCOPES
from portal.access.tokens import NAME_LIMIT
from portal.openapi.operations import Answer, Body, Operation, Operations, Schema, ref
from portal.openapi.shared import PAGING, TEXT, TIME, nullable, page_of, record

TAG = "API tokens"
NUMBER = {"number": {"type": "string", "pattern": "^[0-9]{1,18}$"}}
LATER = {
    "type": "string",
    "format": "later-moment",
    "description": "A time to come. Left out or null: it never expires.",
}
SCOPE_LIST = {"type": "array", "items": {"type": "string", "enum": list(SCOPES)}, "minItems": 1}
NAME = {
    "type": "string",
    "format": "printable",
    "minLength": 1,
    "maxLength": NAME_LIMIT,
    "description": "Printable characters, not only spaces.",
}
ONCE = {"type": "string", "pattern": "^hk_", "description": "The token itself. It is shown here, and never again."}
STORED: dict[str, Schema] = {
    "id": TEXT,
    "name": TEXT,
    "prefix": {"type": "string", "description": "The first characters, by which people recognise it."},
    "scopes": SCOPE_LIST,
    "expiresAt": nullable(TIME),
    "revokedAt": nullable(TIME),
    "state": {"type": "string", "enum": ["active", "expired", "revoked"]},
    "createdBy": TEXT,
    "createdAt": TIME,
    "lastUsedAt": {**nullable(TIME), "description": "To the minute."},
}
SCHEMAS: dict[str, Schema] = {
    "Token": record(STORED),
    "NewToken": {
        "type": "object",
        "properties": {"name": NAME, "scopes": SCOPE_LIST, "expiresAt": nullable(LATER)},
        "required": ["name", "scopes"],
        "additionalProperties": False,
    },
    "MadeToken": record({**STORED, "token": ONCE}),
    "TokenPage": page_of(ref("Token")),
}
OPERATIONS: Operations = {
    "tokens": {
        "GET": Operation(
            summary="List the tokens",
            tag=TAG,
            text="The newest first, ended ones too.",
            answers={200: Answer(text="One page.", schema=ref("TokenPage"))},
            query=PAGING,
        ),
        "POST": Operation(
            summary="Make a token",
            tag=TAG,
            text="One that a token makes has no scope that that one lacks, and does not outlive it.",
            answers={201: Answer(text="It is made.", schema=ref("MadeToken"), headers=("Location",))},
            body=Body(
                schema=ref("NewToken"),
                examples={"A pipeline's": {"name": "ci", "scopes": ["evaluate"], "expiresAt": "2099-01-31T12:00:00Z"}},
            ),
        ),
    },
    "token": {
        "GET": Operation(
            summary="Read what is known of a token",
            tag=TAG,
            answers={200: Answer(text="All but the token itself.", schema=ref("Token"))},
            path=NUMBER,
        ),
        "DELETE": Operation(
            summary="Revoke a token",
            tag=TAG,
            text="It is refused from the next request on. Its entry stays.",
            answers={204: Answer(text="It is revoked.")},
            path=NUMBER,
        ),
    },
}
