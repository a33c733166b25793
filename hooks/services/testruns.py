"""Test runs as callers see them: asked for, looked at, cancelled; and ended when their worker is lost."""

import logging
import time
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from hooks.engine.errors import Notice
from hooks.models import Hook, TestRun
from hooks.services import records
from hooks.services.testinput import read_test
from portal.access.actors import Actor
from portal.errors import NotFound
from portal.workers import worker_is_alive

HEARTBEAT_LOST = timedelta(seconds=20)
RESEND_AFTER = timedelta(seconds=60)
QUEUED_AT_MOST = timedelta(minutes=15)
LOST = "The worker that ran this test stopped before it was done. Test again."
NOT_TAKEN = "No worker took this test within 15 minutes, though workers are running. Test again."
NO_BROKER = "The message broker cannot be reached. The test is kept, and runs once the broker is back."
Status = TestRun.Status
log = logging.getLogger(__name__)


def create_test_run(*, agent: Any, body: object, of: Hook | None = None, by: Actor) -> TestRun:
    """Queue a test of a hook, or of all hooks; `of` is the stored hook that a definition is about to change.

    Raises Invalid, TooLarge.
    Without a broker the run stays queued all the same, with a warning in `warnings`; the sweeper sends it later.
    """
    test = read_test(agent, body)
    with transaction.atomic():
        run = TestRun.objects.create(
            agent=agent,
            hook=test.hook or of,
            name=test.name[:100],
            custom_agent=test.custom_agent,
            target=test.target,
            input=test.input,
            total=test.total,
            warnings=[vars_of(notice) for notice in test.warnings],
            created_by=by.text[:200],
            request_id=by.request_id,
        )
        transaction.on_commit(lambda: send(run))
    return run


def vars_of(notice: Notice) -> dict[str, str]:
    return {"target": notice.target, "code": notice.code, "message": notice.message}


def send(run: TestRun) -> bool:
    """Hand a queued run to the workers; tell whether the broker took it. A run that is sent twice still runs once."""
    from hooks.tasks import run_test

    try:
        run_test.apply_async((run.pk,), retry=False)
    except (OperationalError, OSError) as error:
        log.warning("Test run %s stays queued: %s", run.pk, error)
        run.warnings = [*run.warnings, {"target": "", "code": "broker_unreachable", "message": NO_BROKER}]
        return False
    TestRun.objects.filter(pk=run.pk).update(enqueued_at=timezone.now())
    return True


def find_test_run(*, agent: Any, run_id: str) -> TestRun:
    """Find a test run, ended first if its worker is lost. Raises NotFound."""
    mine = agent.test_runs.none() if "\x00" in run_id else agent.test_runs.filter(pk=run_id).select_related("hook")
    found: TestRun | None = mine.first()
    # Who watches a run asks several times a second; only what looks lost is worth a write.
    if found is not None and _looks_lost(found) and end_lost(mine):
        found = mine.first()
    if found is not None:
        return found
    raise NotFound(f"There is no test run {run_id[:64]!r} on the agent {agent.name!r}.")


def _looks_lost(run: TestRun) -> bool:
    now = timezone.now()
    if run.status == Status.RUNNING:
        return run.heartbeat is not None and run.heartbeat < now - HEARTBEAT_LOST
    return run.status == Status.QUEUED and run.created_at < now - QUEUED_AT_MOST


def runs_of(*, agent: Any, hook: Hook | None, name: str = "", custom_agent: str = "") -> Any:
    """The test runs of a hook, the newest first: of an agent-level one that is gone, those that bore its name.

    Without a hook and a name: those of all hooks of a custom agent.
    """
    runs = agent.test_runs.order_by("-id")
    if custom_agent:
        return runs.filter(custom_agent=custom_agent)
    unsaved = Q(hook=None, custom_agent="", name=hook.name if hook else name)
    return runs.filter(unsaved | Q(hook=hook) if hook else unsaved)


def body_of(run: TestRun) -> dict[str, Any]:
    """Write the body that asks for the same test again, of the hook as it is called and where it stands now."""
    target = dict(run.target)
    if run.hook and "hook" in target:
        target["hook"] = run.hook.name
    elif run.hook and "event" in target:
        target |= {"event": run.hook.event, "index": run.hook.position}
    return {**target, **run.input}


def wait_for(run: TestRun, *, seconds: float) -> TestRun:
    """Give a run that was just begun a moment to end: most take less than it takes to ask for them again."""
    until, pause = time.monotonic() + seconds, 0.01
    while not run.ended and time.monotonic() < until:
        time.sleep(pause)
        pause = min(pause * 1.3, 0.05)
        run.status = TestRun.objects.values_list("status", flat=True).get(pk=run.pk)
    warnings = run.warnings
    run.refresh_from_db()
    run.warnings = warnings
    return run


def cancel_test_run(*, run: TestRun) -> TestRun:
    """Stop a run, the process of its hook included. One that has ended stays as it is."""
    queued = TestRun.objects.filter(pk=run.pk, status=Status.QUEUED)
    if not queued.update(status=Status.CANCELLED, ended_at=timezone.now(), cancel_requested=True):
        TestRun.objects.filter(pk=run.pk, status=Status.RUNNING).update(cancel_requested=True)
    run.refresh_from_db()
    return run


def end_lost(runs: Any = None) -> int:
    """End runs whose worker is gone, and queued ones that nobody took; return how many."""
    now, runs = timezone.now(), TestRun.objects.all() if runs is None else runs
    lost = runs.filter(status=Status.RUNNING, heartbeat__lt=now - HEARTBEAT_LOST)
    ended: int = lost.update(status=Status.FAILED, error=LOST, ended_at=now)
    waiting = runs.filter(status=Status.QUEUED, created_at__lt=now - QUEUED_AT_MOST)
    if waiting.exists() and worker_is_alive():
        # A run that the broker never had, or lost, gets its chance first.
        ended += waiting.filter(enqueued_at__lt=now - QUEUED_AT_MOST / 2, enqueued_at__gt=F("created_at")).update(
            status=Status.FAILED, error=NOT_TAKEN, ended_at=now
        )
    return ended


def resend() -> int:
    """Send again what is queued and was never sent, or was sent a while ago and may be lost; return how many."""
    stale = Q(enqueued_at=None) | Q(enqueued_at__lt=timezone.now() - RESEND_AFTER)
    sent = 0
    for run in TestRun.objects.filter(stale, status=Status.QUEUED).order_by("id")[:100]:
        if not send(run):
            break
        sent += 1
    return sent


def describe_test_run(run: TestRun) -> dict[str, Any]:
    """Show a run with its results so far."""
    evaluations = run.evaluations.order_by("id").prefetch_related("results")
    return {
        "id": run.id,
        "status": run.status,
        "progress": {"done": run.done, "total": run.total},
        "error": run.error or None,
        "warnings": run.warnings,
        "target": run.target,
        "createdAt": records.timestamp(run.created_at),
        "startedAt": records.timestamp(run.started_at),
        "endedAt": records.timestamp(run.ended_at),
        "createdBy": run.created_by,
        "results": [_result(evaluation) for evaluation in evaluations],
    }


def _result(evaluation: Any) -> dict[str, Any]:
    results = sorted(evaluation.results.all(), key=lambda result: result.index)
    return {
        **records.describe(records.Record(evaluation=evaluation, results=results)),
        "kind": evaluation.kind,
        "sample": evaluation.sample or None,
        "expected": evaluation.expected,
        "passed": evaluation.passed,
        "fired": bool(results),
    }
