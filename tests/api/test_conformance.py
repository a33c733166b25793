"""The API does what its OpenAPI document says, whatever it is sent.

Longer, by hand, against a running portal:

    PYTHONPATH=. SCHEMATHESIS_HOOKS=tests.api.formats .venv/bin/schemathesis --config-file tests/api/schemathesis.toml \
        run http://127.0.0.1:8000/api/schema/ -H "Authorization: Bearer hk_…" --max-examples 500
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, settings

from portal.openapi.document import document
from portal.urls import OPENAPI
from tests.api import formats
from tests.shell import STOP, Caller, command, put_agent, put_hook

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_database,  # making the examples takes minutes; what PostgreSQL refuses to store is in test_fuzz.py
    pytest.mark.xdist_group("conformance"),  # gigabytes of strategies and validators, which it then makes once
    pytest.mark.usefixtures("sandboxed", "seeded", "one_connection"),
]
QUIET = [
    HealthCheck.function_scoped_fixture,
    HealthCheck.too_slow,
    HealthCheck.filter_too_much,
    HealthCheck.data_too_large,
]
# The edges of each of their many schemas in turn take minutes: that is for the longer run.
VAST = [
    "post_check",
    "post_test_runs",
    "put_sample",
    "put_hook",
    "patch_hook",
    "put_agent",
    "put_bundle",
    "post_evaluate",
]


def configuration() -> schemathesis.Config:
    read = tomllib.loads(Path(__file__).with_name("schemathesis.toml").read_text())
    read["operations"].append({"include-operation-id": VAST, "phases": {"coverage": {"enabled": False}}})
    return schemathesis.Config.from_dict(read)


schema = schemathesis.openapi.from_dict(document(OPENAPI), config=configuration())
schema.app = get_wsgi_application()


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Requests leave the test's connection to the database open, as those of Django's own client do."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def seeded(api: Caller, sandboxed: object) -> None:
    """What the formats name is there."""
    for name in formats.HOOKS:
        put_hook(api, name, "Stop", command("true"))
    for name in formats.AGENTS:
        put_agent(api, name, {"Stop": [command("true")]})
    for name in formats.SAMPLES:
        api.put(f"/api/v2/sampleContexts/{name}", {"event": "Stop", "context": {"final_output": "x"}})
    assert api.post("/api/v2/hooks/evaluate", {"context": STOP}).status == 200


@schema.parametrize()
@settings(max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=QUIET)
def test_conformance(case: schemathesis.Case, api: Caller) -> None:
    case.call_and_validate(headers=api.headers)
