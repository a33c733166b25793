"""Evaluations: an event put through the hooks that apply, and what came of it stored."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, IntegrityError
from django.utils import timezone

from hooks import runtime
from hooks.engine import pipeline
from hooks.engine.results import Candidate, Level
from hooks.engine.spec import HookSpec
from hooks.models import Kind
from hooks.services import killswitch, loading, records, threads, tools
from hooks.services.leases import Lost, lease
from hooks.services.records import Record
from hooks.services.requests import CheckRequest, EventRequest
from portal.access.actors import Actor
from portal.errors import Conflict

REMEMBERED = timedelta(hours=24)
LEASE_SECONDS = 30.0
PATIENCE_SECONDS = 660.0
log = logging.getLogger(__name__)


class Cancelled(Exception):
    """Who asked for an evaluation wants it no more; nothing is stored."""


def evaluate(
    *,
    agent: Any,
    request: EventRequest,
    by: Actor,
    kind: Kind = Kind.RUNTIME,
    cancelled: Callable[[], bool] | None = None,
) -> Record:
    """Put a live event through the agent's hooks as they are now (R11). The same idempotency key answers what is stored.

    Raises Cancelled once `cancelled` has said so.
    """
    return _once(agent, kind, request, lambda: _live(agent, request, by, kind, cancelled))


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


def _live(
    agent: Any, request: EventRequest, by: Actor, kind: Kind, cancelled: Callable[[], bool] | None = None
) -> Record:
    # Two Stops of one thread at a time would both read the same count, and the limit would let one too many through.
    name = f"thread:{agent.pk}:{request.thread_key}"
    held = lease(name, seconds=LEASE_SECONDS, patience=PATIENCE_SECONDS) if request.counted else nullcontext()
    try:
        with held:
            if request.counted:
                request.set_rejections(threads.rejections(agent=agent, key=request.thread_key))
            record = _run_live(agent, request, by, kind, cancelled)
    except Lost:
        raise Conflict("Another Stop of this thread is still being evaluated.", "threadId") from None
    try:
        tools.note_tool(agent, request.context.get("tool_name"))
    except DatabaseError:  # the decision is out; a name for suggestions may wait for the next event
        log.warning("The tool's name could not be noted.", exc_info=True)
    return record


def _run_live(agent: Any, request: EventRequest, by: Actor, kind: Kind, cancelled: Callable[[], bool] | None) -> Record:
    started = time.perf_counter()
    hooks = loading.load(agent, request.event, request.context["agent_name"], request.thread_key)
    if off := killswitch.hooks_off(agent):
        hooks = replace(hooks, agent=[], custom=[], warnings=[killswitch.notice(agent, off), *hooks.warnings])
    judge = runtime.judge(agent, [*hooks.agent, *hooks.custom])
    loaded = time.perf_counter()
    found = pipeline.evaluate(
        event=request.event,
        context=request.context,
        agent=hooks.agent,
        custom_agent=hooks.custom,
        transcript=request.transcript,
        sandbox=runtime.sandbox(),
        judge=judge,
        cancelled=cancelled,
    )
    if found.cancelled:
        raise Cancelled
    ran = time.perf_counter()
    found.warnings[:0] = hooks.warnings
    name = hooks.custom_agent.name if hooks.custom_agent else ""
    stages = {"load": loaded - started, "match": found.match_ms / 1000, "hooks": ran - loaded - found.match_ms / 1000}
    request.stages |= {stage: round(seconds * 1000, 3) for stage, seconds in stages.items()}
    more = {"custom_agent": name, "hooks_off": off is not None}
    record = records.build(found, agent=agent, kind=kind, request=request, by=by, **more)

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
    record.store_ms = round((time.perf_counter() - ran) * 1000, 3)
    return record


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
