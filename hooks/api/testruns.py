"""Test runs: asked for, looked at, cancelled."""

from typing import ClassVar

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from hooks import services
from portal.api import ApiView


class TestRunsView(ApiView):
    """POST a test run; answers 202 and where to look."""

    scopes: ClassVar = {"POST": "evaluate"}

    def post(self, request: Request) -> Response:
        run = services.create_test_run(agent=self.agent, body=self.body(), by=self.by)
        place = reverse("api:test_run", args=[run.pk])
        return Response(services.describe_test_run(run), status=202, headers={"Location": place})


class TestRunView(ApiView):
    """GET a test run with its results so far."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request, run_id: str) -> Response:
        return Response(services.describe_test_run(services.find_test_run(agent=self.agent, run_id=run_id)))


class CancelTestRunView(ApiView):
    """POST to stop a test run, the hook's process included."""

    scopes: ClassVar = {"POST": "evaluate"}

    def post(self, request: Request, run_id: str) -> Response:
        self.no_body()
        run = services.find_test_run(agent=self.agent, run_id=run_id)
        return Response(services.describe_test_run(services.cancel_test_run(run=run)))
