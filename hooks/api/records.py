"""Evaluations that were recorded."""

from typing import Any, ClassVar

from django.http.response import HttpResponseBase
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from hooks.engine.errors import Fault, Invalid
from hooks.models import Evaluation
from hooks.services import evaluationlog, records
from portal import paging
from portal.api import ApiView
from portal.audit.api import JSONLRenderer
from portal.errors import NotFound
from portal.formats import JSONRenderer, YAMLRenderer


class EvaluationsView(ApiView):
    """GET the evaluations, the newest first; with `?format=jsonl` all that fit, whole, as a stream."""

    scopes: ClassVar = {"GET": "read"}

    def get_renderers(self) -> list[BaseRenderer]:
        return [JSONRenderer(), YAMLRenderer(), JSONLRenderer()]

    def get(self, request: Request) -> HttpResponseBase:
        wanted = evaluationlog.read_wanted(request.query_params)
        form = request.query_params.get("format") or request.accepted_renderer.format
        if form not in ("json", "yaml", "jsonl"):
            raise Invalid([Fault("format", "invalid_choice", "must be json or jsonl.")])
        if form == "jsonl":
            return evaluationlog.export(agent=self.agent, wanted=wanted, by=self.by)
        top, place = paging.asked(request, Evaluation.objects.all(), ["-id"])
        before = place[0] if place else None
        found = evaluationlog.find_page(agent=self.agent, wanted=wanted, top=top + 1, before=before)
        onward = paging.link(request, [found[top - 1].id]) if len(found) > top else None
        return Response({"value": [records.summarise(one) for one in found[:top]], "nextLink": onward})


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
