"""Statements whose SQL is made once."""

import threading
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hooks.models import Evaluation, HookResult
from portal.access.models import ApiToken
from portal.prepared import Query, built, columns, insert
from tests.shell import Caller

pytestmark = pytest.mark.django_db
NAMED = Query(lambda name: ApiToken.objects.filter(name__iexact=name).values_list(*columns(ApiToken)), str)
PLAIN = Query(lambda pk: ApiToken.objects.filter(pk=pk).values_list("pk", "scopes"), int, plain=True)


def test_it_works(api: Caller) -> None:
    token = ApiToken.objects.get()
    (row,) = NAMED.rows(token.name.upper())
    found = built(ApiToken, row)
    assert (found, found.scopes, found.created_at) == (token, token.scopes, token.created_at)
    assert NAMED.rows("nobody") == []
    assert PLAIN.rows(token.pk) == [(token.pk, '["read", "evaluate", "write", "admin"]')]


def test_values_are_no_part_of_the_sql(api: Caller) -> None:
    NAMED.rows("once")
    with CaptureQueriesContext(connection) as asked:
        assert NAMED.rows("x' OR 1=1 --") == []
    assert len(asked) == 1


def test_each_connection_has_its_own(api: Caller) -> None:
    NAMED.rows("here")
    found: list[object] = []

    def elsewhere() -> None:
        try:
            found.append(NAMED.rows("there"))
        finally:
            connection.close()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [[]]


def test_what_is_inserted_is_what_the_orm_would_insert(api: Caller) -> None:
    now = datetime.now(UTC)
    agent = ApiToken.objects.get().agent
    one = Evaluation(
        agent=agent,
        kind="check",
        event="Stop",
        context={"a": "\x00"},
        decision="allow",
        duration_ms=1.5,
        created_at=now,
    )
    insert([one])
    results = [
        HookResult(
            evaluation=one,
            index=index,
            name="h",
            level="agent",
            position=0,
            outcome="allow",
            kind="check",
            created_at=now,
        )
        for index in range(3)
    ]
    insert(results)
    stored = Evaluation.objects.get()
    for field in Evaluation._meta.concrete_fields:
        assert getattr(stored, field.attname) == getattr(one, field.attname), field.name
    assert [result.index for result in stored.results.all()] == [0, 1, 2]
    assert not one._state.adding
