"""Fields that hold what PostgreSQL's own types refuse."""

import json
from typing import TYPE_CHECKING, Any

from django.db import models

from hooks.engine import strictjson

if TYPE_CHECKING:
    TextField = models.TextField[Any, Any]
else:
    TextField = models.TextField


class JSONTextField(TextField):
    """JSON, or a text of anybody's, kept as ASCII text: PostgreSQL's JSON and text both refuse U+0000 (R14).

    Not for queries on what is inside. `default` may be a callable, as with any field.
    """

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        # What was checked when it came in need not be checked again, and may stand deeper here than it did there.
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else strictjson.dumps(value)
