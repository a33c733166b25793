"""What there is to say of each operation on custom agents and bundles, by route and method."""

from collections.abc import Mapping
from typing import Any

from agents.documents import KIND, V2
from agents.openapi.custom import NAME_TEXT
from agents.services.bundle_reading import KIND as BUNDLE
from agents.services.bundle_reading import VERSION
from hooks.openapi import examples
from hooks.openapi.operations import CHANGE, GONE, WRITE
from portal.openapi.operations import JSON, MERGE_PATCH, Answer, Body, Operation, Operations, Schema, ref
from portal.openapi.shared import DRY_RUN, PAGING, query

TAG, BUNDLE_TAG = "Custom agents", "Configuration as code"
PATH: Mapping[str, Schema] = {"name": {**NAME_TEXT, "format": "custom-agent-name", "examples": ["incident_writer"]}}
HOOKS = {"Stop": [{"type": "command", "command": "jq -e '.final_output | length > 40' >/dev/null || exit 2"}]}
INSTRUCTIONS = "Write incident reports. Name the cause and the evidence."
EXAMPLES: dict[str, Any] = {
    "The JSON envelope": {
        "type": KIND,
        "tags": ["incidents"],
        "owner": "sre",
        "properties": {"instructions": INSTRUCTIONS, "handoffs": [], "tools": ["Bash"], "hooks": HOOKS},
    },
    "The document": {
        "api_version": V2,
        "kind": KIND,
        "spec": {"instructions": INSTRUCTIONS, "handoffs": [], "hooks": HOOKS},
    },
}
PATCHES: dict[str, Any] = {
    "Other instructions": {"properties": {"instructions": INSTRUCTIONS}},
    "No hooks any more, as a patch of the document": {"spec": {"hooks": None}},
}

BUNDLES: dict[str, Any] = {
    "A hook and a custom agent": {
        "api_version": VERSION,
        "kind": BUNDLE,
        "hooks": [{"name": "no-deletes", **examples.HOOK["A command hook"]}],
        "agents": [{**EXAMPLES["The document"], "metadata": {"name": "incident_writer"}}],
    }
}
PRUNE = query(
    "prune", {"type": "boolean", "default": False}, "Delete what the bundle lacks; it must have both lists then."
)


def _answer(text: str) -> Answer:
    return Answer(text=text, schema=ref("StoredCustomAgent"), yaml=ref("StoredCustomAgentDocument"), headers=("ETag",))


FOUND = _answer("The custom agent: in JSON as an envelope, in YAML as a document.")
LIST = Answer(text="One page.", schema=ref("CustomAgentPage"), yaml=ref("CustomAgentDocumentPage"))
OPERATIONS: Operations = {
    "agents": {"GET": Operation(summary="List the custom agents", tag=TAG, answers={200: LIST}, query=PAGING)},
    "agent": {
        "GET": Operation(summary="Read a custom agent", tag=TAG, answers={200: FOUND}, path=PATH),
        "PUT": Operation(
            summary="Create or replace a custom agent",
            tag=TAG,
            text="As an envelope or as a document, of v1 too.",
            answers={200: _answer("What is stored now, or on a dry run would be."), 201: _answer("It was created.")},
            body=Body(schema=ref("CustomAgent"), examples=EXAMPLES),
            path=PATH,
            query=(DRY_RUN,),
            headers=WRITE,
            refusals=(409,),
        ),
        "PATCH": Operation(
            summary="Change a custom agent in part",
            tag=TAG,
            text="A JSON merge patch (RFC 7396). A list, of hooks too, is replaced as a whole.",
            answers={200: _answer("What is stored now, or on a dry run would be.")},
            body=Body(schema=ref("CustomAgentPatch"), examples=PATCHES, media=(MERGE_PATCH, JSON)),
            path=PATH,
            query=(DRY_RUN,),
            headers=WRITE,
            refusals=(409,),
        ),
        "DELETE": Operation(
            summary="Delete a custom agent with its hooks",
            tag=TAG,
            answers={204: GONE},
            path=PATH,
            query=(DRY_RUN,),
            headers=CHANGE,
        ),
    },
    "bundle": {
        "GET": Operation(
            summary="Export all hooks and custom agents",
            tag=BUNDLE_TAG,
            text="One document for git; in YAML unless JSON is asked for.",
            answers={200: Answer(text="The bundle.", schema=ref("StoredBundle"), headers=("ETag",))},
        ),
        "PUT": Operation(
            summary="Apply a bundle",
            tag=BUNDLE_TAG,
            text="All of it or nothing. Applying it again changes nothing.",
            answers={
                200: Answer(
                    text="What is stored now, and what changed.", schema=ref("AppliedBundle"), headers=("ETag",)
                )
            },
            body=Body(schema=ref("Bundle"), examples=BUNDLES),
            query=(DRY_RUN, PRUNE),
            headers=WRITE,
            refusals=(409,),
        ),
    },
}
