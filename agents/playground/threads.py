"""What people do with threads of the playground: create, write, decide, go on, change, delete."""

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from agents.models import Agent, Thread
from agents.playground import entries, examples, work
from agents.playground.entries import Kind
from agents.playground.playing import PERSON_DENIED
from hooks.engine import strictjson
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import TOOL_NAME_LIMIT
from hooks.models.records import new_id
from portal.access.actors import Actor
from portal.errors import Conflict, NotFound
from portal.redaction import redact

TEXT_LIMIT = 2 * 1024 * 1024
TURNS = range(1, 101)
TITLE_LIMIT = 200
UNTITLED = "New thread"
Mode, State = Thread.Mode, Thread.State


def list_threads(*, agent: Agent, query: str = "", mode: str = "") -> QuerySet[Thread]:
    """The agent's threads, the last used first; `query` is looked for in title, key and custom agent."""
    found = agent.threads.all()
    if query:
        found = found.filter(Q(title__icontains=query) | Q(key__icontains=query) | Q(custom_agent__icontains=query))
    if mode in ("hand", "model", "live"):
        found = found.filter(mode="" if mode == "live" else mode)
    return found.order_by("-last_event_at", "-id")


def find_thread(*, agent: Agent, pk: int) -> Thread:
    """Find a thread, given up first if its worker is lost. Raises NotFound."""
    found: Thread | None = agent.threads.filter(pk=pk).select_related("agent").first() if pk < 2**63 else None
    if found is None:
        raise NotFound(f"There is no thread {pk} on the agent {agent.name!r}; it may have been deleted.")
    now = timezone.now()
    late = (found.state == State.RUNNING and found.heartbeat and found.heartbeat < now - work.HEARTBEAT_LOST) or (
        found.state == State.ASKING and found.asked_until and found.asked_until < now
    )
    if late:
        work.end_lost(Thread.objects.filter(pk=pk))
        found.refresh_from_db()
    return found


@transaction.atomic
def create_thread(
    *,
    agent: Agent,
    by: Actor,
    mode: str = Mode.HAND,
    custom_agent: str = "",
    model: str = "ReasoningFast",
    title: str = "",
) -> Thread:
    """Begin a thread of the playground. Raises Invalid."""
    thread = Thread(agent=agent, key=new_id(), mode=mode, created_by=by.text[:200], title=_title(title) or UNTITLED)
    _settle(thread, custom_agent=custom_agent, mode=mode, model=model)
    thread.save()
    return thread


@transaction.atomic
def begin_example(*, agent: Agent, key: str, mode: str = Mode.HAND, by: Actor) -> Thread:
    """Begin a guided example: by hand it plays itself, with a model its message is sent. Raises NotFound."""
    example = examples.find_example(key)
    thread = create_thread(agent=agent, by=by, mode=mode, title=str(example.title))
    examples.prepare(thread=thread, example=example, by=by)
    if mode == Mode.MODEL:
        _append_message(thread, example.message, by)
    else:
        Thread.objects.filter(pk=thread.pk).update(example=key)
        thread.example = key
    work.queue(thread)
    return thread


@transaction.atomic
def say(*, thread: Thread, text: str, by: Actor) -> None:
    """Send a person's message. Raises Invalid, Conflict."""
    _check_text("text", text)
    work.take_turn(thread)
    if thread.title == UNTITLED:
        thread.title = _title(text) or UNTITLED
        thread.save(update_fields=["title"])
    _append_message(thread, text, by)
    work.queue(thread)


def _append_message(thread: Thread, text: str, by: Actor) -> None:
    Thread.objects.filter(pk=thread.pk).update(turn=0, unfinished=False)
    entries.append(thread, Kind.USER, text, state="new", by=by.text)


@transaction.atomic
def answer(*, thread: Thread, text: str, by: Actor) -> None:
    """Give a final answer in the agent's place. Raises Invalid, Conflict."""
    _check_text("text", text)
    _by_hand(thread)
    entries.append(thread, Kind.ASSISTANT, text, state="new", by=thread.who, player=by.text, group=thread.length + 1)
    work.queue(thread)


@transaction.atomic
def call_tool(*, thread: Thread, tool: str, given: str, result: str, succeeded: bool, by: Actor) -> None:
    """Call a tool in the agent's place, with what it will answer should it be allowed to run. Raises Invalid, Conflict."""
    tool, faults = tool.strip(), []
    if not tool or len(tool) > TOOL_NAME_LIMIT:
        faults.append(Fault("tool", "invalid", f"must be a text of 1 to {TOOL_NAME_LIMIT:,} characters."))
    written = given.strip() or "{}"
    try:
        if not isinstance(strictjson.loads(written), dict):
            faults.append(Fault("input", "invalid_type", 'must be a JSON object, such as {"command": "ls"}.'))
    except ValueError as error:
        faults.append(Fault("input", "invalid_json", f"is not JSON: {error}."))
    faults += [Fault(name, "too_long", LONG) for name, text in (("input", given), ("result", result)) if _is_long(text)]
    if faults:
        raise Invalid(faults)
    _by_hand(thread)
    group, about = thread.length + 1, {"text": strictjson.clean(result), "succeeded": succeeded}
    entries.append(
        thread,
        Kind.CALL,
        written,
        state="new",
        by=thread.who,
        player=by.text,
        tool=tool,
        id=f"call_{group}",
        group=group,
        given=about,
    )
    work.queue(thread)


def _by_hand(thread: Thread) -> None:
    work.take_turn(thread)
    if thread.mode != Mode.HAND:
        raise Conflict("In this thread a model plays the agent. Change that under Settings to play it by hand.")
    if thread.length >= entries.MOST:
        raise Conflict(entries.FULL.format(most=entries.MOST))
    Thread.objects.filter(pk=thread.pk).update(turn=F("turn") + 1)


@transaction.atomic
def decide(*, thread: Thread, approve: bool, by: Actor) -> None:
    """Answer the question whether a tool may be called. Raises Conflict where nobody asks any more."""
    if not Thread.objects.filter(pk=thread.pk, state=State.ASKING).update(state=State.QUEUED):
        raise Conflict("This is decided already, or the time for it is over.")
    for question in thread.entries.filter(kind=Kind.ASK, state="waiting").select_related("thread"):
        question.by = by.text[:200]
        question.save(update_fields=["by"])
    work.close_question(
        thread, "approved" if approve else "denied", refusal="" if approve else f"{PERSON_DENIED} ({by.text})"
    )
    work.queue(thread)


@transaction.atomic
def go_on(*, thread: Thread, by: Actor) -> None:
    """Take up what stopped before the agent had answered. Raises Conflict."""
    work.take_turn(thread)
    if thread.turn >= thread.max_turns:
        Thread.objects.filter(pk=thread.pk).update(turn=0)
    work.queue(thread)


@transaction.atomic
def edit_thread(
    *, thread: Thread, title: str, custom_agent: str, mode: str, model: str, max_turns: int, by: Actor
) -> None:
    """Rename a thread, or let another agent or another player go on with it. Raises Invalid, Conflict."""
    if not _title(title):
        raise Invalid([Fault("title", "required", "must not be blank.")])
    if max_turns not in TURNS:
        raise Invalid([Fault("max_turns", "out_of_range", "must be a whole number from 1 to 100.")])
    if thread.mode == Mode.LIVE:
        Thread.objects.filter(pk=thread.pk).update(title=_title(title))
        return
    changed = (custom_agent.lower(), mode) != (thread.custom_agent.lower(), thread.mode)
    if changed and thread.state != State.IDLE:
        raise Conflict(work.BUSY)
    _settle(thread, custom_agent=custom_agent, mode=mode, model=model)
    thread.title, thread.max_turns = _title(title), max_turns
    thread.save(update_fields=["title", "custom_agent", "mode", "model", "max_turns"])
    if changed:
        entries.notice(thread, "agent_changed", f"{thread.who} ({thread.get_mode_display()})")


def _settle(thread: Thread, *, custom_agent: str, mode: str, model: str) -> None:
    faults = []
    if mode not in (Mode.HAND, Mode.MODEL):
        faults.append(Fault("mode", "invalid_choice", "must be by hand or model."))
    if not model.strip() or len(model) > 200 or "\x00" in model:
        faults.append(Fault("model", "invalid", "must be a tier or the name of a deployment."))
    found = None
    if custom_agent:
        sound = "\x00" not in custom_agent
        found = thread.agent.custom_agents.filter(name__iexact=custom_agent).first() if sound else None
        if found is None:
            faults.append(Fault("custom_agent", "unknown", f"There is no custom agent {custom_agent[:64]!r}."))
    if faults:
        raise Invalid(faults)
    thread.custom_agent = found.name if found else ""
    thread.mode, thread.model = mode, model.strip()


@transaction.atomic
def delete_thread(*, thread: Thread, by: Actor) -> None:
    """Delete a thread with its entries; its evaluations stay in the log. Raises Conflict while it is at work."""
    idle = Thread.objects.filter(pk=thread.pk, state__in=(State.IDLE, State.ASKING))
    if not idle.exists():
        raise Conflict("The agent is at work in this thread. Cancel that first, then delete it.")
    idle.delete()


LONG = f"is longer than {TEXT_LIMIT:,} characters, which is the most a message may have."


def _is_long(text: str) -> bool:
    return len(text) > TEXT_LIMIT


def _check_text(name: str, text: str) -> None:
    if not text.strip():
        raise Invalid([Fault(name, "required", "must not be blank.")])
    if _is_long(text):
        raise Invalid([Fault(name, "too_long", LONG)])


def _title(text: str) -> str:
    return " ".join(redact(strictjson.clean(text[: 4 * TITLE_LIMIT]).replace("\x00", " ")).split())[:TITLE_LIMIT]
