"""Agent-level hooks reordered, restored, and listed a page at a time."""

from typing import Any

import pytest

from agents.models import Agent
from portal.audit.models import AuditEvent
from tests.shell import Caller, command, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
URL = "/api/v2/extendedAgent/hooks"
TRUE = command("true")


@pytest.fixture
def three(api: Caller) -> None:
    for name in ("a", "b", "c"):
        put_hook(api, name, "Stop", TRUE)
    put_hook(api, "s", "Start", TRUE)


def names(api: Caller) -> list[str]:
    return [hook["name"] for hook in api.get(URL).body["value"]]


def test_it_works(api: Caller, three: None) -> None:
    answer = api.post(f"{URL}:reorder", {"event": "Stop", "names": ["c", "A", "b"]})
    assert (answer.status, [hook["name"] for hook in answer.body["value"]]) == (200, ["c", "a", "b"])
    assert names(api) == ["s", "c", "a", "b"]
    events = AuditEvent.objects.count()
    assert api.post(f"{URL}:reorder", {"event": "Stop", "names": ["c", "a", "b"]}).status == 200
    dry = api.post(f"{URL}:reorder?dryRun=true", {"event": "Stop", "names": ["a", "b", "c"]})
    assert [hook["name"] for hook in dry.body["value"]] == ["a", "b", "c"]
    assert (names(api), AuditEvent.objects.count()) == (["s", "c", "a", "b"], events)


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ([], [""]),
        ({}, ["event", "names"]),
        ({"event": "stop", "names": "a"}, ["event", "names"]),
        ({"event": 7, "names": [1], "zzz": 1}, ["zzz"]),
        ({"event": None, "names": [1]}, ["event", "names"]),
        ({"event": "Stop", "names": []}, ["names"]),
        ({"event": "Stop", "names": ["a", "A", "b", "s", "x\x00"]}, ["names[1]", "names[3]", "names[4]", "names"]),
        ({"event": "PreToolUse", "names": ["a"]}, ["names[0]"]),
    ],
)
def test_what_an_order_may_lack(api: Caller, three: None, body: Any, targets: list[str]) -> None:
    answer = api.post(f"{URL}:reorder", body)
    assert (answer.status, answer.targets) == (400, targets)


def test_missing_hooks_are_named(api: Caller, three: None) -> None:
    answer = api.post(f"{URL}:reorder", {"event": "Stop", "names": ["b"]})
    assert answer.message.endswith("Missing: a, c.")


def test_an_earlier_version_comes_back(api: Caller, agent: Agent) -> None:
    first = put_hook(api, "h", "Stop", TRUE, description="one")
    put_hook(api, "h", "Stop", command("false"))
    dry = api.post(f"{URL}/h:restore?dryRun=true", {"version": 1})
    assert {"path": "properties.description", "before": "", "after": "one"} in dry.body["diff"]
    stale = api.post(f"{URL}/h:restore", {"version": 1}, If_Match=first.headers["ETag"])
    assert stale.status == 412
    restored = api.post(f"{URL}/h:restore", {"version": 1})
    assert (restored.status, restored.body["version"]) == (200, 3)
    assert restored.body["properties"] == first.body["properties"]
    assert restored.headers["ETag"] == api.get(f"{URL}/h").headers["ETag"]
    assert api.delete(f"{URL}/h?dryRun=true").status == 204
    assert api.get(f"{URL}/h").status == 200
    assert api.delete(f"{URL}/h").status == 204
    assert api.post(f"{URL}/H:restore", {"version": 2}).status == 201
    assert api.get(f"{URL}/h?version=2").body["properties"]["hook"] == command("false")


@pytest.mark.parametrize("version", [0, -1, 1.5, "1", True, None, 2**31, 10**30, []])
def test_a_version_is_a_number(api: Caller, version: Any) -> None:
    put_hook(api, "h", "Stop", TRUE)
    answer = api.post(f"{URL}/h:restore", {"version": version})
    assert (answer.status, answer.targets) == (400, ["version"])


def test_what_is_not_there(api: Caller) -> None:
    put_hook(api, "h", "Stop", TRUE)
    assert api.post(f"{URL}/h:restore", {"version": 9}).status == 404
    assert api.post(f"{URL}/none:restore", {"version": 1}).status == 404
    assert api.post(f"{URL}/h:restore", {}).targets == ["version"]
    assert api.get(f"{URL}/h?version=9").status == api.get(f"{URL}/none/versions").status == 404
    assert api.get(f"{URL}/h?version=x").targets == ["version"]


def test_versions_a_page_at_a_time(api: Caller) -> None:
    for number in range(1, 4):
        put_hook(api, "h", "Stop", command(f"exit {number}"))
    first = api.get(f"{URL}/h/versions?top=2").body
    second = api.get(first["nextLink"]).body
    assert [one["version"] for one in first["value"] + second["value"]] == [3, 2, 1]
    assert second["nextLink"] is None


def test_pages_hold_while_hooks_are_added(api: Caller, three: None) -> None:
    first = api.get(f"{URL}?top=2").body
    put_hook(api, "0", "Stop", TRUE)
    put_hook(api, "1", "Start", TRUE)
    second = api.get(first["nextLink"]).body
    third = api.get(second["nextLink"]).body
    seen = [hook["name"] for page in (first, second, third) for hook in page["value"]]
    assert [name for name in seen if name != "1"] == ["s", "a", "b", "c", "0"]
    assert third["nextLink"] is None


@pytest.mark.parametrize("top", [1, 2])
@pytest.mark.parametrize("gone", ["s", "ab", "sab"])
def test_pages_lose_none_while_hooks_are_deleted(api: Caller, three: None, top: int, gone: str) -> None:
    """Positions close up; what was not seen yet is still to come."""
    put_hook(api, "d", "Stop", TRUE)
    page = api.get(f"{URL}?top={top}").body
    seen = [hook["name"] for hook in page["value"]]
    for name in gone:
        api.delete(f"{URL}/{name}")
    while page["nextLink"]:
        page = api.get(page["nextLink"]).body
        seen += [hook["name"] for hook in page["value"]]
    assert set(seen) >= {"c", "d"} | {name for name in "sab" if name not in gone}
    assert len(seen) == len(set(seen))


def test_the_list_has_an_entity_tag_that_changes_with_it(api: Caller, three: None) -> None:
    first = api.get(URL).headers["ETag"]
    assert api.get(URL).headers["ETag"] == first
    put_hook(api, "a", "Stop", command("exit 0"))
    changed = api.get(URL).headers["ETag"]
    api.delete(f"{URL}/b")
    assert len({first, changed, api.get(URL).headers["ETag"]}) == 3


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "AA",
        "%00",
        "WyJTdG9wIiwxXQ",
        "WyJTdG9wIix0cnVlLDFd",
        "WyJTdG9wIiwxLDFlOTld",
        "WzFlMjAwXQ",
        "W10",
        "Wy0xXQ",
        "é",
    ],
)
def test_cursors_are_the_portals_own(api: Caller, cursor: str) -> None:
    assert api.get(f"{URL}?cursor={cursor}").targets == ["cursor"]
