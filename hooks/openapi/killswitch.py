"""What there is to say of the kill switch."""

from hooks.services.killswitch import REASON_LIMIT
from portal.openapi.operations import Answer, Body, Operation, Operations, Schema, ref
from portal.openapi.shared import TEXT, TIME, nullable, record

TAG = "Kill switch"
STATE = Answer(text="The switch as it stands now.", schema=ref("KillSwitch"))
OPERATIONS: Operations = {
    "kill_switch": {
        "GET": Operation(summary="Read whether all hooks are off", tag=TAG, answers={200: STATE}),
        "PUT": Operation(
            summary="Turn all hooks of the agent off",
            tag=TAG,
            text=(
                "At once, in every process. Live events are then answered with allow, on PreToolUse with no opinion, and a "
                "warning; tests and checks still run. Where they are off already, the reason and the end are replaced."
            ),
            answers={200: STATE},
            body=Body(
                schema=ref("HooksOff"),
                examples={"Until they are turned on": {"reason": "The judge is down.", "until": None}},
            ),
        ),
        "DELETE": Operation(
            summary="Turn the hooks on again",
            tag=TAG,
            text="Where they are on, nothing changes.",
            answers={204: Answer(text="They are on.")},
        ),
    }
}
SCHEMAS: dict[str, Schema] = {
    "KillSwitch": record(
        {
            "off": {"type": "boolean"},
            "reason": nullable(TEXT),
            "since": nullable(TIME),
            "until": {**nullable(TIME), "description": "When they turn on by themselves; null for not."},
            "by": nullable(TEXT),
        }
    ),
    "HooksOff": {
        "type": "object",
        "properties": {
            "reason": {
                "type": "string",
                "minLength": 1,
                "maxLength": REASON_LIMIT,
                "pattern": r"^[^\u0000]*\S[^\u0000]*$",
            },
            "until": {"type": ["string", "null"], "format": "later-moment"},
        },
        "required": ["reason"],
        "additionalProperties": False,
    },
}
