"""Sample contexts as resources."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from hooks import services
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS, unknown_event
from hooks.services import samples
from hooks.services.requests import check_size
from portal.api import ApiView
from portal.errors import Conflict


class SamplesView(ApiView):
    """GET the sample contexts by name; `?event=` for those of one event."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request) -> Response:
        rows = self.agent.samples.all()
        if event := request.query_params.get("event"):
            if event not in EVENTS:
                raise Invalid([Fault("event", "unknown_event", unknown_event(event))])
            rows = rows.filter(event=event)
        return self.page(rows, samples.describe, key="name")


class SampleView(ApiView):
    """GET, PUT or DELETE one sample context."""

    scopes: ClassVar = {"GET": "read", "PUT": "write", "DELETE": "write"}

    def get(self, request: Request, name: str) -> Response:
        sample = services.find_sample(agent=self.agent, name=name)
        return Response(samples.describe(sample), headers={"ETag": services.etag(sample)})

    def put(self, request: Request, name: str) -> Response:
        raw = self.body()
        if isinstance(raw, dict):
            check_size(raw.get("context"))
            if isinstance(raw.get("name"), str) and raw["name"] != name:
                raise Conflict(f"The body names {raw['name'][:64]!r}, the path {name[:64]!r}.", "name")
        values = services.read_sample(raw, agent_name=self.agent.name)
        conditions = self.preconditions()
        row, before = services.save_sample(agent=self.agent, name=name, values=values, by=self.by, **conditions)
        shown = samples.describe(row)
        return self.written(
            shown, before=before, after=shown, etag=services.etag(row), warnings=[], dry_run=conditions["dry_run"]
        )

    def delete(self, request: Request, name: str) -> Response:
        sample = services.find_sample(agent=self.agent, name=name)
        services.delete_sample(sample=sample, by=self.by, **self.conditions())
        return Response(status=204)
