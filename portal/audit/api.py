"""The audit log as a resource: read by admins, written by nobody."""

from typing import Any, ClassVar

from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from hooks.engine.errors import Fault, Invalid
from portal import paging
from portal.api import ApiView
from portal.audit import exporting, filters, reading, showing
from portal.audit.models import AuditEvent
from portal.audit.verifying import verify
from portal.formats import JSONRenderer, YAMLRenderer

ANSWERED = ("json", *exporting.KINDS)


class StreamRenderer(BaseRenderer):
    """Stands for a kind that is written while it is read: it is never rendered, only asked for."""

    def render(self, data: Any, *_: Any) -> bytes:
        return JSONRenderer().render(data)


class CSVRenderer(StreamRenderer):
    media_type, format = "text/csv", "csv"


class JSONLRenderer(StreamRenderer):
    media_type, format = "application/jsonl", "jsonl"


class AuditView(ApiView):
    """GET the events, the newest first; with `?format=csv` or `jsonl` all of them as a stream."""

    scopes: ClassVar = {"GET": "admin"}

    def get_renderers(self) -> list[BaseRenderer]:
        return [JSONRenderer(), YAMLRenderer(), CSVRenderer(), JSONLRenderer()]

    def get(self, request: Request) -> HttpResponseBase:
        wanted = filters.read(request.query_params, agent=self.agent)
        format = self._format(request)
        if format != "json":
            return exporting.export(agent=self.agent, wanted=wanted, format=format, by=self.by)
        top, before = paging.asked(request, AuditEvent.objects.all(), ["-sequence"])
        place = before[0] if before else None
        found = reading.read_page(agent=self.agent, wanted=wanted, top=top, before=place, whole=True)
        link = paging.link(request, [found.older]) if found.older is not None else None
        return Response({"value": [showing.with_diff(event) for event in found.events], "nextLink": link})

    def _format(self, request: Request) -> Any:
        accepted = request.accepted_renderer.format
        asked = request.query_params.get("format") or (accepted if accepted in exporting.KINDS else "json")
        if asked not in ANSWERED:
            raise Invalid([Fault("format", "invalid_choice", f"must be one of {', '.join(ANSWERED)}.")])
        return asked


class VerifyView(ApiView):
    """GET whether the chain holds: walks along all of it."""

    scopes: ClassVar = {"GET": "admin"}

    def get(self, request: Request) -> Response:
        walk = verify()
        broken = {"sequence": walk.broken.sequence, "message": walk.broken.message} if walk.broken else None
        last = {"sequence": walk.sequence, "hash": walk.hash} if walk.count and not walk.broken else None
        return Response({"holds": walk.broken is None, "count": walk.count, "last": last, "broken": broken})


urlpatterns = [
    path("api/v2/audit", AuditView.as_view(), name="audit"),
    path("api/v2/audit/verify", VerifyView.as_view(), name="audit_verify"),
]
