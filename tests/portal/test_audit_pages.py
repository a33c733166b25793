"""Monitor → Audit log: what it shows to whom, its filters, its pages, the badge of the chain, and exports."""

import csv
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.http import StreamingHttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from hooks import services
from portal.access.actors import Actor
from portal.audit import exporting, reading, views
from portal.audit.chain import record
from portal.audit.models import AuditEvent
from portal.audit.verbs import Verb
from tests.pages import HTMX, hook, words
from tests.portal.tampering import tamper
from tests.shell import Caller

PAGE, EXPORT, VERIFY = "/audit/", "/audit/export", "/audit/verify"
CARLA = Actor(kind="user", key="7", text="carla", address="10.0.0.7", request_id="req-7")


@pytest.fixture
def as_alice(signed_in: Callable[[User], Client], alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def changed(agent: Agent) -> AuditEvent:
    """carla has changed a hook, which is the newest event."""
    made = hook(agent, "no-sudo", "PostToolUse")
    services.set_enabled(agent=agent, names=[made.name], enabled=False, by=CARLA)
    return AuditEvent.objects.order_by("sequence").latest("sequence")


def write(
    count: int, verb: Verb = Verb.SAMPLE_UPDATED, *, by: Actor = CARLA, agent: str = "sre-agent", **more: Any
) -> None:
    with transaction.atomic():
        for number in range(count):
            record(verb, by=by, object_type="sample", object_text=f"s{number}", agent_name=agent, **more)


def numbers(page: Any) -> list[int]:
    return [event.sequence for event in page.context["found"].events]


def test_it_works(as_alice: Client, changed: AuditEvent) -> None:
    page = as_alice.get(PAGE)
    assert numbers(page)[0] == changed.sequence
    shown = words(page)
    assert "carla Hook disabled no-sudo enabled: true to false 10.0.0.7" in shown
    assert f"{AuditEvent.objects.count()} entries" in shown


def test_only_admins_may_read_it(signed_in: Callable[[User], Client], bob: User, dana: User) -> None:
    for user in (bob, dana):
        client = signed_in(user)
        assert client.get(PAGE).status_code == 403
        assert client.post(EXPORT, {"format": "csv"}).status_code == 403
        assert client.post(VERIFY).status_code == 403
        assert "Audit log" not in words(client.get("/hooks/"))


def test_somebody_deactivated_meanwhile_is_out(as_alice: Client, alice: User) -> None:
    alice.is_active = False
    alice.save()
    assert as_alice.get(PAGE).headers["Location"].startswith("/sign-in")
    assert as_alice.post(EXPORT, {"format": "csv"}).status_code == 302


def test_one_event_has_its_difference(as_alice: Client, changed: AuditEvent) -> None:
    page = as_alice.get(f"/audit/{changed.sequence}")
    shown = words(page)
    assert "- enabled: true" in shown and "+ enabled: false" in shown
    assert "carla" in shown and "req-7" in shown and changed.hash[:12] in shown
    part = as_alice.get(f"/audit/{changed.sequence}", headers=HTMX).content.decode()
    assert "<html" not in part and "<mark>false</mark>" in part


@pytest.mark.parametrize("number", [10**9, 10**30])
def test_an_event_that_there_is_not(as_alice: Client, number: int) -> None:
    assert as_alice.get(f"/audit/{number}").status_code == 404


def test_events_of_another_agent_are_not_there(as_alice: Client, by: Actor) -> None:
    create_agent(name="other", by=by)
    theirs = AuditEvent.objects.get(agent_name="other")
    assert theirs.sequence not in numbers(as_alice.get(PAGE))
    assert as_alice.get(f"/audit/{theirs.sequence}").status_code == 404
    assert as_alice.get(f"{PAGE}?agent=other").status_code == 403


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"actor": "carla"}, 3),
        ({"actor": "carl"}, 0),
        ({"action": "sample.updated"}, 3),
        ({"action": "sample"}, 4),
        ({"action": "sample", "actor": "dora"}, 1),
        ({"target": "s1"}, 1),
        ({"q": "S1"}, 1),
        ({"q": "req-7"}, 3),
        ({"q": "rea: one to"}, 1),
        ({"q": "%"}, 0),
        ({"q": "\x00"}, 0),
        ({"actor": "\x00"}, 0),
        ({"since": "2020-01-01", "actor": "carla"}, 3),
        ({"until": "2020-01-01"}, 0),
    ],
)
def test_filters(as_alice: Client, query: dict[str, str], count: int) -> None:
    write(3)
    dora = Actor(kind="user", key="8", text="dora")
    write(1, Verb.SAMPLE_CREATED, by=dora, before={"area": "one"}, after={"area": "two"})
    page = as_alice.get(PAGE, query)
    assert page.status_code == 200
    assert len(numbers(page)) == count
    assert ("No entry matches" in words(page)) is (count == 0)


def test_a_day_is_in_what_is_filtered_to_it(as_alice: Client, changed: AuditEvent) -> None:
    today = f"{timezone.now():%Y-%m-%d}"
    assert changed.sequence in numbers(as_alice.get(PAGE, {"since": today, "until": today}))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"since": "yesterday"}, "since must be a date or a time"),
        ({"until": "2026-13-45"}, "until must be a date or a time"),
        ({"until": "9999-12-31"}, "until must be a date or a time"),
        ({"since": "0001-01-01T00:00:00+23:59"}, "since must be a date or a time"),
        ({"action": "hook.exploded"}, "action must be an action such as hook.updated"),
        ({"before": "-1"}, "is no place in the log"),
        ({"before": "9" * 40}, "is no place in the log"),
        ({"after": "1 OR 1=1"}, "is no place in the log"),
        ({"before": "²"}, "is no place in the log"),
        ({"q": "x" * 301}, "q must have at most 300 characters"),
    ],
)
def test_what_cannot_be_read_is_named(as_alice: Client, query: dict[str, str], said: str) -> None:
    page = as_alice.get(PAGE, query)
    assert page.status_code == 400
    assert said in words(page)


def test_pages_follow_each_other_and_new_events_move_nothing(as_alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "ROWS", 3)
    write(7)
    newest = reading.newest()
    first = as_alice.get(PAGE)
    assert numbers(first) == [newest, newest - 1, newest - 2]
    assert not first.context["links"]["newer"]
    write(2)
    second = as_alice.get(PAGE + first.context["links"]["older"].partition("/audit/")[2])
    assert numbers(second) == [newest - 3, newest - 4, newest - 5]
    back = as_alice.get(second.context["links"]["newer"])
    assert numbers(back) == [newest, newest - 1, newest - 2]
    assert numbers(as_alice.get(back.context["links"]["newer"])) == [newest + 2, newest + 1, newest]
    assert numbers(as_alice.get(PAGE, {"before": "1"})) == []


def test_a_search_goes_on_from_where_it_stopped(as_alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    write(1, by=Actor(kind="user", key="9", text="needle"))
    write(12)
    monkeypatch.setattr(reading, "SEARCHED_AT_ONCE", 5)
    page = as_alice.get(PAGE, {"q": "needle"})
    assert numbers(page) == [] and "Older ones may have it" in words(page)
    for _ in range(5):
        page = as_alice.get(page.context["links"]["older"])
        if numbers(page):
            break
    assert [event.actor_text for event in page.context["found"].events] == ["needle"]


def test_twelve_queries_at_most_however_many_rows(as_alice: Client) -> None:
    for rows in (0, 60):
        write(rows)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            as_alice.get(PAGE, {"actor": "carla", "action": "sample", "since": "2020-01-01"})
        assert len(queries) <= 12, [one["sql"][:90] for one in queries]
    with CaptureQueriesContext(connection) as queries:
        as_alice.get(PAGE, {"q": "carla"})
    assert len(queries) <= 12


def test_hostile_texts_are_shown_as_texts(as_alice: Client) -> None:
    mallory = Actor(kind="user", key="1", text="<script>alert(1)</script>\u202e", address="<b>")
    write(1, by=mallory, before={"<i>": "<u>\x1b[31m"}, after={"<i>": "x" * 5000})
    body = as_alice.get(PAGE).content.decode()
    assert "<script>alert" not in body and "<b>\n" not in body and "\u202e" not in body
    page = as_alice.get(f"/audit/{reading.newest()}").content.decode()
    assert "<u>" not in page and "␛" in page


# --- the chain


def test_the_badge(as_alice: Client, changed: AuditEvent) -> None:
    assert "Not verified yet" in words(as_alice.get(PAGE))
    assert as_alice.post(VERIFY).headers["Location"] == PAGE
    assert "Chain verified" in words(as_alice.get(PAGE))
    tamper("UPDATE audit_auditevent SET actor_text = 'nobody' WHERE actor_text = 'carla'")
    as_alice.post(VERIFY)
    assert f"Chain broken Event {changed.sequence} was changed after it was written" in words(as_alice.get(PAGE))


def test_a_long_chain_is_verified_in_parts(as_alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "SLICE", 4)
    write(10)
    part, seen = as_alice.post(VERIFY, headers=HTMX), []
    while walked := part.context.get("walked"):
        seen.append(part.context["walk"].sequence)
        assert "Verifying" in words(part)
        part = as_alice.post(VERIFY, {"walk": walked}, headers=HTMX)
    assert seen[:2] == [4, 8]
    assert "Chain verified" in words(part)
    forged = as_alice.post(VERIFY, {"walk": walked or "x:y:z"}, headers=HTMX)
    assert forged.context["walk"].sequence == 4


# --- exports


def lines(response: Any) -> Iterator[dict[str, Any]]:
    assert isinstance(response, StreamingHttpResponse)
    return (json.loads(line) for line in b"".join(response).decode().splitlines())  # type: ignore[arg-type]


def test_an_export_is_exactly_the_filter(as_alice: Client, api: Caller) -> None:
    write(250)
    write(1, Verb.SAMPLE_CREATED)
    create_agent(name="other", by=CARLA)
    written = AuditEvent.objects.count()
    found = list(lines(as_alice.post(EXPORT, {"format": "jsonl", "action": "sample.updated"})))
    assert len(found) == 250
    assert [one["sequence"] for one in found] == sorted((one["sequence"] for one in found), reverse=True)
    assert {one["action"] for one in found} == {"sample.updated"}
    (made,) = AuditEvent.objects.filter(sequence__gt=written)
    assert (made.verb, made.actor_text) == ("audit.exported", "alice")
    assert made.after["filter"] == {"action": "sample.updated"}
    everything = list(lines(as_alice.post(EXPORT, {"format": "jsonl"})))
    assert len(everything) == written + 1 - 1  # with the first export, without what is the other agent's
    assert "other" not in {one["agent"] for one in everything}


def test_csv_opens_in_a_spreadsheet_and_does_nothing_there(as_alice: Client) -> None:
    write(1, by=Actor(kind="user", key="1", text="=cmd|' /C calc'!A0", address="+1"), after={"a": 'quo"te,\n'})
    response: Any = as_alice.post(EXPORT, {"format": "csv"})
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert 'filename="sre-agent-audit.csv"' in response.headers["Content-Disposition"]
    rows = list(csv.DictReader(StringIO(b"".join(response).decode("utf-8-sig"))))
    assert rows[0]["actor"] == "'=cmd|' /C calc'!A0" and rows[0]["address"] == "'+1"
    assert json.loads(rows[0]["after"]) == {"a": 'quo"te,\n'}
    assert len(rows) == AuditEvent.objects.count() - 1


@pytest.mark.parametrize("asked", [{"format": "xlsx"}, {}, {"format": "csv", "since": "x"}])
def test_an_export_that_cannot_be(as_alice: Client, asked: dict[str, str]) -> None:
    written = AuditEvent.objects.count()
    assert as_alice.post(EXPORT, asked).status_code == 400
    assert AuditEvent.objects.count() == written


def test_very_large_events_are_read_few_at_a_time(
    agent: Agent, as_alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WEIGHT", 10_000)
    write(6, after={"a": "x" * 4_000})
    read: list[int] = []
    real = reading._rows

    def rows(numbers: Any, **how: Any) -> Any:
        read.append(len(numbers))
        return real(numbers, **how)

    monkeypatch.setattr(reading, "_rows", rows)
    assert len(list(lines(as_alice.post(EXPORT, {"format": "jsonl", "actor": "carla"})))) == 6
    assert read == [2, 2, 2]


@pytest.mark.django_db(transaction=True)
def test_an_export_that_is_left_half_way_holds_nothing(as_alice: Client, api: Caller) -> None:
    write(1_000, after={"a": "x" * 500})
    response: Any = as_alice.post(EXPORT, {"format": "jsonl"})
    parts = iter(response.streaming_content)
    assert next(parts)
    assert not connection.in_atomic_block
    response.close()
    write(1)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_cursors")
            assert cursor.fetchone() == (0,)


# --- the API


def test_the_api_lists_events_with_their_differences(api: Caller, changed: AuditEvent) -> None:
    answer = api.get("/api/v2/audit?actor=carla")
    (one,) = answer.body["value"]
    assert one["actor"] == {"kind": "user", "key": "7", "name": "carla"}
    assert {"path": "properties.enabled", "before": True, "after": False} in one["diff"]
    assert (one["target"]["name"], one["address"], one["requestId"]) == ("no-sudo", "10.0.0.7", "req-7")


def test_the_api_pages(api: Caller) -> None:
    write(5)
    seen, link = [], "/api/v2/audit?top=2&action=sample"
    while link:
        answer = api.get(link)
        seen += [one["sequence"] for one in answer.body["value"]]
        link = answer.body["nextLink"]
    assert len(seen) == 5 and seen == sorted(seen, reverse=True)


@pytest.mark.parametrize("cursor", ["x", "WyJ4Il0", "WzEsMl0", "Wy0xXQ", "W251bGxd", "%00", "a" * 5000])
def test_tampered_cursors(api: Caller, cursor: str) -> None:
    answer = api.get(f"/api/v2/audit?cursor={cursor}")
    assert (answer.status, answer.targets) == (400, ["cursor"])


@pytest.mark.parametrize("query", ["since=x", "until=2026-99-99", "action=x", "format=xml"])
def test_the_api_names_filters_that_are_none(api: Caller, query: str) -> None:
    answer = api.get(f"/api/v2/audit?{query}")
    assert (answer.status, answer.targets) == (400, [query.partition("=")[0]])


def test_the_tokens_of_a_name_are_an_actor(api: Caller, caller: Callable[..., Caller]) -> None:
    api.put("/api/v2/sampleContexts/s", {"event": "Stop", "context": {"final_output": "x"}})
    assert [one["action"] for one in api.get("/api/v2/audit?actor=test").body["value"]] == ["sample.created"]


@pytest.mark.parametrize(("query", "accept"), [("?format=jsonl", "*/*"), ("", "application/jsonl")])
def test_the_api_streams(api: Caller, changed: AuditEvent, query: str, accept: str) -> None:
    response = api.client.get(f"/api/v2/audit{query}", headers={**api.headers, "Accept": accept})
    found = list(lines(response))
    assert found[0]["sequence"] == changed.sequence
    assert AuditEvent.objects.latest("sequence").verb == "audit.exported"
    assert set(found[0]) >= {"before", "after", "hash", "previousHash"}


def test_the_api_verifies(api: Caller, changed: AuditEvent) -> None:
    write(1, by=Actor.system("after it"))
    found = api.get("/api/v2/audit/verify").body
    assert (found["holds"], found["count"], found["broken"]) == (True, AuditEvent.objects.count(), None)
    tamper("DELETE FROM audit_auditevent WHERE actor_text = 'carla'")
    assert api.get("/api/v2/audit/verify").body["broken"]["sequence"] == changed.sequence


def test_exports_can_be_verified_by_anybody(api: Caller, changed: AuditEvent) -> None:
    """The hash of a line is that of its own JSON, put in order."""
    import hashlib

    rows = list(lines(api.client.get("/api/v2/audit?format=jsonl", headers=api.headers)))
    for one in rows:
        said = {
            "actor_key": one["actor"]["key"],
            "actor_kind": one["actor"]["kind"],
            "actor_text": one["actor"]["name"],
            "address": one["address"],
            "after": one["after"],
            "agent_name": one["agent"] or "",
            "at": one["at"].replace("Z", "+00:00"),
            "before": one["before"],
            "object_key": one["target"]["key"],
            "object_text": one["target"]["name"],
            "object_type": one["target"]["type"],
            "previous_hash": one["previousHash"],
            "request_id": one["requestId"],
            "sequence": one["sequence"],
            **({"summary": one["summary"]} if one["summary"] else {}),
            "verb": one["action"],
        }
        assert hashlib.sha256(json.dumps(said).encode()).hexdigest() == one["hash"]


def test_exporting_takes_what_was_there_when_it_began(agent: Agent, by: Actor) -> None:
    write(3)
    through = reading.newest()
    wanted = views.read({}, agent=agent)
    events = reading.walk(agent=agent, wanted=wanted, through=through)
    write(3)
    assert next(events).sequence == through
    assert exporting.KINDS.keys() == {"csv", "jsonl"}


def test_old_events_are_reached_by_time(as_alice: Client) -> None:
    write(3)
    tomorrow = timezone.now() + timedelta(days=1)
    assert numbers(as_alice.get(PAGE, {"since": tomorrow.isoformat()})) == []
