"""Old evaluations go."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.models import Agent
from hooks import services, tasks
from hooks.models import Evaluation, HookResult, Lease, TestRun
from portal.audit.models import AuditEvent

pytestmark = pytest.mark.django_db


def evaluation(agent: Agent, days: float) -> Evaluation:
    at = timezone.now() - timedelta(days=days)
    made = Evaluation.objects.create(
        agent=agent, kind="check", event="Stop", context={}, decision="allow", duration_ms=1, created_at=at
    )
    HookResult.objects.create(
        evaluation=made, index=0, name="x", level="agent", position=0, outcome="allow", created_at=at
    )
    return made


def test_it_works(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hooks.services.retention.BATCH", 2)
    kept = evaluation(agent, 89)
    for _ in range(5):
        evaluation(agent, 91)
    TestRun.objects.create(agent=agent, target={}, input={}, ended_at=timezone.now() - timedelta(days=91))
    Lease.objects.create(name="x", holder="y", until=timezone.now() - timedelta(days=2))
    tasks.purge()
    assert list(Evaluation.objects.all()) == [kept]
    assert (HookResult.objects.count(), TestRun.objects.count(), Lease.objects.count()) == (1, 0, 0)
    assert AuditEvent.objects.get(verb="evaluations.purged").after == {"olderThanDays": 90, "count": 5}
    assert services.purge() == 0


def test_by_command(agent: Agent) -> None:
    evaluation(agent, 3)
    out = StringIO()
    call_command("purge", "--evaluations-older-than", "2", stdout=out)
    assert out.getvalue() == "1 evaluations deleted.\n"
    with pytest.raises(CommandError):
        call_command("purge", "--evaluations-older-than", "-1")
