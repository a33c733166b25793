"""What a live agent or a pipeline calls: evaluate and check."""

import time
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from hooks import services
from hooks.services import records
from portal.api import ApiView


class EvaluateView(ApiView):
    """POST an event; answers the decision. A blocked event is still 200."""

    scopes: ClassVar = {"POST": "evaluate"}
    authenticated_ms = 0.0

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        start = time.perf_counter()
        super().initial(request, *args, **kwargs)
        self.authenticated_ms = since(start)

    def post(self, request: Request) -> Response:
        start = time.perf_counter()
        event = services.read_event(self.body())
        event.stages |= {"auth": self.authenticated_ms, "read": since(start)}
        record = services.evaluate(agent=self.agent, request=event, by=self.by)
        return Response(
            records.describe(record), headers={"Server-Timing": server_timing(event.stages, record.store_ms)}
        )


def since(start: float) -> float:
    """Return the milliseconds since `start`, of time.perf_counter()."""
    return round((time.perf_counter() - start) * 1000, 3)


def server_timing(stages: dict[str, float], store_ms: float | None) -> str:
    """Tell what the time went into."""
    stages = stages if store_ms is None else {**stages, "store": store_ms}
    return ", ".join(f"{stage};dur={taken:.2f}" for stage, taken in stages.items())


class CheckView(ApiView):
    """POST an event with the hooks to put it through."""

    scopes: ClassVar = {"POST": "evaluate"}

    def post(self, request: Request) -> Response:
        event = services.read_check(self.body())
        return Response(records.describe(services.check(agent=self.agent, request=event, by=self.by)))
