"""A worker's part of a test run: its pulse, its cancellation, its ends."""

import threading
import time
from typing import Any

import pytest
from django.db import connections

from agents.models import Agent
from hooks import services
from hooks.models import Evaluation, TestRun
from hooks.services import testing
from hooks.services.testing import passed
from tests.shell import STOP

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandboxed")]
SLOW = {"event": "Stop", "type": "command", "command": "sleep 30", "timeout": 60}


def queued(agent: Agent, definition: dict[str, Any]) -> TestRun:
    return TestRun.objects.create(
        agent=agent, target={"definition": definition}, input={"context": STOP, "transcript": None}, total=1
    )


@pytest.fixture(autouse=True)
def quick_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(testing, "BEAT_EVERY", 1)


def in_a_worker(run: TestRun) -> threading.Thread:
    def work() -> None:
        try:
            services.execute_test_run(run_id=run.pk)
        finally:
            connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def until(run: TestRun, **state: Any) -> None:
    deadline = time.monotonic() + 10
    while not TestRun.objects.filter(pk=run.pk, **state).exists():
        assert time.monotonic() < deadline, f"{state} did not come about"
        time.sleep(0.02)


def test_it_works(agent: Agent) -> None:
    run = queued(agent, {**SLOW, "command": "true"})
    services.execute_test_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.done, run.error, run.ended) == ("succeeded", 1, "", True)


def test_a_cancelled_run_ends_with_its_process(agent: Agent) -> None:
    run = queued(agent, SLOW)
    begun, worker = time.monotonic(), in_a_worker(run)
    until(run, status="running")
    first = TestRun.objects.get(pk=run.pk).heartbeat
    until(run, heartbeat__gt=first)
    services.cancel_test_run(run=run)
    worker.join(10)
    run.refresh_from_db()
    assert (run.status, Evaluation.objects.count()) == ("cancelled", 0)
    assert time.monotonic() - begun < 10


def test_a_run_given_up_for_lost_is_not_taken_back(agent: Agent) -> None:
    run = queued(agent, SLOW)
    worker = in_a_worker(run)
    until(run, status="running")
    TestRun.objects.update(status="failed", error="lost")
    worker.join(10)
    run.refresh_from_db()
    assert (run.status, run.error) == ("failed", "lost")


def test_of_two_workers_one_runs(agent: Agent) -> None:
    run = queued(agent, {**SLOW, "command": "sleep 0.2"})
    for worker in [in_a_worker(run), in_a_worker(run)]:
        worker.join(10)
    run.refresh_from_db()
    assert (run.status, Evaluation.objects.count()) == ("succeeded", 1)


def test_a_bug_ends_the_run_and_shows_in_the_log(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(testing.pipeline, "evaluate", fail)
    run = queued(agent, SLOW)
    with pytest.raises(ZeroDivisionError):
        services.execute_test_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, "log" in run.error) == ("failed", True)


def test_a_deleted_sample_or_evaluation_fails_the_run(agent: Agent) -> None:
    for given in ({"samples": ["gone"]}, {"evaluation": "gone"}):
        run = queued(agent, SLOW)
        run.input = given
        run.save()
        services.execute_test_run(run_id=run.pk)
        run.refresh_from_db()
        assert (run.status, "deleted" in run.error) == ("failed", True)


@pytest.mark.parametrize(
    ("expected", "decision", "reason", "result"),
    [
        (None, "block", "x", None),
        ({"decision": "block"}, "block", None, True),
        ({"decision": "block"}, "allow", None, False),
        ({"decision": "block", "reasonContains": "ma"}, "block", "marker", True),
        ({"decision": "block", "reasonContains": "ma"}, "block", None, False),
        ({"decision": "allow", "reasonContains": None}, "allow", None, True),
    ],
)
def test_passed(expected: Any, decision: str, reason: str | None, result: bool | None) -> None:
    assert passed(expected, decision, reason) is result
