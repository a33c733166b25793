"""What happens to an evaluation while its surroundings change."""

import threading
import time

import pytest

from hooks.engine import pipeline
from hooks.models import Evaluation, Hook, Lease
from hooks.services import leases
from tests.shell import STOP, Caller, command, put_hook

pytestmark = pytest.mark.django_db(transaction=True)
URL = "/api/v2/hooks/evaluate"


@pytest.mark.usefixtures("sandboxed")
def test_the_decision_of_a_hook_that_is_deleted_while_it_runs_stands(
    api: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_hook(api, "gone", "Stop", command("echo no >&2; exit 2"))
    put_hook(api, "stays", "Stop", command("exit 0"))
    really = pipeline.evaluate

    def evaluate_and_delete(**values: object) -> object:
        found = really(**values)
        Hook.objects.filter(name="gone").delete()
        return found

    monkeypatch.setattr(pipeline, "evaluate", evaluate_and_delete)
    answer = api.post(URL, {"context": STOP, "threadId": "t1"})
    assert (answer.status, answer.body["decision"], answer.body["reason"]) == (200, "block", "no")
    results = Evaluation.objects.get(pk=answer.body["id"]).results.order_by("index")
    assert [(result.name, result.hook is None) for result in results] == [("gone", True), ("stays", False)]


def test_a_lease_is_renewed_as_long_as_its_work_takes() -> None:
    with leases.lease("long", seconds=0.3, patience=0):
        first = Lease.objects.get(name="long").until
        deadline = time.monotonic() + 10
        while Lease.objects.get(name="long").until == first and time.monotonic() < deadline:
            time.sleep(0.02)
        assert Lease.objects.get(name="long").until > first
        with pytest.raises(leases.Lost), leases.lease("long", seconds=0.3, patience=0):
            pass
    assert not Lease.objects.filter(name="long").exists()
    for thread in threading.enumerate():
        if "_renew" in thread.name:
            thread.join(5)


def test_a_lease_of_a_process_that_died_runs_out() -> None:
    assert leases._take("left", "somebody", 0.05)
    with leases.lease("left", seconds=5, patience=5):
        assert Lease.objects.get(name="left").holder != "somebody"
