"""The document for programs, and the page on which people read it."""

from functools import cache
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api import ApiView
from portal.openapi.document import document
from portal.openapi.operations import Answer, Operation, Operations, Source

OPERATIONS: Operations = {
    "schema": {
        "GET": Operation(
            summary="Read this document",
            tag="This document",
            text="It holds no data of anybody's, so it needs no token.",
            answers={200: Answer(text="An OpenAPI 3.1 document.", schema={"type": "object"})},
            open=True,
        )
    }
}


class SchemaView(ApiView):
    """GET the OpenAPI document, in JSON or YAML."""

    scopes: ClassVar = {"GET": ""}
    authentication_classes = ()
    permission_classes = ()
    source: Source = Source(operations={}, schemas={})

    def get(self, request: Request) -> Response:
        return Response(_written(self.source))


@cache
def _written(source: Source) -> dict[str, Any]:
    return document(source)


@require_safe
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    """Show the document, with a way to try it. The cookie is there so that a signed-in browser may write."""
    return render(request, "portal/api.html")


@require_safe
def to_page(request: HttpRequest) -> HttpResponse:
    """Lead a person who looks for the page under /api/ to it: nothing there is HTML."""
    return HttpResponse(status=302, content_type="text/plain; charset=utf-8", headers={"Location": reverse("api_page")})
