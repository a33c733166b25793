"""Schemas of bundles."""

from collections.abc import Mapping
from typing import Any

from agents.openapi.custom import DOCUMENT, ENVELOPE, METADATA, NAME_TEXT
from agents.services.bundle_reading import KIND, VERSION
from hooks.engine import jsonschema
from hooks.openapi.configuration import HOOK_ENVELOPE, IGNORED
from portal.openapi.operations import Schema, ref
from portal.openapi.shared import CHANGE, TEXT, WARNINGS, record


def _named(schema: dict[str, Any], name: Schema) -> dict[str, Any]:
    """Describe a resource that has no path to take its name from."""
    return {**schema, "properties": {**schema["properties"], "name": name}, "required": [*schema["required"], "name"]}


METADATA_NAMED = {
    **METADATA,
    "type": "object",
    "properties": {**METADATA["properties"], "name": NAME_TEXT},
    "required": ["name"],
}
DOCUMENT_NAMED = {
    **DOCUMENT,
    "properties": {**DOCUMENT["properties"], "metadata": METADATA_NAMED},
    "required": [*DOCUMENT["required"], "metadata"],
}
AGENTS = {"oneOf": [DOCUMENT_NAMED, _named(ENVELOPE, NAME_TEXT)]}
HEAD: Mapping[str, Schema] = {"api_version": {"const": VERSION}, "kind": {"const": KIND}}
BUNDLE = {
    "type": "object",
    "properties": {
        **HEAD,
        "metadata": IGNORED,
        "hooks": {"type": ["array", "null"], "items": _named(HOOK_ENVELOPE, jsonschema.option("name"))},
        "agents": {"type": ["array", "null"], "items": AGENTS},
        "warnings": IGNORED,
        "diff": IGNORED,
    },
    "additionalProperties": False,
}
STORED: dict[str, Schema] = {
    **HEAD,
    "metadata": record({"agent": TEXT}),
    "hooks": {"type": "array", "items": {"type": "object"}},
    "agents": {"type": "array", "items": ref("StoredCustomAgentDocument")},
}
DIFFERENCE = record(
    {
        "resource": TEXT,
        "action": {"type": "string", "enum": ["created", "changed", "deleted"]},
        "changes": {"type": "array", "items": CHANGE},
    }
)
SCHEMAS: dict[str, Schema] = {
    "Bundle": BUNDLE,
    "StoredBundle": record(STORED),
    "AppliedBundle": record(
        {**STORED, "diff": {"type": "array", "items": DIFFERENCE}}, optional={"warnings": WARNINGS}
    ),
}
