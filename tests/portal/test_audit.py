"""The audit log: rows that are only added, in a chain that shows every change of it."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from portal.access.actors import Actor
from portal.audit.chain import record, verify
from portal.audit.diff import diff
from portal.audit.models import AppendOnly, AuditEvent
from portal.audit.verbs import Verb

pytestmark = pytest.mark.django_db


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
    assert verify() == (3, None)
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
    assert verify() == (3, None)


@pytest.mark.parametrize(
    ("statement", "place", "word"),
    [
        ("UPDATE audit_auditevent SET actor_text = 'mallory' WHERE sequence = 2", 2, "changed"),
        ("UPDATE audit_auditevent SET before = '{\"n\": 7}' WHERE sequence = 3", 3, "changed"),
        ("DELETE FROM audit_auditevent WHERE sequence = 1", 1, "missing"),
        ("DELETE FROM audit_auditevent WHERE sequence = 2", 2, "missing"),
        ("DELETE FROM audit_auditevent WHERE sequence = 3", 3, "missing"),
        ("UPDATE audit_auditevent SET previous_hash = 'x' WHERE sequence = 2", 2, "follow"),
    ],
)
def test_what_was_done_to_it_shows(three: list[AuditEvent], statement: str, place: int, word: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
    count, broken = verify()
    assert broken is not None
    assert (broken.sequence, count, word in broken.message) == (place, place - 1, True)
    with pytest.raises(CommandError, match=f"Broken at event {place}"):
        call_command("verify_audit")


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
