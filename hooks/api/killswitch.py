"""The kill switch: whether all hooks of the agent are off, and turning it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.utils.dateparse import parse_datetime
from rest_framework.request import Request
from rest_framework.response import Response

from hooks.engine.errors import Fault, Invalid
from hooks.services import killswitch
from portal.api import ApiView

FIELDS = ("reason", "until")


class KillSwitchView(ApiView):
    """GET whether the hooks are off; PUT turns them off, DELETE on again."""

    scopes: ClassVar = {"GET": "read", "PUT": "admin", "DELETE": "admin"}

    def get(self, request: Request) -> Response:
        return Response(killswitch.describe(killswitch.hooks_off(self.agent)))

    def put(self, request: Request) -> Response:
        reason, until = read(self.body())
        off = killswitch.turn_hooks_off(agent=self.agent, reason=reason, until=until, by=self.by)
        return Response(killswitch.describe(off))

    def delete(self, request: Request) -> Response:
        killswitch.turn_hooks_on(agent=self.agent, by=self.by)
        return Response(status=204)


def read(body: Any) -> tuple[str, datetime | None]:
    """Read `{"reason", "until"}`. Raises Invalid with every fault."""
    if not isinstance(body, Mapping):
        raise Invalid([Fault("", "invalid_type", "must be an object: reason, until.")])
    faults = [Fault(str(key)[:100], "unknown_field", "is no field here.") for key in body if key not in FIELDS]
    reason, until = body.get("reason") or "", body.get("until")
    if not isinstance(reason, str):
        faults.append(Fault("reason", "invalid_type", "must be a text."))
    moment = _moment(until) if isinstance(until, str) else None
    if until is not None and moment is None:
        faults.append(Fault("until", "invalid_type", "must be a time such as 2026-01-31T12:00:00Z, or null."))
    if faults:
        raise Invalid(faults)
    return reason, moment


def _moment(value: str) -> datetime | None:
    try:
        moment = parse_datetime(value.strip())
        if moment is None:
            return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
