"""What there is to say of imports from other products."""

from typing import Any, get_args

from hooks.imports import PRODUCTS
from hooks.imports.reading import Level
from portal.openapi.operations import JSON, Answer, Body, Operation, Operations, Schema, ref
from portal.openapi.shared import DRY_RUN, TEXT, WARNINGS, nullable, query, record

NOTE = record(
    {
        "path": TEXT,
        "level": {"type": "string", "enum": list(get_args(Level))},
        "hook": nullable(TEXT),
        "message": TEXT,
    }
)
SCHEMAS: dict[str, Schema] = {
    "Imported": record(
        {
            "product": {"type": "string", "enum": list(PRODUCTS)},
            "hooks": {"type": "array", "items": ref("StoredHook"), "description": "Those that were made."},
            "unchanged": {"type": "array", "items": TEXT, "description": "Those that were there already."},
            "notes": {"type": "array", "items": NOTE, "description": "What became of the rest, and of meanings."},
        },
        optional={"warnings": WARNINGS},
    )
}
EXAMPLES: dict[str, Any] = {
    "A settings.json of Claude Code": {
        "hooks": {
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo 'Ask first.' >&2; exit 2"}]}
            ]
        }
    }
}
QUERY = (
    query("product", TEXT, f"Whose file it is ({', '.join(PRODUCTS)}); without it, its name and content tell.")
    | {"example": "claude"},
    query("filename", TEXT, "The path of the file, such as `.claude/settings.json`."),
    DRY_RUN,
)
OPERATIONS: Operations = {
    "imports": {
        "POST": Operation(
            summary="Import another product's hooks",
            tag="Configuration as code",
            text="The meaning is translated; what has no equal here is named in `notes`. All of them are stored, or none.",
            answers={
                200: Answer(text="Nothing was new, or it was a dry run.", schema=ref("Imported")),
                201: Answer(text="Hooks were made.", schema=ref("Imported")),
            },
            body=Body(schema={"type": "object"}, examples=EXAMPLES, media=(JSON,)),
            query=QUERY,
            refusals=(409,),
        )
    }
}
