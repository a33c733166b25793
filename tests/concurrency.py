"""Several calls at the same moment, on the real database."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connections

from tests.shell import Caller


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Make the calls at the same moment, each in a thread of its own with a connection of its own."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            barrier.wait()
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def again(api: Caller) -> Caller:
    """The same caller with a client of its own, since a test client is not for several threads."""
    made = Caller()
    made.headers = api.headers
    return made
