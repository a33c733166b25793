"""The grid of hooks: searched, filtered, sorted, paged; what needs attention; a week of blocks."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from hooks.models import Evaluation, Hook, HookResult, Kind
from hooks.services.grid import PAGE
from tests.pages import HTMX, hook, words
from tests.shell import BY

NAMES = ("zebra", "ant", "monkey")


def ran(of: Hook, outcome: str, *, days: float = 0, ms: float = 10, kind: Kind = Kind.RUNTIME) -> HookResult:
    at = timezone.now() - timedelta(days=days)
    evaluation = Evaluation.objects.create(
        agent=of.agent, kind=kind, event=of.event, context={}, decision="allow", duration_ms=1, created_at=at
    )
    return HookResult.objects.create(
        evaluation=evaluation,
        index=0,
        hook=of,
        name=of.name,
        level="agent",
        position=0,
        outcome=outcome,
        kind=kind,
        duration_ms=ms,
        created_at=at,
    )


def shown(page: Any) -> list[str]:
    """The names of the hooks on a page, from top to bottom."""
    return [row.hook.name for row in page.context["grid"].rows]


@pytest.fixture
def zoo(agent: Agent) -> dict[str, Hook]:
    made = [
        hook(agent, "zebra", "Stop", type="prompt", prompt="Good?", description="Stripes"),
        hook(agent, "ant", "PostToolUse", type="command", command="true", matcher="Bash|Café", timeout=10),
        hook(agent, "monkey", "Stop", type="command", command="true", activationMode="onDemand", enabled=False),
    ]
    Hook.objects.update(updated_at=timezone.now() - timedelta(days=20))
    return {one.name: one for one in made}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["ant", "zebra", "monkey"]),
        ("q=ZEB", ["zebra"]),
        ("q=stripes", ["zebra"]),
        ("q=bash|caf%C3%A9", ["ant"]),
        ("q=true", []),
        ("event=Stop", ["zebra", "monkey"]),
        ("type=command", ["ant", "monkey"]),
        ("activation=onDemand", ["monkey"]),
        ("state=enabled&event=Stop", ["zebra"]),
        ("state=disabled", ["monkey"]),
        ("sort=name", ["ant", "monkey", "zebra"]),
        ("sort=-name", ["zebra", "monkey", "ant"]),
        ("sort=event", ["ant", "zebra", "monkey"]),
        ("sort=-state", ["ant", "zebra", "monkey"]),
        ("event=Sotp&sort=%00&page=x&health=x", ["ant", "zebra", "monkey"]),
    ],
)
def test_what_is_asked_for_is_shown(as_bob: Client, zoo: Any, query: str, found: list[str]) -> None:
    assert shown(as_bob.get(f"/hooks/?{query}")) == found


def test_a_filter_says_its_value_and_how_to_be_rid_of_it(as_bob: Client, zoo: Any) -> None:
    page = as_bob.get("/hooks/?event=Stop&type=command")
    text, body = words(page), page.content.decode()
    assert "Event: Stop" in text and "1 of 3 hooks" in text
    assert 'aria-label="Clear the filter Event: Stop"' in body and 'href="?type=command"' in body


def test_what_fits_no_filter_names_them(as_bob: Client, zoo: Any) -> None:
    text = words(as_bob.get("/hooks/?event=Start&health=failing"))
    assert "No hook matches these filters Event: Start, Health: Failing Clear filters" in text


def test_a_sort_by_a_column_drops_the_groups(as_bob: Client, zoo: Any) -> None:
    page = as_bob.get("/hooks/?sort=-name")
    body = page.content.decode()
    assert 'aria-sort="descending"' in body and 'class="group"' not in body
    assert 'class="c-event"' in body and "handle" not in body and "Move up" not in body
    assert 'id="handle-' in as_bob.get("/hooks/?event=Stop").content.decode()
    assert 'id="handle-' not in as_bob.get("/hooks/?type=prompt").content.decode()


def test_pages(as_bob: Client, agent: Agent) -> None:
    Hook.objects.bulk_create(
        [Hook(agent=agent, name=f"h{n:03}", event="Stop", position=n, type="command") for n in range(PAGE + 2)]
    )
    first, second = as_bob.get("/hooks/"), as_bob.get("/hooks/?page=2")
    assert len(shown(first)) == PAGE and shown(second) == [f"h{PAGE:03}", f"h{PAGE + 1:03}"]
    assert f"1–{PAGE} of {PAGE + 2}" in words(first) and f"{PAGE + 1}–{PAGE + 2} of {PAGE + 2}" in words(second)
    assert 'href="?page=2"' in first.content.decode()
    assert "There is no such page" in words(as_bob.get("/hooks/?page=9"))


def test_addresses_keep_the_agent(signed_in: Callable[[User], Client], root: User, agent: Agent) -> None:
    hook(create_agent(name="other", by=BY), "theirs")
    body = signed_in(root).get("/hooks/?agent=other&type=command").content.decode()
    assert 'href="?agent=other&amp;type=command&amp;event=Stop"' in body
    assert 'name="agent" value="other"' in body


def test_failing_and_slow_and_never_matched(as_bob: Client, zoo: dict[str, Hook]) -> None:
    for number in range(12):
        ran(zoo["zebra"], "error" if number < 6 else "allow", days=number)
    ran(zoo["ant"], "allow", ms=9_100)
    text = words(as_bob.get("/hooks/"))
    assert "Failing 6 of last 10" in text
    assert "9.1 s of 10 s timeout" in text
    assert shown(as_bob.get("/hooks/?health=failing")) == ["zebra"]
    assert shown(as_bob.get("/hooks/?health=near-timeout")) == ["ant"]
    assert shown(as_bob.get("/hooks/?health=never-matched")) == []


def test_never_matched_means_that_there_was_something_to_match(
    as_bob: Client, zoo: dict[str, Hook], agent: Agent
) -> None:
    assert shown(as_bob.get("/hooks/?health=never-matched")) == []
    ran(zoo["monkey"], "allow")
    for event in ("PostToolUse", "Stop"):
        Evaluation.objects.create(
            agent=agent,
            kind="runtime",
            event=event,
            context={},
            decision="allow",
            duration_ms=1,
            created_at=timezone.now(),
        )
    assert shown(as_bob.get("/hooks/?health=never-matched")) == ["ant", "zebra"]
    Hook.objects.update(updated_at=timezone.now())
    assert shown(as_bob.get("/hooks/?health=never-matched")) == []


def test_tests_say_nothing_of_health(as_bob: Client, zoo: dict[str, Hook]) -> None:
    ran(zoo["ant"], "error", kind=Kind.TEST, ms=10_000)
    ran(zoo["ant"], "block", kind=Kind.TEST)
    page = as_bob.get("/hooks/")
    assert "Failing" not in words(page).replace("Health Failing", "")
    assert "0 blocks in 7 days" in page.content.decode()


def test_a_week_of_blocks(as_bob: Client, zoo: dict[str, Hook]) -> None:
    for days in (0, 0, 3, 6.5, 9):
        ran(zoo["ant"], "block", days=days)
    ran(zoo["ant"], "allow")
    page = as_bob.get("/hooks/?sort=-blocks")
    assert shown(page)[0] == "ant"
    row = page.context["grid"].rows[0]
    assert sum(row.blocks) in (3, 4) and row.blocks[-1] in (1, 2)
    body = page.content.decode()
    assert f"{sum(row.blocks)} blocks in 7 days: " in body
    assert 'class="bars" d="M' in body and "style=" not in body


def test_the_last_result_leads_to_its_evaluation(as_bob: Client, zoo: dict[str, Hook]) -> None:
    one = ran(zoo["ant"], "block", days=1)
    ran(zoo["zebra"], "allow", days=2)
    page = as_bob.get("/hooks/?sort=-last")
    assert shown(page)[:2] == ["ant", "zebra"]
    assert f'href="/evaluations/{one.evaluation_id}"' in page.content.decode()


def test_what_is_switched_stays_in_view(as_bob: Client, zoo: Any) -> None:
    here = {**HTMX, "HX-Current-URL": "http://testserver/hooks/?event=Stop&sort=name"}
    page = as_bob.post("/hooks/zebra/switch", {"enabled": "off"}, headers=here)
    assert shown(page) == ["monkey", "zebra"]
    back = as_bob.post(
        "/hooks/zebra/switch", {"enabled": "on"}, headers={"Referer": "http://testserver/hooks/?event=Stop"}
    )
    assert back.headers["Location"] == "/hooks/?event=Stop"


def test_hostile_search(as_bob: Client, zoo: Any) -> None:
    page = as_bob.get("/hooks/", {"q": '"><script>alert(1)</script>%_\\' + "x" * 9_000})
    assert page.status_code == 200
    assert "<script>alert" not in page.content.decode()
    assert len(page.content) < 100_000
