"""How long the audit log takes with many events, on SQLite unless TEST_DATABASE_URL names another.

python -m benchmarks.audit [EVENTS [ROUNDS]]

Pages and the API by Django's test client, from the request to the last byte: the median by the clock, and of the time that
this process worked, which what else the machine does leaves alone; on PostgreSQL its server works beside it. Then the walk
along the chain, and exports with the most memory that this process ever had before and after.
"""

import os
import resource
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import django

from benchmarks.api_lists import timed

DEEP = 1_000  # pages


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.conf import settings
    from django.template import Template
    from django.test import utils

    settings.DATA.mkdir(mode=0o700, exist_ok=True)
    settings.STATIC_ROOT.mkdir(exist_ok=True)
    render = Template._render
    utils.setup_test_environment()
    Template._render = render  # as it is outside of tests, which have every template tell what it was given
    old = utils.setup_databases(verbosity=0, interactive=False)
    given = [int(one) for one in sys.argv[1:]]
    try:
        measure(given[0] if given else 200_000, given[1] if given[1:] else 15)
    finally:
        utils.teardown_databases(old, verbosity=0)


def measure(count: int, rounds: int) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from portal.audit import checking, reading, verifying
    from portal.audit.models import AuditEvent
    from portal.audit.views import ROWS

    pages, api = fill(count)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    checking.check_chain()
    deep = reading.newest() - ROWS * DEEP
    old = AuditEvent.objects.order_by("sequence")[count // 20].at.isoformat()
    cases = {
        "first page": "/audit/",
        f"page {DEEP:,}": f"/audit/?before={deep}",
        "action=hook.updated": "/audit/?action=hook.updated",
        "action=hook (seven actions)": "/audit/?action=hook",
        "action=token.created (rare)": "/audit/?action=token.created",
        "actor=person-7": "/audit/?actor=person-7",
        "actor=nobody": "/audit/?actor=nobody",
        "target=generated-9": "/audit/?target=generated-9",
        "actor and rare action": "/audit/?actor=person-7&action=token.created",
        "actor and target": "/audit/?actor=person-7&target=generated-9",
        "until long ago": f"/audit/?until={old[:10]}",
        "since long ago, one day": f"/audit/?since={old[:10]}&until={old[:10]}",
        "actor until long ago": f"/audit/?actor=person-7&until={old[:10]}",
        "q=generated-9": "/audit/?q=generated-9",
        "q=nothing like it": "/audit/?q=nothing+like+it",
        f"actor, page {DEEP // 20}": f"/audit/?actor=person-7&before={deep}",
        "one event": f"/audit/{deep}",
    }
    by_api = {
        "API, first page": "/api/v2/audit",
        "API, actor and action": "/api/v2/audit?actor=person-7&action=hook.updated",
        "API, 1,000 events": "/api/v2/audit?top=1000",
    }
    say(f"{connection.vendor}, {AuditEvent.objects.count():,} events, median of {rounds}")
    calls: dict[str, Callable[[], Any]] = {name: lambda url=url: pages.get(url) for name, url in cases.items()}
    calls |= {name: lambda url=url: api.get(url) for name, url in by_api.items()}
    for name, call in calls.items():
        with CaptureQueriesContext(connection) as queries:
            answer = call()
            asked = len(queries)
        status = getattr(answer, "status_code", None) or answer.status
        took = [worked(call) for _ in range(rounds)]
        clock, work = (median(side) * 1000 for side in zip(*took, strict=True))
        say(f"{name:30} {status} {clock:7.1f} ms, {work:6.1f} ms of work  {asked:3} queries")
    say(f"walk along the chain                   {timed(verifying.verify):7.2f} s")
    for kind in ("jsonl", "csv"):
        before, seconds, size = peak(), [0.0], [0]
        seconds[0] = timed(lambda kind=kind, size=size: size.append(drain(api, f"/api/v2/audit?format={kind}")))
        say(f"export {kind:5} {size[-1] / 1e6:8.0f} MB in {seconds[0]:6.1f} s, peak {before:.0f} → {peak():.0f} MB")


def fill(count: int) -> tuple[Any, Any]:
    from django.contrib.auth.models import User
    from django.test import Client

    from agents.services import create_agent
    from portal.access.tokens import create_token
    from portal.audit.generating import generate
    from tests.shell import ALL, BY, Caller

    agent = create_agent(name="sre-agent", is_default=True, by=BY)
    for _ in generate(agent_name=agent.name, count=count):
        pass
    user = User.objects.create_superuser("root", email="", password="x")  # noqa: S106
    client = Client()
    client.force_login(user)
    _, secret = create_token(agent=agent, name="many", scopes=ALL, by=BY)
    return client, Caller(secret)


def worked(call: Callable[[], Any]) -> tuple[float, float]:
    begun = time.process_time()
    clock = timed(call)
    return clock, time.process_time() - begun


def drain(api: Any, url: str) -> int:
    return sum(len(part) for part in api.client.get(url, headers=api.headers))


def peak() -> float:
    """The most memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
