"""How long lists and the bundle take: 1,000 hooks and 200 custom agents, on SQLite unless TEST_DATABASE_URL names another.

python -m benchmarks.api_lists [ROUNDS]
"""

import os
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import django

HOOKS, AGENTS = "/api/v2/extendedAgent/hooks", "/api/v2/extendedAgent/agents"


def calls(api: Any) -> dict[str, Callable[[], Any]]:
    yaml = {"type": "application/yaml", "accept": "application/yaml"}
    written = api.get(f"{HOOKS}:bundle", accept="application/yaml").text
    return {
        "GET agents, 200 with 600 hooks": lambda: api.get(f"{AGENTS}?top=1000"),
        "GET agents, the first 100": lambda: api.get(AGENTS),
        "GET hooks, 400": lambda: api.get(f"{HOOKS}?top=1000"),
        "GET hooks, the first 100": lambda: api.get(HOOKS),
        "GET bundle, JSON": lambda: api.get(f"{HOOKS}:bundle"),
        "GET bundle, YAML": lambda: api.get(f"{HOOKS}:bundle", accept="application/yaml", parse=False),
        "PUT bundle, YAML, unchanged": lambda: api.put(f"{HOOKS}:bundle", raw=written, parse=False, **yaml),
    }


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.conf import settings
    from django.test import utils

    settings.DATA.mkdir(mode=0o700, exist_ok=True)
    settings.STATIC_ROOT.mkdir(exist_ok=True)
    utils.setup_test_environment()
    old = utils.setup_databases(verbosity=0, interactive=False)
    try:
        measure(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
    finally:
        utils.teardown_databases(old, verbosity=0)


def measure(rounds: int) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from tests.many import fill

    api = fill()
    print(f"{connection.vendor}, median of {rounds}")  # noqa: T201
    for name, call in calls(api).items():
        with CaptureQueriesContext(connection) as queries:
            status = call().status
            asked = len(queries)
        taken = median(timed(call) for _ in range(rounds))
        print(f"{name:34} {status} {taken * 1000:7.1f} ms  {asked:3} queries")  # noqa: T201


def timed(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
