"""All hooks of an agent and of its custom agents as one document."""

from typing import ClassVar

from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from agents import services
from portal.api import ApiView, notice
from portal.errors import PreconditionFailed
from portal.formats import JSONRenderer, YAMLRenderer


class BundleView(ApiView):
    """GET the bundle, in YAML unless JSON is asked for. PUT stores one; `?prune=true` deletes what it lacks."""

    scopes: ClassVar = {"GET": "read", "PUT": "write"}

    def get_renderers(self) -> list[BaseRenderer]:
        renderers: list[BaseRenderer] = [JSONRenderer(), YAMLRenderer()]
        return renderers if self.request.method == "PUT" else renderers[::-1]

    def get(self, request: Request) -> Response:
        bundle = services.dump_bundle(agent=self.agent)
        return Response(bundle, headers={"ETag": services.etag_of(bundle)})

    def put(self, request: Request) -> Response:
        conditions = self.preconditions()
        if conditions.pop("create_only"):
            raise PreconditionFailed("There is a bundle of every agent, and If-None-Match: * asks for a new one only.")
        loaded = services.load_bundle(
            agent=self.agent, bundle=self.body(), prune=self.flag("prune"), by=self.by, **conditions
        )
        body = {**loaded.bundle, "diff": loaded.differences}
        if loaded.warnings:
            body["warnings"] = [notice(one) for one in loaded.warnings]
        headers = {} if conditions["dry_run"] else {"ETag": services.etag_of(loaded.bundle)}
        return Response(body, headers=headers)
