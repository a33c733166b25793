"""What many operations have in common: errors, warnings, lists, parameters and headers."""

from collections.abc import Mapping
from typing import Any

from portal.api import _FRAMEWORK
from portal.openapi.operations import Schema, ref
from portal.paging import TOP, TOP_LIMIT

TEXT = {"type": "string"}
TIME = {"type": "string", "format": "date-time"}
LABEL = {"type": "string", "maxLength": 200, "pattern": r"^[^\u0000]*$"}


def nullable(schema: Schema) -> dict[str, Any]:
    """Allow null beside what `schema` allows."""
    if "$ref" in schema or "oneOf" in schema:
        return {"anyOf": [dict(schema), {"type": "null"}]}
    wider = dict(schema)
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        wider["type"] = [*types, "null"]
    if "enum" in schema:
        wider["enum"] = [*schema["enum"], None]
    return wider


def record(properties: Mapping[str, Schema], *, optional: Mapping[str, Schema] | None = None) -> dict[str, Any]:
    """Describe an object of the portal's own making: every property is there, save the `optional` ones, and no other."""
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
        "additionalProperties": False,
    }


def page_of(schema: Schema) -> dict[str, Any]:
    """Describe one page of a list."""
    link = {"type": ["string", "null"], "format": "uri", "description": "Where the next page is; null on the last."}
    return record({"value": {"type": "array", "items": schema}, "nextLink": link})


NOTE = record(
    {
        "target": {
            "type": "string",
            "description": "What it is about: `properties.hook.matcher`, `context.tool_name`.",
        },
        "code": {"type": "string", "description": "For programs: `required`, `invalid_choice`, `unknown_option`, …"},
        "message": {"type": "string", "description": "For people."},
    }
)
CHANGE = record({"path": TEXT, "before": {}, "after": {}})
ERROR_CODES = sorted(
    {*_FRAMEWORK.values(), "ValidationFailure", "Conflict", "PreconditionFailed", "PayloadTooLarge", "InternalError"}
)
ERROR = record(
    {
        "code": {"type": "string", "enum": ERROR_CODES},
        "message": TEXT,
        "details": {"type": "array", "items": ref("Note"), "description": "Every fault, not only the first."},
    },
    optional={"requestId": {"type": "string", "description": "On a 500: what finds the error in the portal's log."}},
)
SCHEMAS: dict[str, Schema] = {"Note": NOTE, "Change": CHANGE, "Error": record({"error": ERROR})}
WARNINGS = {
    "type": "array",
    "items": ref("Note"),
    "description": "The input is accepted; this will not do what it seems to.",
}
DIFF = {"type": "array", "items": ref("Change"), "description": "On a dry run: what would change."}

# --- parameters


def query(name: str, schema: Schema, text: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": text}


def header(name: str, text: str, example: str, schema: Schema = TEXT) -> dict[str, Any]:
    return {"name": name, "in": "header", "schema": schema, "description": text, "example": example}


AGENT = query("agent", {"type": "string"}, "The agent to work with, for people who see several. A token has one.")
TOP_PARAMETER = query(
    "top", {"type": "integer", "minimum": 1, "maximum": TOP_LIMIT, "default": TOP}, "How many to answer at most."
)
CURSOR = query(
    "cursor",
    {"type": "string", "format": "cursor"},
    "Where to go on: it stands in `nextLink`, and is not to be made up.",
)
PAGING = (TOP_PARAMETER, CURSOR)
DRY_RUN = query(
    "dryRun", {"type": "boolean", "default": False}, "Check it and tell what would change, and store nothing."
)
TAG, NO_TAG = ({"type": "string", "format": kind} for kind in ("entity-tag", "no-entity-tag"))
IF_MATCH = header("If-Match", "Only if it is there and this entity tag still holds; else 412.", "*", TAG)
IF_NONE_MATCH = header("If-None-Match", "`*`: only if there is none yet; else 412.", "*", NO_TAG)
REQUEST_ID = header("X-Request-Id", "Your own name for the request: 1 to 64 of `A-Za-z0-9._-`.", "deploy-17")

# --- headers of answers

HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-Id": {"description": "Names the request in the portal's log.", "schema": TEXT},
    "ETag": {"description": "Names this state of the resource, for If-Match.", "schema": TEXT},
    "Location": {"description": "Where to look.", "schema": {"type": "string", "format": "uri-reference"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "string", "pattern": "^[0-9]+$"}},
    "Server-Timing": {"description": "Where the time went, in milliseconds.", "schema": TEXT},
    "WWW-Authenticate": {"description": "How to authenticate.", "schema": TEXT},
}
