"""A thousand hooks, 200 custom agents, 100,000 evaluations: every page transfers little and makes few queries."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.models import Agent
from hooks.models import Evaluation, Hook, SampleContext, TestRun
from portal.access.tokens import create_token
from portal.audit.models import AuditEvent
from tests.access_table import OPEN, PAGES
from tests.crowd import fill
from tests.pages import hook
from tests.portal.test_access_table import PATTERNS
from tests.shell import ALL, BY

LIMIT = 200 * 1024  # bytes, as they are transferred
QUERIES = 12
GRIDS = (
    "page=20",
    "q=Tool99",
    "sort=name",
    "sort=last",
    "sort=blocks",
    "health=failing",
    "health=never-matched",
    "health=near-timeout&q=guard&sort=-last",
)


@pytest.fixture
def places(agent: Agent, bob: User) -> dict[str, dict[str, Any]]:
    """What the addresses of pages name, by the part before and the kind of the place."""
    saved = hook(agent, "saved")  # not filled in, so that it has a history
    fill(agent)
    for _ in range(2):
        run = TestRun.objects.create(
            agent=agent, name="saved", hook=saved, target={"hook": "saved"}, input={}, status="succeeded"
        )
    SampleContext.objects.create(agent=agent, name="quiet", event="Stop", context={"final_output": "Done."})
    token, _ = create_token(agent=agent, name="t", scopes=ALL, by=BY)
    return {
        "hooks": {"name": "saved", "version": "1"},
        "test-runs": {"run_id": run.pk},
        "evaluations": {"evaluation_id": agent.evaluations.order_by("pk")[0].pk},
        "samples": {"name": "quiet"},
        "model-tiers": {"tier": "Fast"},
        "custom-agents": {"name": "helper-1"},
        "playground": {"pk": agent.threads.create(key="t", mode="hand").pk},
        "audit": {"sequence": AuditEvent.objects.latest("sequence").sequence},
        "tokens": {"number": token.pk},
        "members": {"number": bob.pk},
    }


def addresses(places: dict[str, dict[str, Any]]) -> Iterator[str]:
    for name, row in PAGES.items():
        pattern = PATTERNS[name]
        if row.get("GET", OPEN) != OPEN:
            place = str(pattern.pattern).split("/")[0]
            yield reverse(name, kwargs={key: places[place][key] for key in pattern.pattern.converters})
    yield from (f"/hooks/?{query}" for query in GRIDS)


def test_pages_of_a_crowd(signed_in: Callable[[User], Client], root: User, places: dict[str, dict[str, Any]]) -> None:
    assert (Hook.objects.count(), Evaluation.objects.count()) == (1_001, 100_000)
    as_admin, wrong = signed_in(root), []
    as_admin.get("/hooks/")
    for one in addresses(places):
        with CaptureQueriesContext(connection) as made:
            page = as_admin.get(one, headers={"Accept-Encoding": "gzip"})
        size = len(b"".join(page.streaming_content)) if page.streaming else len(page.content)
        if (page.status_code, len(made) <= QUERIES, size < LIMIT) != (200, True, True):
            wrong.append(f"{one}: {page.status_code}, {len(made)} queries, {size} bytes")
    assert "\n".join(wrong) == ""
