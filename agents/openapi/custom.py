"""Schemas of custom agents, in their three shapes."""

from collections.abc import Mapping
from typing import Any

from agents.documents import KIND, KIND_V1, NAME, V1, V2
from hooks.engine.envelope import READ_ONLY
from hooks.openapi.configuration import IGNORED, TAGS, lists
from portal.openapi.operations import Schema, ref
from portal.openapi.shared import DIFF, LABEL, TEXT, WARNINGS, nullable, page_of, record

NAME_TEXT = {"type": "string", "pattern": f"^{NAME.pattern}$"}
NAMED = nullable(NAME_TEXT) | {"description": "As in the path, or left out."}
LISTS = lists("CustomAgentToolHook", "CustomAgentPlainHook")
SPEC: dict[str, Schema] = {
    "instructions": nullable(TEXT),
    "handoffDescription": nullable(TEXT),
    "handoffs": {"type": "array", "items": {"type": "string", "minLength": 1}},
    "tools": {"type": "array"},
    "enableVanillaMode": {"type": ["boolean", "null"]},
    "hooks": nullable(LISTS),
}
KEPT = "Fields that the portal does not know are kept, and given back unchanged and in order."
LABELS: dict[str, Schema] = {"tags": nullable(TAGS), "owner": nullable(LABEL)}
METADATA: dict[str, Any] = {"type": ["object", "null"], "properties": {"name": NAMED, **LABELS}}
SPEC_V1: dict[str, Schema] = {
    **{name: schema for name, schema in SPEC.items() if name in ("handoffs", "tools")},
    **{name: nullable(TEXT) for name in ("system_prompt", "handoff_description")},
    "enable_vanilla_mode": {"type": ["boolean", "null"]},
    "name": NAMED,
}


def _closed(title: str, properties: Mapping[str, Schema], required: list[str]) -> dict[str, Any]:
    return {
        "title": title,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


ENVELOPE = _closed(
    "The JSON envelope",
    {
        "name": NAMED,
        "type": {"const": KIND},
        **LABELS,
        "properties": {"type": "object", "properties": SPEC, "description": KEPT},
        "metadata": {"type": ["object", "null"]},
        **dict.fromkeys((*READ_ONLY, "apiVersion"), IGNORED),
    },
    ["properties"],
)
DOCUMENT = _closed(
    "The document",
    {
        "api_version": {"enum": [V2, None]},
        "kind": {"const": KIND},
        "metadata": METADATA,
        "spec": {"type": "object", "properties": SPEC, "description": KEPT},
        "warnings": IGNORED,
        "diff": IGNORED,
    },
    ["spec"],
)
DOCUMENT_V1 = _closed(
    "A document of v1, which has no hooks: those that are there are kept",
    {
        "api_version": {"enum": [V1, None]},
        "kind": {"const": KIND_V1},
        "metadata": {"type": "object", "properties": {"name": NAMED, **LABELS}},
        "spec": {"type": "object", "properties": SPEC_V1, "not": {"required": ["hooks"]}},
        "warnings": IGNORED,
        "diff": IGNORED,
    },
    ["kind", "spec"],
)
SAID: dict[str, Schema] = {"warnings": WARNINGS, "diff": DIFF}
STORED = record(
    {
        "name": TEXT,
        "type": {"const": KIND},
        "tags": TAGS,
        "owner": TEXT,
        "properties": {"type": "object"},
        "version": {"type": "integer", "minimum": 1},
    },
    optional={"metadata": {"type": "object"}, **SAID},
)
STORED_DOCUMENT = record(
    {
        "api_version": {"const": V2},
        "kind": {"const": KIND},
        "metadata": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]},
        "spec": {"type": "object"},
    },
    optional=SAID,
)
SCHEMAS: dict[str, Schema] = {
    "CustomAgent": {"oneOf": [ENVELOPE, DOCUMENT, DOCUMENT_V1]},
    "CustomAgentPatch": {
        "type": "object",
        "description": "A patch of the JSON envelope, or of the document where it has `spec`.",
        "properties": {**LABELS, "properties": {"type": "object"}, "spec": {"type": "object"}},
    },
    "StoredCustomAgent": STORED,
    "StoredCustomAgentDocument": STORED_DOCUMENT,
    "CustomAgentPage": page_of(ref("StoredCustomAgent")),
    "CustomAgentDocumentPage": page_of(ref("StoredCustomAgentDocument")),
}
