"""What a live agent or a pipeline calls: evaluate and check."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from hooks import services
from hooks.services import records
from portal.api import ApiView


class EvaluateView(ApiView):
    """POST an event; answers the decision. A blocked event is still 200."""

    scopes: ClassVar = {"POST": "evaluate"}

    def post(self, request: Request) -> Response:
        event = services.read_event(self.body())
        return Response(records.describe(services.evaluate(agent=self.agent, request=event, by=self.by)))


class CheckView(ApiView):
    """POST an event with the hooks to put it through."""

    scopes: ClassVar = {"POST": "evaluate"}

    def post(self, request: Request) -> Response:
        event = services.read_check(self.body())
        return Response(records.describe(services.check(agent=self.agent, request=event, by=self.by)))
