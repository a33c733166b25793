"""Test runs as workers carry them out: claimed, run by the one evaluator, stored as evaluations."""

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from django.db import DatabaseError, connection
from django.utils import timezone

from hooks import runtime
from hooks.engine import pipeline
from hooks.engine.errors import Invalid, Notice
from hooks.engine.parsing import parse
from hooks.engine.results import Candidate, Level
from hooks.models import Hook, Kind, TestRun
from hooks.services import records, stored
from hooks.services.liveoutput import LiveOutput
from hooks.services.loading import applicable, running_agent
from hooks.services.requests import EventRequest, read_context
from hooks.services.testinput import complete
from portal.errors import Refused

POLL_SECONDS = 1.0
BEAT_EVERY = 4
Status = TestRun.Status
log = logging.getLogger(__name__)


def execute_test_run(*, run_id: str) -> None:
    """Carry out a queued run; one that another worker has, or that ended, is left alone."""
    claim = f"{socket.gethostname()[:60]}:{os.getpid()}:{threading.get_ident()}"
    now = timezone.now()
    queued = TestRun.objects.filter(pk=run_id, status=Status.QUEUED)
    if not queued.update(status=Status.RUNNING, claimed_by=claim, started_at=now, heartbeat=now):
        return
    run = TestRun.objects.select_related("agent", "hook").get(pk=run_id)
    with Pulse(run_id) as pulse, LiveOutput(run_id) as live:
        try:
            status, error = _run_all(run, pulse.cancelled, live), ""
        except (Refused, Invalid, Gone) as refusal:
            status, error = Status.FAILED, str(refusal)
        except Exception:
            _end(run, Status.FAILED, "The portal failed while it ran this test. The log says how.")
            raise
    _end(run, status, error)


def _end(run: TestRun, status: str, error: str) -> None:
    # Only the one that has the claim ends the run: it may have been given up for lost in between.
    mine = TestRun.objects.filter(pk=run.pk, status=Status.RUNNING, claimed_by=run.claimed_by)
    mine.update(status=status, error=error[:2000], ended_at=timezone.now())


class Gone(Exception):
    """What was to be tested is there no more."""


class Pulse:
    """Shows, from a thread of its own, that the run is alive, and hears whether it is to stop."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._stop, self._cancelled = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name=f"pulse-{run_id}", daemon=True)

    def __enter__(self) -> "Pulse":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def _watch(self) -> None:
        turn = 0
        try:
            while not self._stop.wait(POLL_SECONDS):
                turn += 1
                try:
                    self._look(beat=turn % BEAT_EVERY == 0)
                except DatabaseError:
                    log.warning("The pulse of test run %s could not be written.", self._run_id, exc_info=True)
        finally:
            connection.close()

    def _look(self, *, beat: bool) -> None:
        runs = TestRun.objects.filter(pk=self._run_id)
        state = runs.values_list("status", "cancel_requested").first()
        if state is None or state[0] != Status.RUNNING or state[1]:
            self._cancelled.set()
        elif beat:
            runs.filter(status=Status.RUNNING).update(heartbeat=timezone.now())


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One context to test with, and where it comes from."""

    request: EventRequest
    more: dict[str, Any]
    expected: dict[str, Any] | None = None
    kind: Kind = Kind.TEST


@dataclass(slots=True, kw_only=True)
class Lineup:
    """The hooks of a test, and what is to be said about them."""

    agent: list[Candidate] = field(default_factory=list)
    custom_agent: list[Candidate] = field(default_factory=list)
    notes: list[Notice] = field(default_factory=list)


def _run_all(run: TestRun, cancelled: Callable[[], bool], live: LiveOutput) -> str:
    for item in _items(run):
        if cancelled():
            return Status.CANCELLED
        live.begin(str(item.more.get("sample", "")))
        lineup = _lineup(run, item.request)
        found = pipeline.evaluate(
            event=item.request.event,
            context=item.request.context,
            agent=lineup.agent,
            custom_agent=lineup.custom_agent,
            transcript=item.request.transcript,
            sandbox=runtime.sandbox(),
            judge=runtime.judge(run.agent, [*lineup.agent, *lineup.custom_agent]),
            on_output=live.take,
            cancelled=cancelled,
        )
        if found.cancelled:
            return Status.CANCELLED
        found.warnings[:0] = lineup.notes or _unmatched(lineup, found.hooks, item.request)
        record = records.build(
            found,
            agent=run.agent,
            kind=item.kind,
            request=item.request,
            test_run=run,
            expected=item.expected,
            passed=passed(item.expected, found.decision, found.reason),
            **item.more,
        )
        record.evaluation.by, record.evaluation.request_id = run.created_by, run.request_id
        records.store(record, also=lambda: _step(run))
    return Status.SUCCEEDED


def _step(run: TestRun) -> None:
    run.done += 1
    TestRun.objects.filter(pk=run.pk).update(done=run.done)


def _items(run: TestRun) -> Iterator[Item]:
    given = run.input
    if "evaluation" in given:
        old = run.agent.evaluations.filter(pk=given["evaluation"]).first()
        if old is None:
            raise Gone("The evaluation to replay was deleted.")
        request = read_context(old.context, old.transcript)
        yield Item(request=request, more={"replay_of": old.pk, "custom_agent": old.custom_agent}, kind=Kind.REPLAY)
        return
    if "context" in given:
        context = complete(given["context"], event=_event_of(run), agent_name=_name_of_agent(run))
        yield Item(request=read_context(context, given.get("transcript")), more={})
        return
    for name in given["samples"]:
        sample = run.agent.samples.filter(name=name).first()
        if sample is None:
            raise Gone(f"The sample {name!r} was deleted.")
        context = complete(sample.context, event=sample.event, agent_name=_name_of_agent(run))
        request = read_context(context, sample.transcript)
        yield Item(request=request, more={"sample": sample.name}, expected=sample.expected)


def _name_of_agent(run: TestRun) -> str:
    """What a hook of a custom agent gets to read as `agent_name`, unless the context says otherwise."""
    return run.custom_agent or str(run.agent.name)


def _event_of(run: TestRun) -> str:
    definition = run.target.get("definition")
    if definition is None:
        return run.hook.event if run.hook else ""
    return str(definition.get("event") or definition.get("eventType") or definition.get("event_type") or "")


def _lineup(run: TestRun, request: EventRequest) -> Lineup:
    if "definition" in run.target:
        level: Level = "customAgent" if run.custom_agent else "agent"
        parsed = parse(run.target["definition"], path="definition", level=level)
        if parsed.spec is None:
            raise Invalid(parsed.faults)
        spec, place = parsed.spec, run.target.get("index", 0)
        one = Candidate(name=spec.name or f"{spec.event}[{place}]", level=level, position=place, spec=spec)
        return _alone(one, enabled=spec.enabled, on_demand=spec.activation_mode == "onDemand")
    if run.target:
        hook = Hook.objects.filter(pk=run.hook_id).first() if run.hook_id else None
        if hook is None:
            raise Gone("The hook to test was deleted.")
        return _alone(stored.candidate(hook), enabled=hook.enabled, on_demand=hook.activation_mode == "onDemand")
    custom_agent, notes = running_agent(run.agent, request.context["agent_name"])
    hooks = list(applicable(run.agent, request.event, custom_agent, ""))
    return Lineup(
        agent=[stored.candidate(hook) for hook in hooks if hook.custom_agent_id is None],
        custom_agent=[stored.candidate(hook) for hook in hooks if hook.custom_agent_id is not None],
        notes=notes,
    )


def _alone(one: Candidate, *, enabled: bool, on_demand: bool) -> Lineup:
    """Line up a single hook. A disabled one does not run here either; one on demand runs as if activated, and says so."""
    if not enabled:
        return Lineup(
            notes=[Notice("enabled", "disabled", "The hook is disabled, so it does not run. Enable it to test it.")]
        )
    lineup = Lineup()
    (lineup.agent if one.level == "agent" else lineup.custom_agent).append(one)
    if on_demand and one.level == "agent":
        message = "The hook is on demand: live, it runs only in threads where it was activated."
        lineup.notes.append(Notice("activationMode", "on_demand", message))
    return lineup


def _unmatched(lineup: Lineup, results: list[Any], request: EventRequest) -> list[Notice]:
    lined = lineup.agent + lineup.custom_agent
    if results or len(lined) != 1 or lined[0].spec is None:
        return []
    tool = str(request.context.get("tool_name"))[:100]
    message = f"The hook does not fire: its matcher {lined[0].spec.matcher!r} does not match the tool {tool!r}."
    return [Notice("matcher", "not_matched", message)]


def passed(expected: dict[str, Any] | None, decision: str, reason: str | None) -> bool | None:
    """Compare a decision with the expected one; None where nothing is expected."""
    if not expected:
        return None
    return decision == expected.get("decision") and (expected.get("reasonContains") or "") in (reason or "")
