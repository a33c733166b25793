"""The list of threads, and the overview, among 10,000 threads and a million evaluations: how long their pages take, on SQLite
unless TEST_DATABASE_URL names another.

python -m benchmarks.threads [EVALUATIONS [ROUNDS]]
"""

import os
import sys
import time
from datetime import timedelta
from statistics import median
from typing import Any

import django

from benchmarks.records import EVALUATIONS, LIMIT_MS, fill, say, timed

THREADS, ENTRIES = 10_000, 20
PAGES = (
    "/playground/",
    "/playground/?page=100",
    "/playground/?page=200",
    "/playground/?q=Incident+9999",
    "/playground/?q=helper-7",
    "/playground/?q=nothing-has-this",
    "/playground/?mode=model",
    "/playground/?mode=live&page=50",
    "/overview",
    "/overview?period=1h",
    "/overview?period=7d",
    "/overview?period=30d",
    "/overview?period=30d&customAgent=helper-7",
)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.conf import settings
    from django.test import utils

    settings.DATA.mkdir(mode=0o700, exist_ok=True)
    settings.STATIC_ROOT.mkdir(exist_ok=True)
    utils.setup_test_environment()
    old = utils.setup_databases(verbosity=0, interactive=False)
    numbers = [int(word) for word in sys.argv[1:]]
    try:
        measure(numbers[0] if numbers else EVALUATIONS, numbers[1] if len(numbers) > 1 else 15)
    finally:
        utils.teardown_databases(old, verbosity=0)


def fill_threads(agent: Any) -> Any:
    """Store so many threads with their entries, each last used at another time; return the last of them."""
    from django.utils import timezone

    from agents.models import Thread, ThreadEntry

    now, modes = timezone.now(), ("hand", "model", "")
    Thread.objects.bulk_create(
        [
            Thread(
                agent=agent,
                key=f"thread-{number}",
                title=f"Incident {number} of checkout",
                custom_agent=f"helper-{number % 20}",
                mode=modes[number % 3],
                created_by="bob",
                length=ENTRIES,
                revision=ENTRIES,
                last_event_at=now - timedelta(minutes=number),
            )
            for number in range(THREADS)
        ],
        batch_size=1000,
    )
    keys = list(Thread.objects.values_list("pk", flat=True))
    for first in range(0, THREADS, 500):
        ThreadEntry.objects.bulk_create(
            ThreadEntry(thread_id=key, number=number, revision=number, kind="user", text="x" * 300, preview="x" * 300)
            for key in keys[first : first + 500]
            for number in range(1, ENTRIES + 1)
        )
    return Thread.objects.get(key="thread-3")


def measure(evaluations: int, rounds: int) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from agents.services import create_agent
    from hooks.services import roll_up
    from tests.shell import BY, Caller, person

    agent = create_agent(name="sre-agent", is_default=True, by=BY)
    begun, page = time.perf_counter(), Caller()
    fill(agent, evaluations)
    thread = fill_threads(agent)
    page.client.force_login(person("bob", agent, "editor"))
    made = time.perf_counter() - begun
    say(
        f"{connection.vendor}: {evaluations:,} evaluations, {THREADS:,} threads made in {made:.0f} s; median of {rounds}"
    )
    begun = time.perf_counter()
    roll_up()
    say(f"added up in {time.perf_counter() - begun:.1f} s")
    for path in (*PAGES, f"/playground/{thread.pk}/", "/api/v1/threads?top=100", f"/api/v1/threads/{thread.key}"):
        with CaptureQueriesContext(connection) as asked:
            status, count = page.get(path, accept="*/*").status, len(asked)
        busy = time.process_time()
        taken = median(timed(lambda path=path: page.get(path, accept="*/*")) for _ in range(rounds)) * 1000
        busy = (time.process_time() - busy) / rounds * 1000
        slow = "  TOO SLOW" if taken > LIMIT_MS else ""
        say(f"{path:40} {status} {taken:7.1f} ms, {busy:6.1f} ms of the processor  {count:2} queries{slow}")


if __name__ == "__main__":
    main()
