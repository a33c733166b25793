"""What there is to say of each operation that runs hooks, or reads what came of it."""

from dataclasses import replace

from hooks.engine.events import EVENTS
from hooks.openapi import examples
from hooks.openapi.evaluations import DECISION, KIND, OUTCOME
from portal.openapi.operations import BOTH, Answer, Body, Operation, Operations, Schema, ref
from portal.openapi.shared import PAGING, TEXT, query

RUNTIME, TESTS, RECORDS = "Runtime", "Test runs", "Records"
RUN_ID: dict[str, Schema] = {"run_id": {"type": "string", "pattern": r"^[^/:\u0000]+$"}}
EVALUATION_ID: dict[str, Schema] = {
    "evaluation_id": {"type": "string", "pattern": r"^[^/\u0000]+$", "format": "evaluation-id"}
}
DECIDED = Answer(text="The decision; a block is a 200 too.", schema=ref("Evaluation"), example=examples.EVALUATION)
TIMED = replace(DECIDED, headers=("Server-Timing",))
RUN = Answer(text="The test run with its results so far.", schema=ref("TestRun"))
MOMENT = {"type": "string", "examples": ["2026-01-31T12:00:00Z", "2026-01-31"], "format": "moment"}
FILTERS = (
    query("event", {"type": "string", "enum": ["", *EVENTS]}, "Those of this event."),
    query("decision", {"type": "string", "enum": ["", *DECISION["enum"]]}, "Those with this decision."),
    query("outcome", {"type": "string", "enum": ["", *OUTCOME["enum"]]}, "Those with a hook of this outcome."),
    query("kind", {"type": "string", "enum": ["", *KIND["enum"]]}, "Those of this kind."),
    query("hook", TEXT, "Those in which this hook matched."),
    query("customAgent", TEXT, "Those of this custom agent, in any case."),
    query("threadId", TEXT, "Those of this thread."),
    query("since", MOMENT, "From this time on; without a zone it is UTC."),
    query("until", MOMENT, "Before this time."),
    query("error", {"type": "string", "enum": ["", "yes", "no"]}, "Those with a hook that had no verdict, or without."),
)
FORMAT = query(
    "format",
    {"type": "string", "enum": ["json", "jsonl"]},
    "`jsonl` streams all that the filters select, whole, in one answer; the export is recorded in the audit log.",
)
OPERATIONS: Operations = {
    "evaluate": {
        "POST": Operation(
            summary="Put an event through the agent's hooks",
            tag=RUNTIME,
            text="What a live agent calls. `context.agent_name` names the custom agent that runs. Hooks and the answer have the "
            "true texts; what is stored has secrets masked as `[redacted]`, and so has the answer to a repeated "
            "`idempotencyKey`, which is the stored one.",
            answers={200: TIMED},
            body=Body(schema=ref("Event"), examples=examples.EVALUATE),
            refusals=(409,),
        )
    },
    "check": {
        "POST": Operation(
            summary="Put an event through hooks that come with it",
            tag=RUNTIME,
            text="What pipelines call: nothing of the configuration is read or stored, and no thread is touched.",
            answers={200: DECIDED},
            body=Body(schema=ref("CheckedEvent"), examples=examples.CHECK),
            refusals=(409,),
        )
    },
    "test_runs": {
        "POST": Operation(
            summary="Start a test run",
            tag=TESTS,
            text="It runs on a worker; `Location` is where to look.",
            answers={202: Answer(text="It is queued.", schema=ref("TestRun"), headers=("Location",))},
            body=Body(schema=ref("Test"), examples=examples.TEST),
        )
    },
    "test_run": {"GET": Operation(summary="Read a test run", tag=TESTS, answers={200: RUN}, path=RUN_ID)},
    "test_run_cancel": {
        "POST": Operation(
            summary="Stop a test run",
            tag=TESTS,
            text="The process of its hook is ended too. A run that has ended stays as it is.",
            answers={200: RUN},
            body=Body(schema={"type": "object", "additionalProperties": False}, optional=True),
            path=RUN_ID,
        )
    },
    "evaluations": {
        "GET": Operation(
            summary="List the evaluations",
            tag=RECORDS,
            text="The newest first.",
            answers={200: Answer(text="One page.", schema=ref("EvaluationPage"), media=(*BOTH, "application/jsonl"))},
            query=(*FILTERS, FORMAT, *PAGING),
        )
    },
    "evaluation": {
        "GET": Operation(
            summary="Read an evaluation",
            tag=RECORDS,
            text="With the context, the transcript, and all that each hook said; secrets are masked as `[redacted]`.",
            answers={200: Answer(text="All that is kept of it.", schema=ref("KeptEvaluation"))},
            path=EVALUATION_ID,
        )
    },
}
