"""The audit log: rows that are only added, in a chain that shows every change of it."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.models import Agent
from agents.services import create_agent
from hooks import services
from portal.access.actors import Actor
from portal.audit import bounds, chain, checking, retention
from portal.audit.chain import record
from portal.audit.diff import diff
from portal.audit.models import AppendOnly, AuditEvent, AuditHead
from portal.audit.summaries import summary_of
from portal.audit.verbs import Verb
from portal.audit.verifying import verify
from tests.concurrency import at_once
from tests.pages import hook
from tests.portal.tampering import run, tamper

pytestmark = pytest.mark.django_db


def holds(count: int) -> bool:
    walk = verify()
    return (walk.count, walk.broken) == (count, None)


@pytest.fixture
def three(by: Actor) -> list[AuditEvent]:
    with transaction.atomic():
        return [
            record(
                Verb.HOOK_UPDATED,
                by=by,
                object_type="hook",
                object_text=f"h{n}\x00"[:2],
                before={"n": n},
                after={"é": "\x00"},
            )
            for n in range(3)
        ]


def test_it_works(three: list[AuditEvent]) -> None:
    assert holds(3)
    assert [event.sequence for event in AuditEvent.objects.order_by("sequence")] == [1, 2, 3]
    assert AuditEvent.objects.get(sequence=2).previous_hash == three[0].hash
    assert AuditEvent.objects.get(sequence=1).after == {"é": "\x00"}
    out = StringIO()
    call_command("verify_audit", stdout=out)
    assert out.getvalue() == "All 3 events hold.\n"


def test_events_are_neither_changed_nor_deleted(three: list[AuditEvent]) -> None:
    event = AuditEvent.objects.get(sequence=2)
    for change in (event.save, event.delete, three[0].save, three[0].delete):
        with pytest.raises(AppendOnly):
            change()
    for change_all in (lambda: AuditEvent.objects.all().delete(), lambda: AuditEvent.objects.update(verb="x")):
        with pytest.raises(AppendOnly):
            change_all()
    assert holds(3)


@pytest.mark.parametrize(
    ("statement", "place", "word"),
    [
        ("UPDATE audit_auditevent SET actor_text = 'mallory' WHERE sequence = 2", 2, "changed"),
        ("UPDATE audit_auditevent SET before = '{\"n\": 7}' WHERE sequence = 3", 3, "changed"),
        ("DELETE FROM audit_auditevent WHERE sequence = 1", 1, "missing"),
        ("DELETE FROM audit_auditevent WHERE sequence = 2", 2, "missing"),
        ("DELETE FROM audit_auditevent WHERE sequence = 3", 3, "missing"),
        ("UPDATE audit_auditevent SET summary = '' WHERE sequence = 2", 2, "changed"),
        ("UPDATE audit_auditevent SET at = '2020-01-01 00:00:00+00:00' WHERE sequence = 2", 2, "changed"),
        ("UPDATE audit_audithead SET sequence = 2", 3, "not written by the portal"),
        ("UPDATE audit_audithead SET sequence = 4", 4, "missing"),
        ("UPDATE audit_audithead SET hash = 'x'", 3, "wrote last"),
        ("UPDATE audit_auditevent SET previous_hash = 'x' WHERE sequence = 2", 2, "follow"),
    ],
)
def test_what_was_done_to_it_shows(three: list[AuditEvent], statement: str, place: int, word: str) -> None:
    tamper(statement)
    walk = verify()
    assert walk.broken is not None
    assert (walk.broken.sequence, word in walk.broken.message) == (place, True), walk
    with pytest.raises(CommandError, match=f"Broken at event {place}"):
        call_command("verify_audit")
    kept = checking.last_check()
    assert kept is not None and kept.broken_at == place


def test_swapped_events_show(three: list[AuditEvent]) -> None:
    tamper(
        "UPDATE audit_auditevent SET sequence = 9 WHERE sequence = 2",
        "UPDATE audit_auditevent SET sequence = 2 WHERE sequence = 3",
        "UPDATE audit_auditevent SET sequence = 3 WHERE sequence = 9",
    )
    walk = verify()
    assert walk.broken is not None and walk.broken.sequence == 2


def test_a_log_without_its_end_shows(three: list[AuditEvent]) -> None:
    tamper("DELETE FROM audit_audithead")
    assert verify().broken is not None
    tamper("DELETE FROM audit_auditevent")
    assert holds(0)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_auditevent SET actor_text = 'mallory'",
        "DELETE FROM audit_auditevent",
        "DELETE FROM audit_auditevent WHERE sequence = 3",
        "UPDATE audit_audithead SET sequence = 2",
        "DELETE FROM audit_audithead",
    ],
)
def test_the_database_refuses(three: list[AuditEvent], statement: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        run([statement])
    assert holds(3)


@pytest.mark.skipif(not settings.DATABASES["default"]["ENGINE"].endswith("postgresql"), reason="SQLite has no TRUNCATE")
def test_postgresql_refuses_to_empty_it(three: list[AuditEvent]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        run(["TRUNCATE audit_auditevent"])
    assert holds(3)


@pytest.mark.parametrize(("kept", "gone"), [(2, 1), (1, 2), (0, 3)])
def test_a_purge_leaves_a_mark(three: list[AuditEvent], kept: int, gone: int) -> None:
    old = timezone.now() - timedelta(days=8)
    age(old, gone)
    assert retention.purge(days=7) == gone
    assert AuditEvent.objects.count() == kept + 1
    assert AuditHead.objects.get().purge_through == 0
    mark = AuditEvent.objects.order_by("sequence").last()
    assert mark is not None and mark.verb == Verb.AUDIT_PURGED and mark.after["through"] == gone
    assert holds(kept + 1)
    assert retention.purge(days=7) == 0
    with pytest.raises(IntegrityError), transaction.atomic():
        run(["DELETE FROM audit_auditevent"])


def test_purges_follow_each_other_in_batches(
    three: list[AuditEvent], monkeypatch: pytest.MonkeyPatch, by: Actor
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    age(timezone.now() - timedelta(days=8), 3)
    assert retention.purge(days=7) == 3
    assert list(AuditEvent.objects.order_by("sequence").values_list("sequence", flat=True)) == [4, 5]
    assert holds(2)


def test_a_purge_that_nobody_signed_shows(three: list[AuditEvent], monkeypatch: pytest.MonkeyPatch) -> None:
    age(timezone.now() - timedelta(days=8), 2)
    monkeypatch.setattr(retention, "sign", lambda *of: "forged")
    retention.purge(days=7)
    broken = verify().broken
    assert broken is not None and "no purge tells of it" in broken.message


def test_a_mark_counts_under_the_key_that_was_in_force(
    three: list[AuditEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    age(timezone.now() - timedelta(days=8), 2)
    retention.purge(days=7)
    old = settings.SECRET_KEY
    monkeypatch.setattr(settings, "SECRET_KEY", "another key, and as long as a key has to be here")
    assert verify().broken is not None
    monkeypatch.setattr(settings, "SECRET_KEY_FALLBACKS", [old])
    assert holds(2)


def test_the_command_purges(three: list[AuditEvent]) -> None:
    age(timezone.now() - timedelta(days=8), 2)
    out = StringIO()
    call_command("purge", "--audit-older-than", "7", stdout=out)
    assert out.getvalue() == "2 audit events deleted.\n"
    with pytest.raises(CommandError, match="at least one of"):
        call_command("purge")


def age(at: Any, count: int) -> None:
    """Have the first events been written at another time, with a chain that holds."""
    run(["UPDATE audit_audithead SET purge_through = 9"])
    events = list(AuditEvent.objects.order_by("sequence"))
    run(["DELETE FROM audit_auditevent"])
    previous = ""
    for event in events:
        event.at = at if event.sequence <= count else event.at
        event.previous_hash, event.pk, event._state.adding = previous, None, True
        event.hash = previous = chain.digest(vars(event), bounds.fit(event.before), bounds.fit(event.after))
        event.save(force_insert=True)
    AuditHead.objects.update(purge_through=0, hash=previous)
    assert holds(len(events))


@pytest.mark.django_db(transaction=True)
def test_fifty_writers_at_once_leave_an_unbroken_chain(by: Actor) -> None:
    agent = create_agent(name="sre-agent", is_default=True, by=by)
    names = [hook(agent, f"h{n}").name for n in range(50)]
    written = AuditEvent.objects.count()

    def switch(name: str) -> Any:
        return lambda: services.set_enabled(agent=agent, names=[name], enabled=False, by=by)

    at_once(*(switch(name) for name in names))
    assert holds(written + 50)
    assert AuditEvent.objects.filter(verb=Verb.HOOK_DISABLED).count() == 50


def test_a_change_whose_event_cannot_be_written_fails(agent: Agent, by: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    one = hook(agent, "h")
    tamper("UPDATE audit_audithead SET sequence = 0")  # the next event gets a number that is taken
    with pytest.raises(IntegrityError), transaction.atomic():
        services.delete_hook(hook=one, by=by)
    assert agent.hooks.filter(name="h").exists()


def test_what_is_very_large_is_named_instead_of_kept(by: Actor) -> None:
    with transaction.atomic():
        event = record(
            Verb.SAMPLE_CREATED,
            by=by,
            object_type="sample",
            object_text="s",
            before={"name": "s", "context": "x" * 2_000_000},
            after={str(n): "y" * 3_000 for n in range(1_000)},
        )
    assert event.before["name"] == "s"
    assert event.before["context"].startswith("(2,000,000 characters, SHA-256 ")
    assert event.after.startswith("(3,")
    assert holds(1)


def test_hostile_texts_are_kept_as_far_as_a_database_can(by: Actor) -> None:
    odd = Actor(kind="user", key="1", text="\ud800\x00" + "é" * 400, address="\x00", request_id="")
    with transaction.atomic():
        record(Verb.HOOK_CREATED, by=odd, object_type="hook", object_text="\ud800" * 400, after={"a": "\ud800\x00"})
    event = AuditEvent.objects.get()
    assert event.actor_text == "\ufffd\ufffd" + "é" * 198
    assert holds(1)


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.django_db(transaction=True)
def test_events_go_to_standard_output_once_they_are_in_force(
    by: Actor, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, on: bool
) -> None:
    monkeypatch.setattr(settings, "AUDIT_TO_STDOUT", on)
    with transaction.atomic():
        event = record(Verb.HOOK_CREATED, by=by, object_type="hook", object_text="h", after={"a": 1})
        assert capsys.readouterr().out == ""
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["hash"] for line in lines] == ([event.hash] if on else [])
    with transaction.atomic():
        record(Verb.HOOK_CREATED, by=by, object_type="hook", object_text="h")
        transaction.set_rollback(True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"enabled": True, "version": 1}, {"enabled": False, "version": 2}, "enabled: true to false"),
        ({"a": {"timeout": 30, "mode": "x", "b": 1}}, {"a": {"timeout": 10, "mode": "y", "b": 2}}, "timeout, mode, b"),
        ({"script": "a\nb"}, {"script": "a\nc\nd"}, "script (2 lines)"),
        ({"script": "a" * 99}, {"script": "b"}, "script"),
        (None, {"name": "ci", "scopes": ["read", "write"], "expires": None}, "scopes: read, write"),
        (["a", "b", "c"], ["b", "a", "c"], "b 2 to 1"),
        (["a", "b", "c"], ["c", "a", "b"], "c 3 to 1, a 1 to 2, b 2 to 3"),
        ({str(n): n for n in range(9)}, {str(n): -1 for n in range(9)}, "0, 1, 2, 3, 4, 5 and 3 more"),
        ({"a": 1}, None, ""),
        ({"a": "\x1b"}, {"a": "\u202e"}, "a: ␛ to ⟨U+202E⟩"),
    ],
)
def test_a_change_in_one_line(before: Any, after: Any, said: str) -> None:
    assert summary_of(before, after) == said


@pytest.mark.django_db(transaction=True)
def test_a_record_needs_the_transaction_of_its_change(by: Actor) -> None:
    with pytest.raises(RuntimeError):
        record(Verb.HOOK_UPDATED, by=by, object_type="hook", object_text="h")


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 2}}, [("a.b", 1, 3)]),
        ({"a": 1}, {"b": 2}, [("a", 1, None), ("b", None, 2)]),
        ({"a": [1, 2]}, {"a": [1]}, [("a", [1, 2], [1])]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1}, {"b": 2}]}, [("a[1]", None, {"b": 2})]),
        ({"a": 1}, {"a": True}, [("a", 1, True)]),
        (None, {"a": 1}, [("", None, {"a": 1})]),
    ],
)
def test_diff(before: Any, after: Any, changes: list[tuple[Any, ...]]) -> None:
    assert [(one["path"], one["before"], one["after"]) for one in diff(before, after)] == changes
