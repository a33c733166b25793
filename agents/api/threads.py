"""Threads as records: the list, and one with all that was said in it. People play them in the portal."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from agents.playground import export
from hooks.api.threads import sound
from portal.api import ApiView
from portal.errors import NotFound


class ThreadsView(ApiView):
    """GET the threads, the newest first."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request) -> Response:
        return self.page(self.agent.threads.defer("draft"), export.summarise, key="-id")


class ThreadView(ApiView):
    """GET one thread with its entries; of a live agent's thread the portal has none."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request, thread_id: str) -> Response:
        found = self.agent.threads.filter(key=sound(thread_id)).first()
        if found is None:
            raise NotFound(f"There is no thread {thread_id[:64]!r} on the agent {self.agent.name!r}.")
        return Response(export.describe(found, list(found.entries.order_by("number"))))
