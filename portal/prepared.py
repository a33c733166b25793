"""Statements that run at every evaluation. Their SQL is made once: that takes the ORM ten times as long as the rest."""

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models import QuerySet

Row = tuple[Any, ...]
# What stands for a value while the SQL is made; nothing else in a query is likely to be one of them.
_MARKS: dict[type, list[Any]] = {
    int: [8_999_999_999_999_999_000 + number for number in range(4)],
    str: [f"\ue000 mark {number} \ue000" for number in range(4)],
}


class Query:
    """`build` makes a queryset with `values_list` from marks, one of each of `kinds` (int or str); `rows` takes the values.

    Nothing but the values may differ from one time to the next. Rows come as `values_list` gives them, or where `plain` as
    the database does: a JSON field as text, on SQLite a boolean as 0 or 1.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], *kinds: type, plain: bool = False) -> None:
        self._build = build
        self._marks = [_MARKS[kind][number] for number, kind in enumerate(kinds)]
        self._plain = plain
        self._local = threading.local()

    def rows(self, *values: Any) -> list[Row]:
        connection = connections[DEFAULT_DB_ALIAS]
        made = getattr(self._local, "made", None)
        if made is None or made.connection is not connection:
            made = self._local.made = _Made(self._build(*self._marks), self._marks, connection)
        with connection.cursor() as cursor:
            cursor.execute(made.sql, made.parameters(values))
            found: list[Row] = cursor.fetchall()
        return found if self._plain else made.converted(found)


class _Made:
    def __init__(self, queryset: QuerySet[Any, Any], marks: Sequence[Any], connection: Any) -> None:
        self.connection = connection
        self._compiler: Any = queryset.query.get_compiler(connection=connection)
        self.sql, parameters = self._compiler.as_sql()
        self._places = [(marks.index(one), None) if one in marks else (None, one) for one in parameters]
        self._converters = self._compiler.get_converters([select[0] for select in self._compiler.select])

    def parameters(self, values: Sequence[Any]) -> list[Any]:
        return [fixed if number is None else values[number] for number, fixed in self._places]

    def converted(self, rows: list[Row]) -> list[Row]:
        return [tuple(row) for row in self._compiler.apply_converters(rows, self._converters)] if rows else rows


def columns(model: type[models.Model], prefix: str = "") -> list[str]:
    """Name a model's columns for `values_list`; from what they hold, `built` makes an instance."""
    return [prefix + field.attname for field in model._meta.concrete_fields]


def built(model: type[models.Model], values: Sequence[Any]) -> Any:
    return model.from_db(DEFAULT_DB_ALIAS, columns(model), values)


def insert(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model. Keys that the database gives are not read back."""
    connection = connections[DEFAULT_DB_ALIAS]
    model = type(rows[0])
    sql, fields = _insertion(model, connection.vendor)
    values = [[field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields] for row in rows]
    with connection.cursor() as cursor:
        if len(rows) == 1:
            cursor.execute(sql, values[0])
        else:
            cursor.executemany(sql, values)
    for row in rows:
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


@cache
def _insertion(model: type[models.Model], vendor: str) -> tuple[str, list[Any]]:
    quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
    fields: list[Any] = [field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)]
    names = ", ".join(quote(field.column) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({places})", fields  # noqa: S608 - names of ours
