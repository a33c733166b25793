"""Bodies that nobody thought of: every endpoint answers them in the documented shape."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hooks.engine.events import EVENTS
from tests.shell import STOP, TOOL, Caller

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
WORDS = [
    *(
        "hooks",
        "context",
        "agent",
        "customAgent",
        "properties",
        "hook",
        "spec",
        "metadata",
        "kind",
        "name",
        "definition",
    ),
    *(
        "type",
        "prompt",
        "command",
        "script",
        "matcher",
        "timeout",
        "enabled",
        "event",
        "eventType",
        "transcript",
        "sample",
    ),
    *("threadId", "idempotencyKey", "expected", "decision", "tags", "owner", "handoffs", "tools", "version", "index"),
    *("hook_event_name", "agent_name", "final_output", "tool_name", "tool_input", "thread_id", "stop_rejection_count"),
]
VALUES = ["ExtendedAgent", "AgentConfiguration", "GlobalHook", "all", "x", "allow", "(", *EVENTS]
keys = st.sampled_from(WORDS) | st.sampled_from([*EVENTS]) | st.text(max_size=5)
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
    | st.sampled_from(VALUES) | st.just(STOP) | st.just(TOOL)
)  # fmt: skip
bodies = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5), max_leaves=20
)
PLACES = [
    ("POST", "hooks/check"),
    ("POST", "hooks/evaluate"),
    ("POST", "testRuns"),
    ("PUT", "sampleContexts/x"),
    ("PUT", "extendedAgent/agents/x"),
    ("PUT", "extendedAgent/hooks/x"),
]
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.parametrize(("method", "place"), PLACES)
@pytest.mark.parametrize("kind", ["json", "yaml"])
@settings(max_examples=40, deadline=None, suppress_health_check=QUIET)
@given(body=bodies)
def test_bodies(api: Caller, method: str, place: str, kind: str, body: Any) -> None:
    answer = api.call(method, f"/api/v2/{place}", body, type=f"application/{kind}")
    assert answer.status in (200, 201, 202, 400, 409), answer.text
    if answer.status >= 400:
        assert answer.message
        assert all(detail["message"] for detail in answer.body["error"]["details"])


@settings(max_examples=100, deadline=None, suppress_health_check=QUIET)
@given(place=st.text(max_size=20), query=st.text(max_size=20))
def test_paths(api: Caller, place: str, query: str) -> None:
    from urllib.parse import quote

    path = f"/api/v2/extendedAgent/hooks/{quote(place, safe='', errors='replace')}?{quote(query, errors='replace')}"
    assert api.get(path).status in (200, 400, 404)
