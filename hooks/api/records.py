"""Evaluations that were recorded."""

from datetime import datetime
from typing import Any, ClassVar

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework.request import Request
from rest_framework.response import Response

from hooks.engine.errors import Fault, Invalid
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


class EvaluationsView(ApiView):
    """GET the evaluations, the newest first."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request) -> Response:
        rows, given = self.agent.evaluations.defer("context", "transcript"), request.query_params
        wanted = {column: given[name] for name, column in FILTERS.items() if given.get(name)}
        if any("\x00" in value for value in wanted.values()):
            rows, wanted = rows.none(), {}
        rows = rows.filter(**wanted)
        if since := _moment(request, "since"):
            rows = rows.filter(created_at__gte=since)
        if until := _moment(request, "until"):
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


def _moment(request: Request, name: str) -> datetime | None:
    """Read a time of the query string; one without a zone is UTC. Raises Invalid."""
    value = request.query_params.get(name)
    if not value:
        return None
    try:
        # A plus sign that was not escaped arrives as a blank.
        moment = parse_datetime(value.strip().replace(" ", "+") if "T" in value else f"{value.strip()}T00:00:00")
    except ValueError:
        moment = None
    if moment is None:
        raise Invalid([Fault(name, "invalid_type", "must be a time such as 2026-01-31T12:00:00Z.")])
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
