"""Lists a page at a time. A page begins after the last row of the one before, so rows added in between move nothing."""

from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import IntegerField, Q
from rest_framework.request import Request

from hooks.engine import strictjson
from hooks.engine.errors import Fault, Invalid

TOP_LIMIT, TOP = 1000, 100
NUMBER_LIMIT = 2**63
SEEN = 20  # rows that a cursor remembers where they move
NOT_OURS = "is none that the portal gave out."


def page(request: Request, rows: Any, show: Callable[[Any], Any], *, key: str) -> dict[str, Any]:
    """Read `?top=` and `?cursor=` and answer `{"value", "nextLink"}`. Raises Invalid.

    `key` names the columns that order the rows, with commas; together they are unique. `-id` is the newest first.
    """
    columns = key.split(",")
    top, after = asked(request, rows, columns)
    if after is not None:
        rows = rows.filter(_beyond(columns, after))
    found = list(rows.order_by(*columns)[: top + 1])
    onward = None
    if len(found) > top:
        onward = link(request, [getattr(found[top - 1], column.removeprefix("-")) for column in columns])
    return {"value": [show(row) for row in found[:top]], "nextLink": onward}


def page_of_moving(request: Request, rows: Any, show: Callable[[Any], Any], *, key: str) -> dict[str, Any]:
    """Answer a page as `page` does, of rows whose columns change when others go, as positions close up.

    It begins after the last row that was seen and is still there, wherever that is now. Where none is left the list begins
    anew: better a row twice than never.
    """
    columns, top, seen = key.split(","), _top(request), _seen(request)
    last = rows.filter(pk__in=seen).order_by(*columns).last() if seen else None
    if last is not None:
        rows = rows.filter(_beyond(columns, [getattr(last, column) for column in columns]))
    found = list(rows.order_by(*columns)[: top + 1])
    onward = link(request, [*seen, *(row.pk for row in found[:top])][-SEEN:]) if len(found) > top else None
    return {"value": [show(row) for row in found[:top]], "nextLink": onward}


def asked(request: Request, rows: Any, columns: Sequence[str]) -> tuple[int, list[Any] | None]:
    """Read how many rows are wanted, and after which: a value for each column. Raises Invalid."""
    return _top(request), _cursor(request, rows, columns)


def link(request: Request, after: list[Any]) -> str:
    """Write the address of the page that begins after a row."""
    query = request._request.GET.copy()
    query["cursor"] = written(after)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def _beyond(columns: Sequence[str], after: Sequence[Any]) -> Q:
    """Select what comes after a row: further in the first column, or equal there and further in the rest."""
    column, newest_first = columns[0].removeprefix("-"), columns[0].startswith("-")
    further = Q(**{f"{column}__{'lt' if newest_first else 'gt'}": after[0]})
    if len(columns) == 1:
        return further
    return further | (Q(**{column: after[0]}) & _beyond(columns[1:], after[1:]))


def _top(request: Request) -> int:
    value = request.query_params.get("top", str(TOP))
    if not value.isascii() or not value.isdecimal() or len(value) > 4 or not 1 <= int(value) <= TOP_LIMIT:
        raise Invalid([Fault("top", "out_of_range", f"must be a whole number from 1 to {TOP_LIMIT:,}.")])
    return int(value)


def written(values: list[Any]) -> str:
    return urlsafe_b64encode(strictjson.dumps(values).encode()).decode().rstrip("=")


def _seen(request: Request) -> list[int]:
    """Read the cursor of rows that move: the keys of the last ones that were seen."""
    given = request.query_params.get("cursor")
    if given is None:
        return []
    seen = _decoded(given)
    sound = isinstance(seen, list) and 0 < len(seen) <= SEEN
    if sound and all(type(key) is int and 0 < key < NUMBER_LIMIT for key in seen):
        return list(seen)
    raise Invalid([Fault("cursor", "invalid", NOT_OURS)])


def _decoded(given: str) -> Any:
    try:
        return strictjson.loads(b64decode(given + "=" * (-len(given) % 4), altchars="-_", validate=True))
    except ValueError:
        return None


def _cursor(request: Request, rows: Any, columns: Sequence[str]) -> list[Any] | None:
    given = request.query_params.get("cursor")
    return None if given is None else read_cursor(given, rows.model, columns)


def read_cursor(given: str, model: Any, columns: Sequence[str]) -> list[Any]:
    """Read a cursor: a value for each column, each of the column's type. Raises Invalid."""
    try:
        after = strictjson.loads(b64decode(given + "=" * (-len(given) % 4), altchars="-_", validate=True))
    except ValueError:
        after = None
    if isinstance(after, list) and len(after) == len(columns):
        fields = [model._meta.get_field(column.removeprefix("-")) for column in columns]
        if all(_fits(field, value) for field, value in zip(fields, after, strict=True)):
            return after
    raise Invalid([Fault("cursor", "invalid", NOT_OURS)])


def _fits(field: Any, value: object) -> bool:
    if isinstance(field, IntegerField):
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < NUMBER_LIMIT
    return isinstance(value, str) and "\x00" not in value and len(value) <= 200
