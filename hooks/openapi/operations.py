"""What there is to say of each operation on hooks and samples, by route and method."""

from collections.abc import Mapping

from hooks.engine import fields
from hooks.engine.events import EVENTS
from hooks.openapi import examples, imports, runs
from hooks.services.requests import KEY_LIMIT
from portal.openapi.operations import JSON, MERGE_PATCH, Answer, Body, Operation, Operations, Schema, ref
from portal.openapi.shared import DRY_RUN, IF_MATCH, IF_NONE_MATCH, PAGING, query

HOOKS, THREADS, SAMPLES = "Agent-level hooks", "Threads", "Sample contexts"
NAME = {"type": "string", "pattern": f"^{fields.NAME}$"}
HOOK_NAME: Mapping[str, Schema] = {"name": {**NAME, "format": "hook-name", "examples": ["require-evidence"]}}
SAMPLE_NAME: Mapping[str, Schema] = {"name": {**NAME, "format": "sample-name", "examples": ["bare-answer"]}}
THREAD: Mapping[str, Schema] = {
    "thread_id": {"type": "string", "minLength": 1, "maxLength": KEY_LIMIT, "pattern": r"^[^/\u0000]+$"}
}
WRITE, CHANGE = (IF_MATCH, IF_NONE_MATCH), (IF_MATCH,)
VERSION = query(
    "version", {"type": "integer", "minimum": 1, "maximum": 999_999_999}, "The hook as it was in this version."
)
STORED = Answer(text="What is stored now, or on a dry run would be.", schema=ref("StoredHook"), headers=("ETag",))
CREATED = Answer(text="It was created.", schema=ref("StoredHook"), headers=("ETag",))
GONE = Answer(text="It is gone, or on a dry run would be.")
SAMPLE_STORED = Answer(text="What is stored now.", schema=ref("StoredSample"), headers=("ETag",))
THREAD_HOOK = Answer(text="The hook as it stands in the thread now.", schema=ref("ThreadHook"))


def page(schema: str) -> Answer:
    return Answer(text="One page.", schema=ref(schema))


HOOK: Mapping[str, Operation] = {
    "GET": Operation(
        summary="Read a hook",
        tag=HOOKS,
        answers={200: Answer(text="The hook.", schema=ref("StoredHook"), headers=("ETag",))},
        path=HOOK_NAME,
        query=(VERSION,),
    ),
    "PUT": Operation(
        summary="Create or replace a hook",
        tag=HOOKS,
        text="What is not in the body takes its default. A hook that is new, or of another event now, runs last.",
        answers={200: STORED, 201: CREATED},
        body=Body(schema=ref("Hook"), examples=examples.HOOK),
        path=HOOK_NAME,
        query=(DRY_RUN,),
        headers=WRITE,
        refusals=(409,),
    ),
    "PATCH": Operation(
        summary="Change a hook in part",
        tag=HOOKS,
        text="A JSON merge patch (RFC 7396): a null gives a field its default.",
        answers={200: STORED},
        body=Body(schema=ref("HookPatch"), examples=examples.HOOK_PATCH, media=(MERGE_PATCH, JSON)),
        path=HOOK_NAME,
        query=(DRY_RUN,),
        headers=WRITE,
        refusals=(409,),
    ),
    "DELETE": Operation(
        summary="Delete a hook",
        tag=HOOKS,
        text="Its versions stay, and can be restored.",
        answers={204: GONE},
        path=HOOK_NAME,
        query=(DRY_RUN,),
        headers=CHANGE,
    ),
}
SAMPLE: Mapping[str, Operation] = {
    "GET": Operation(
        summary="Read a sample",
        tag=SAMPLES,
        answers={200: Answer(text="The sample.", schema=ref("StoredSample"), headers=("ETag",))},
        path=SAMPLE_NAME,
    ),
    "PUT": Operation(
        summary="Create or replace a sample",
        tag=SAMPLES,
        text="The context may leave out `hook_event_name` and `agent_name`.",
        answers={200: SAMPLE_STORED, 201: SAMPLE_STORED},
        body=Body(schema=ref("Sample"), examples=examples.SAMPLE),
        path=SAMPLE_NAME,
        query=(DRY_RUN,),
        headers=WRITE,
        refusals=(409,),
    ),
    "DELETE": Operation(
        summary="Delete a sample",
        tag=SAMPLES,
        answers={204: GONE},
        path=SAMPLE_NAME,
        query=(DRY_RUN,),
        headers=CHANGE,
    ),
}
OPERATIONS: Operations = {
    **runs.OPERATIONS,
    **imports.OPERATIONS,
    "hooks": {
        "GET": Operation(
            summary="List the hooks",
            tag=HOOKS,
            text="By event and in running order. The entity tag is the page's: it changes when a hook on it does.",
            answers={200: Answer(text="One page.", schema=ref("HookPage"), headers=("ETag",))},
            query=PAGING,
        )
    },
    "hooks_reorder": {
        "POST": Operation(
            summary="Set the running order of an event's hooks",
            tag=HOOKS,
            text="`names` holds each of them once.",
            answers={200: Answer(text="The hooks in their new order.", schema=ref("HookOrder"))},
            body=Body(schema=ref("Reorder")),
            query=(DRY_RUN,),
        )
    },
    "hook": HOOK,
    "hook_restore": {
        "POST": Operation(
            summary="Store an earlier version again",
            tag=HOOKS,
            text="It becomes the newest version. A deleted hook comes back.",
            answers={200: STORED, 201: CREATED},
            body=Body(schema=ref("Restore")),
            path=HOOK_NAME,
            query=(DRY_RUN,),
            headers=CHANGE,
            refusals=(409,),
        )
    },
    "versions": {
        "GET": Operation(
            summary="List the versions of a hook",
            tag=HOOKS,
            text="The newest first; also of a hook that was deleted.",
            answers={200: page("HookVersionPage")},
            path=HOOK_NAME,
            query=PAGING,
        )
    },
    "thread_hooks": {
        "GET": Operation(
            summary="List the hooks as they stand in a thread",
            tag=THREADS,
            answers={200: Answer(text="The agent-level hooks.", schema=ref("ThreadHooks"))},
            path=THREAD,
        )
    },
    "thread_hook": {
        "POST": Operation(
            summary="Activate or pause a hook in a thread",
            tag=THREADS,
            answers={200: THREAD_HOOK},
            body=Body(schema={"type": "object", "additionalProperties": False}, optional=True),
            path={**THREAD, **HOOK_NAME, "action": {"type": "string", "enum": ["activate", "deactivate"]}},
        )
    },
    "samples": {
        "GET": Operation(
            summary="List the samples",
            tag=SAMPLES,
            answers={200: page("SamplePage")},
            query=(query("event", {"type": "string", "enum": list(EVENTS)}, "Only those of this event."), *PAGING),
        )
    },
    "sample": SAMPLE,
}
