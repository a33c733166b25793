"""Many hooks and custom agents cost no more queries than few."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hooks.models import HookVersion
from portal.audit.models import AuditEvent
from tests.many import fill
from tests.shell import Caller

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
HOOKS, AGENTS = "/api/v2/extendedAgent/hooks", "/api/v2/extendedAgent/agents"
MOST = 20


def test_at_most_twenty_queries() -> None:
    api: Caller = fill()
    bundle = api.get(f"{HOOKS}:bundle", accept="application/yaml").text
    before = HookVersion.objects.count(), AuditEvent.objects.count()
    for call, count in (
        (lambda: api.get(f"{HOOKS}?top=1000"), lambda body: len(body["value"]) == 400),
        (lambda: api.get(HOOKS), lambda body: len(body["value"]) == 100),
        (lambda: api.get(f"{AGENTS}?top=1000"), lambda body: len(body["value"]) == 200),
        (lambda: api.get(f"{HOOKS}:bundle"), lambda body: (len(body["hooks"]), len(body["agents"])) == (400, 200)),
        (lambda: api.put(f"{HOOKS}:bundle", raw=bundle, type="application/yaml"), lambda body: body["diff"] == []),
    ):
        with CaptureQueriesContext(connection) as queries:
            answer = call()
            asked = len(queries)
        assert (answer.status, count(answer.body)) == (200, True)
        assert 0 < asked <= MOST, [query["sql"][:100] for query in queries]
    assert (HookVersion.objects.count(), AuditEvent.objects.count()) == before
