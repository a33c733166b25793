"""Fields that hold what PostgreSQL's own types refuse."""

from typing import Any

from django.db import models

from hooks.engine import strictjson


class JSONTextField(models.TextField):
    """JSON, or a text of anybody's, kept as ASCII text: PostgreSQL's JSON and text both refuse U+0000 (R14).

    Not for queries on what is inside. `default` may be a callable, as with any field.
    """

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return None if value is None else strictjson.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else strictjson.dumps(value)
