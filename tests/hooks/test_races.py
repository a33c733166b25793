"""Several at a time, on the real database: SQLite here, PostgreSQL where TEST_DATABASE_URL names one."""

from collections.abc import Callable

import pytest

from agents.models import Agent
from hooks.models import Evaluation, Lease
from hooks.services.leases import Lost, lease
from portal.audit.models import AuditEvent
from portal.audit.verifying import verify
from tests.concurrency import again, at_once
from tests.portal.tampering import tamper
from tests.shell import STOP, Answer, Caller, command, put_hook

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandboxed")]
EVALUATE = "/api/v2/hooks/evaluate"


def test_one_of_two_with_the_same_key_runs(api: Caller) -> None:
    put_hook(api, "slow", "Stop", command("sleep 0.5; echo no >&2; exit 2"))
    body = {"context": STOP, "idempotencyKey": "k", "threadId": "t"}
    answers: list[Answer] = at_once(*[lambda: again(api).post(EVALUATE, body)] * 3)
    assert [answer.status for answer in answers] == [200] * 3
    assert answers[0].body == answers[1].body == answers[2].body
    assert Evaluation.objects.count() == 1
    assert Lease.objects.count() == 0


def test_stops_of_a_thread_are_counted_one_after_the_other(api: Caller, agent: Agent) -> None:
    put_hook(api, "never", "Stop", command("sleep 0.1; echo no >&2; exit 2"))
    body = {"context": STOP, "threadId": "t"}
    answers: list[Answer] = at_once(*[lambda: again(api).post(EVALUATE, body)] * 4)
    assert [answer.body["decision"] for answer in answers] == ["block"] * 4
    assert sorted(one.context["stop_rejection_count"] for one in Evaluation.objects.all()) == [0, 1, 2, 3]
    assert agent.threads.get().stop_rejections == 4


def test_a_threads_first_events_make_one_thread(api: Caller, agent: Agent) -> None:
    body = {"context": {**STOP, "stop_rejection_count": 0}, "threadId": "t"}
    answers: list[Answer] = at_once(*[lambda: again(api).post(EVALUATE, body)] * 4)
    assert [answer.status for answer in answers] == [200] * 4
    assert agent.threads.count() == 1


def test_the_audit_chain_does_not_fork(api: Caller) -> None:
    def save(number: int) -> Callable[[], Answer]:
        body = {"event": "Stop", "context": {"final_output": str(number)}}
        return lambda: again(api).put(f"/api/v2/sampleContexts/s{number}", body)

    answers: list[Answer] = at_once(*map(save, range(6)))
    assert [answer.status for answer in answers] == [201] * 6
    walk = verify()
    count, broken = walk.count, walk.broken
    assert (broken, count) == (None, AuditEvent.objects.count())


def test_the_first_events_of_all_make_one_chain(agent: Agent) -> None:
    tamper("DELETE FROM audit_audithead", "DELETE FROM audit_auditevent")
    from portal.access.tokens import create_token
    from tests.shell import BY

    at_once(*[lambda: create_token(agent=agent, name="t", scopes=["read"], by=BY)] * 4)
    assert (verify().count, verify().broken) == (4, None)


def test_two_who_create_the_same_hook(api: Caller, agent: Agent) -> None:
    def put(source: str) -> Callable[[], Answer]:
        body = {"properties": {"eventType": "Stop", "hook": command(source)}}
        return lambda: again(api).put("/api/v2/extendedAgent/hooks/same", body)

    answers: list[Answer] = at_once(put("true"), put("false"), put("exit 2"))
    assert sorted(answer.status for answer in answers) == [200, 200, 201]
    assert agent.hooks.get().version == 3


def test_of_two_with_the_same_entity_tag_one_is_refused(api: Caller) -> None:
    tag = put_hook(api, "h", "Stop", command("true")).headers["ETag"]

    def put(source: str) -> Callable[[], Answer]:
        body = {"properties": {"eventType": "Stop", "hook": command(source)}}
        return lambda: again(api).put("/api/v2/extendedAgent/hooks/h", body, If_Match=tag)

    assert sorted(answer.status for answer in at_once(put("false"), put("exit 2"))) == [200, 412]


def test_two_who_save_the_same_custom_agent(api: Caller) -> None:
    def put(text: str) -> Callable[[], Answer]:
        body = {"properties": {"instructions": text, "hooks": {"Stop": [command(f"echo {text}")]}}}
        return lambda: again(api).put("/api/v2/extendedAgent/agents/same", body)

    answers: list[Answer] = at_once(put("a"), put("b"))
    assert sorted(answer.status for answer in answers) == [200, 201]
    kept = api.get("/api/v2/extendedAgent/agents/same").body["properties"]
    assert kept["hooks"]["Stop"] == [command(f"echo {kept['instructions']}")]


def test_a_lease_that_nobody_gives_back_runs_out(agent: Agent) -> None:
    with lease("x", seconds=60, patience=0), pytest.raises(Lost), lease("x", seconds=60, patience=0.1):
        pass
    with lease("x", seconds=0, patience=0), lease("x", seconds=60, patience=1):
        assert Lease.objects.count() == 1
    assert Lease.objects.count() == 0
