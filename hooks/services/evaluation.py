"""Evaluations: an event put through the hooks that apply, and what came of it stored."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, IntegrityError
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from hooks import runtime
from hooks.engine import pipeline
from hooks.engine.errors import Notice
from hooks.engine.results import Candidate, Level
from hooks.engine.spec import HookSpec
from hooks.models import Hook, Kind, ThreadHook
from hooks.services import records, stored, threads, tools
from hooks.services.leases import Lost, lease
from hooks.services.records import Record
from hooks.services.requests import CheckRequest, EventRequest
from portal.access.actors import Actor
from portal.errors import Conflict

REMEMBERED = timedelta(hours=24)
LEASE_SECONDS = 30.0
PATIENCE_SECONDS = 660.0
log = logging.getLogger(__name__)


def evaluate(*, agent: Any, request: EventRequest, by: Actor, kind: Kind = Kind.RUNTIME) -> Record:
    """Put a live event through the agent's hooks as they are now (R11). The same idempotency key answers what is stored."""
    return _once(agent, kind, request, lambda: _live(agent, request, by, kind))


def check(*, agent: Any, request: CheckRequest, by: Actor) -> Record:
    """Put an event through the hooks that came with it; no thread is touched."""
    return _once(agent, Kind.CHECK, request, lambda: _check(agent, request, by))


def _once(agent: Any, kind: Kind, request: EventRequest, run: Callable[[], Record]) -> Record:
    key = request.idempotency_key
    if key is None:
        return run()
    if found := _remembered(agent, kind, key):
        return found
    try:
        with lease(f"once:{agent.pk}:{kind}:{key}", seconds=LEASE_SECONDS, patience=PATIENCE_SECONDS):
            return _remembered(agent, kind, key) or run()
    except (IntegrityError, Lost):
        # Whoever had the lease outlived it, and stored its evaluation after all.
        if found := _remembered(agent, kind, key):
            return found
        raise Conflict("An evaluation with this idempotencyKey is still running.", "idempotencyKey") from None


def _remembered(agent: Any, kind: Kind, key: str) -> Record | None:
    found = agent.evaluations.filter(
        kind=kind, idempotency_key=key, created_at__gte=timezone.now() - REMEMBERED
    ).first()
    return records.load(found) if found else None


def _forget(agent: Any, kind: Kind, key: str | None) -> None:
    """Free a key that was used more than 24 hours ago."""
    if key is not None:
        old = agent.evaluations.filter(kind=kind, idempotency_key=key, created_at__lt=timezone.now() - REMEMBERED)
        old.update(idempotency_key=None)


def _live(agent: Any, request: EventRequest, by: Actor, kind: Kind) -> Record:
    # Two Stops of one thread at a time would both read the same count, and the limit would let one too many through.
    name = f"thread:{agent.pk}:{request.thread_key}"
    held = lease(name, seconds=LEASE_SECONDS, patience=PATIENCE_SECONDS) if request.counted else nullcontext()
    try:
        with held:
            if request.counted:
                request.set_rejections(threads.rejections(agent=agent, key=request.thread_key))
            record = _run_live(agent, request, by, kind)
    except Lost:
        raise Conflict("Another Stop of this thread is still being evaluated.", "threadId") from None
    try:
        tools.note_tool(agent, request.context.get("tool_name"))
    except DatabaseError:  # the decision is out; a name for suggestions may wait for the next event
        log.warning("The tool's name could not be noted.", exc_info=True)
    return record


def _run_live(agent: Any, request: EventRequest, by: Actor, kind: Kind) -> Record:
    started = time.perf_counter()
    custom_agent, warnings = running_agent(agent, request.context["agent_name"])
    hooks = list(applicable(agent, request.event, custom_agent, request.thread_key))
    candidates = [(hook, stored.candidate(hook)) for hook in hooks]
    loaded = time.perf_counter()
    found = pipeline.evaluate(
        event=request.event,
        context=request.context,
        agent=[one for hook, one in candidates if hook.custom_agent_id is None],
        custom_agent=[one for hook, one in candidates if hook.custom_agent_id is not None],
        transcript=request.transcript,
        sandbox=runtime.sandbox(),
        judge=runtime.judge(agent, [one for _, one in candidates]),
    )
    ran = time.perf_counter()
    found.warnings[:0] = warnings
    name = custom_agent.name if custom_agent else ""
    record = records.build(found, agent=agent, kind=kind, request=request, by=by, custom_agent=name)

    def also() -> None:
        if request.thread_key:
            threads.note_event(
                agent=agent,
                key=request.thread_key,
                custom_agent=name,
                event=request.event,
                decision=found.decision,
            )

    _forget(agent, kind, request.idempotency_key)
    records.store(record, also=also)
    ends = {"load": (started, loaded), "hooks": (loaded, ran), "store": (ran, time.perf_counter())}
    record.stages.update({stage: (end - start) * 1000 for stage, (start, end) in ends.items()})
    return record


def running_agent(agent: Any, name: str) -> tuple[Any | None, list[Notice]]:
    """Find the custom agent that runs; None for the agent itself, and with a warning for a name that is unknown."""
    if name.lower() == agent.name.lower():
        return None, []
    found = None
    if len(name) <= 64 and "\x00" not in name:
        found = agent.custom_agents.filter(name__iexact=name).only("agent", "name").first()
    if found is not None:
        return found, []
    message = f"{name[:100]!r} is no custom agent of {agent.name!r}, so only the agent-level hooks were run."
    return None, [Notice("context.agent_name", "unknown_agent", message)]


def applicable(agent: Any, event: str, custom_agent: Any | None, thread_key: str) -> QuerySet[Hook]:
    """Find, in one query, the hooks that are enabled and active in the thread, in running order (R7, R8, R10)."""
    hooks = Hook.objects.filter(agent=agent, event=event, enabled=True).order_by("position", "pk")
    hooks = (
        hooks.filter(Q(custom_agent=None) | Q(custom_agent=custom_agent))
        if custom_agent
        else hooks.filter(custom_agent=None)
    )
    if not thread_key:
        return hooks.exclude(custom_agent=None, activation_mode="onDemand")
    states = ThreadHook.objects.filter(thread__agent=agent, thread__key=thread_key, hook=OuterRef("pk"))
    hooks = hooks.annotate(active_here=Subquery(states.values("active")[:1]))
    on = Q(active_here=True) | (Q(active_here=None) & Q(activation_mode="always"))
    return hooks.filter(Q(custom_agent__isnull=False) | on)


def _check(agent: Any, request: CheckRequest, by: Actor) -> Record:
    agent_level = given(request.agent, "agent", request.activate)
    custom_level = given(request.custom_agent, "customAgent", request.activate)
    found = pipeline.evaluate(
        event=request.event,
        context=request.context,
        agent=agent_level,
        custom_agent=custom_level,
        transcript=request.transcript,
        sandbox=runtime.sandbox(),
        judge=runtime.judge(agent, [*agent_level, *custom_level]),
    )
    found.warnings[:0] = request.warnings
    _forget(agent, Kind.CHECK, request.idempotency_key)
    return records.store(records.build(found, agent=agent, kind=Kind.CHECK, request=request, by=by))


def given(specs: Sequence[HookSpec], level: Level, activate: frozenset[str]) -> list[Candidate]:
    """Make candidates of hooks that came with a request: those that are enabled, and always active or named."""
    return [
        Candidate(name=spec.name or f"{spec.event}[{index}]", level=level, position=index, spec=spec)
        for index, spec in enumerate(specs)
        if spec.enabled and (spec.activation_mode == "always" or spec.name in activate)
    ]
