"""What there is to say of imports: another product's file in, hooks and notes out."""

from typing import get_args

from hooks.imports import PRODUCTS
from hooks.imports.reading import Level
from portal.openapi.operations import JSON, Answer, Body, Operation, Operations, Schema, ref
from portal.openapi.shared import DRY_RUN, TEXT, WARNINGS, query, record

PRODUCT = {"type": "string", "enum": list(PRODUCTS)}
FILE = {
    "type": "object",
    "properties": {"hooks": {"type": "object", "description": "The product's events, each with a list of hooks."}},
    "required": ["hooks"],
}
EXAMPLE = {
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10}]}]
    }
}
NOTE = record(
    {
        "path": TEXT,
        "level": {"type": "string", "enum": list(get_args(Level))},
        "hook": {"type": ["string", "null"]},
        "message": TEXT,
    }
)
REPORT = record(
    {
        "product": PRODUCT,
        "hooks": {"type": "array", "items": ref("StoredHook"), "description": "Those that were made."},
        "unchanged": {"type": "array", "items": TEXT, "description": "Names of those that were there already."},
        "notes": {"type": "array", "items": NOTE, "description": "What was translated, left out, or wants a look."},
    },
    optional={"warnings": WARNINGS},
)
SCHEMAS: dict[str, Schema] = {"ImportFile": FILE, "ImportReport": REPORT}
MADE = Answer(text="The hooks that were made, or on a dry run would be.", schema=ref("ImportReport"))
OPERATIONS: Operations = {
    "imports": {
        "POST": Operation(
            summary="Import another product's hooks",
            tag="Agent-level hooks",
            text="All hooks of a file become agent-level hooks, or none. A name that is taken gets a number; a hook that "
            "is there already, equal, stays as it is.",
            answers={200: MADE, 201: MADE},
            body=Body(schema=ref("ImportFile"), examples={"Claude Code": EXAMPLE}, media=(JSON,)),
            query=(
                query("product", PRODUCT, "Whose file it is; without it, file name and content tell."),
                query("filename", {"type": "string"}, "The file's path, such as `.claude/settings.json`."),
                DRY_RUN,
            ),
        )
    }
}
