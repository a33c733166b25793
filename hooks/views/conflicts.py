"""Two people saved the same hook: who, when, and in what the two differ."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from hooks.forms import HookForm, values_of
from hooks.models import Hook


@dataclass(frozen=True, slots=True)
class Difference:
    label: str
    theirs: str
    mine: str


@dataclass(frozen=True, slots=True)
class Conflict:
    by: str
    at: datetime
    version: int
    differences: list[Difference]


def conflict_of(form: HookForm, current: Hook) -> Conflict:
    last = current.versions.first()
    theirs, mine = values_of(current), form.given()
    return Conflict(
        by=last.by if last else _("Somebody"),
        at=current.updated_at,
        version=current.version,
        differences=[
            Difference(label, _text(theirs.get(name)), _text(mine.get(name)))
            for name, label in form.labels.items()
            if _text(theirs.get(name)) != _text(mine.get(name))
        ],
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return "" if value is None else str(value).replace("\r\n", "\n")
