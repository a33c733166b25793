"""Evaluations that were recorded."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, get_args

from django.utils.dateparse import parse_datetime
from rest_framework.request import Request
from rest_framework.response import Response

from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS
from hooks.engine.fields import shown
from hooks.engine.results import Decision
from hooks.engine.verdict import Outcome
from hooks.models import Kind
from hooks.services import records
from portal.api import ApiView
from portal.errors import NotFound

FILTERS = {
    "event": "event",
    "decision": "decision",
    "kind": "kind",
    "customAgent": "custom_agent__iexact",
    "threadId": "thread_key",
    "hook": "results__name",
    "outcome": "results__outcome",
}


WORDS: dict[str, Sequence[str]] = {
    "event": tuple(EVENTS),
    "decision": get_args(Decision),
    "outcome": get_args(Outcome),
    "kind": Kind.values,
}


class EvaluationsView(ApiView):
    """GET the evaluations, the newest first."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request) -> Response:
        rows, given = self.agent.evaluations.defer("context", "transcript"), request.query_params
        since, until = _checked(given)
        wanted = {column: given[name] for name, column in FILTERS.items() if given.get(name)}
        if any("\x00" in value for value in wanted.values()):
            rows, wanted = rows.none(), {}
        rows = rows.filter(**wanted)
        if since:
            rows = rows.filter(created_at__gte=since)
        if until:
            rows = rows.filter(created_at__lt=until)
        if "hook" in given or "outcome" in given:
            rows = rows.distinct()
        return self.page(rows, records.summarise, key="-id")


class EvaluationView(ApiView):
    """GET all that is kept of one evaluation."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request, evaluation_id: str) -> Response:
        found: Any = None
        if "\x00" not in evaluation_id:
            found = self.agent.evaluations.filter(pk=evaluation_id).first()
        if found is None:
            raise NotFound(f"There is no evaluation {evaluation_id[:64]!r} on the agent {self.agent.name!r}.")
        return Response(records.describe_whole(records.load(found)))


def _checked(given: Mapping[str, str]) -> tuple[datetime | None, datetime | None]:
    """Check the filters that take certain words, and read the times. Raises Invalid with every fault."""
    faults = [
        Fault(name, "invalid_choice", f"must be one of {', '.join(among)}, not {shown(given[name])}.")
        for name, among in WORDS.items()
        if given.get(name) and given[name] not in among
    ]
    moments = []
    for name in ("since", "until"):
        moments.append(moment := _moment(given.get(name, "")))
        if given.get(name) and moment is None:
            faults.append(Fault(name, "invalid_type", "must be a time such as 2026-01-31T12:00:00Z."))
    if faults:
        raise Invalid(faults)
    return moments[0], moments[1]


def _moment(value: str) -> datetime | None:
    """Read a time; one without a zone is UTC. None where it is none, or so far away that no database holds it."""
    try:
        # A plus sign that was not escaped arrives as a blank.
        moment = parse_datetime(value.strip().replace(" ", "+") if "T" in value else f"{value.strip()}T00:00:00")
        if moment is None:
            return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
