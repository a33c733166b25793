"""A model's next turn: sent the conversation, it answers or calls tools; what it says becomes entries."""

from collections.abc import Callable

from django.db import transaction

from agents.models import Thread
from agents.playground import conversation, entries, tools
from agents.playground.entries import Kind
from hooks import runtime
from hooks.engine import strictjson
from hooks.engine.judge import NO_MODEL
from hooks.engine.model import ModelFailed, ModelReply, ToolCall
from hooks.services.evaluation import Cancelled

TIMEOUT = 180.0
CALLS_LIMIT = 16
ANSWERED = ("final", "forced", "unjudged")
NAME_LENGTH = 200
HELPFUL = "You are a helpful assistant."


def is_due(thread: Thread) -> bool:
    """Whether somebody waits for the agent: the last thing said is not its answer."""
    last = thread.entries.filter(kind__in=conversation.SAID).order_by("-number").only("kind", "state").first()
    return last is not None and not (last.kind == Kind.ASSISTANT and last.state in ANSWERED)


def take(thread: Thread, *, cancelled: Callable[[], bool], on_draft: Callable[[str], None]) -> None:
    """Ask the model once. Raises ModelFailed, and Cancelled with what it had said by then kept."""
    client, deployment = runtime.player(thread.agent, thread.model)
    if client is None:
        raise ModelFailed(NO_MODEL)
    pieces: list[str] = []

    def watch() -> bool:
        on_draft("".join(pieces))
        return cancelled()

    try:
        reply = client.stream(
            deployment=deployment,
            messages=[_system(thread), *conversation.messages(conversation.said(thread.entries))],
            tools=tools.offered(thread),
            timeout=TIMEOUT,
            on_text=pieces.append,
            cancelled=watch,
        )
    except ModelFailed:
        if not cancelled():
            raise
        _keep_partial(thread, "".join(pieces))
        raise Cancelled from None
    _keep(thread, reply)


def _system(thread: Thread) -> dict[str, str]:
    own = thread.agent.custom_agents.filter(name__iexact=thread.custom_agent).first() if thread.custom_agent else None
    spec = own.spec if own is not None and isinstance(own.spec, dict) else {}
    return {"role": "system", "content": str(spec.get("instructions") or HELPFUL)}


def _keep_partial(thread: Thread, text: str) -> None:
    if text.strip():
        entries.append(thread, Kind.ASSISTANT, text, state="partial", by=thread.who, group=thread.length + 1)


@transaction.atomic
def _keep(thread: Thread, reply: ModelReply) -> None:
    """Make entries of a reply. Raises ModelFailed for one that says nothing."""
    if reply.refusal and not reply.text:
        raise ModelFailed(f"The model refused: {reply.refusal}")
    group, text = thread.length + 1, reply.text or ""
    if reply.tool_calls:
        if text.strip():
            entries.append(thread, Kind.ASSISTANT, text, state="turn", by=thread.who, group=group)
        for call in reply.tool_calls[:CALLS_LIMIT]:
            _keep_call(thread, call, group)
        if len(reply.tool_calls) > CALLS_LIMIT:
            entries.notice(thread, "too_many_calls", str(len(reply.tool_calls)))
    elif text.strip():
        if reply.finish_reason == "length":
            entries.notice(thread, "cut_off")
        entries.append(thread, Kind.ASSISTANT, text, state="new", by=thread.who, group=group)
    else:
        raise ModelFailed("The model answered with nothing.")


def _keep_call(thread: Thread, call: ToolCall, group: int) -> None:
    name, arguments, unread = call.name.strip()[:NAME_LENGTH] or "(no name)", call.arguments.strip() or "{}", ""
    try:
        if not isinstance(strictjson.loads(arguments), dict):
            unread = "it is JSON, but no object"
    except ValueError as error:
        unread = str(error)[:300]
    # An id of our own: servers send the same one twice, and some send none.
    known = f"call_{thread.length + 1}"
    entries.append(
        thread, Kind.CALL, arguments, state="new", by=thread.who, tool=name, id=known, group=group, unread=unread
    )
