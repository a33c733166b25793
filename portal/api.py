"""What every endpoint under /api/ shares: who, which agent, the body, errors in one shape."""

import io
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from hooks.engine.errors import Fault, Invalid, Notice
from portal import http, paging
from portal.access.actors import Actor, actor_of
from portal.access.models import ApiToken
from portal.audit.diff import diff
from portal.errors import Malformed, Refused, TooLarge
from portal.formats import JSONParser, MergePatchParser

TOO_LARGE = f"The body has more than {settings.BODY_LIMIT:,} bytes, which is the most allowed."


class Negotiation(DefaultContentNegotiation):
    """By Accept alone: `?format=` has a meaning of its own on some endpoints."""

    settings: Any = SimpleNamespace(URL_FORMAT_OVERRIDE=None)


class ApiView(APIView):
    """A class per path, a method per verb. `scopes` names what each method takes; `agent` is set with the permission."""

    scopes: ClassVar[dict[str, str]] = {}
    content_negotiation_class = Negotiation
    metadata_class = None
    agent: Any = None
    exceeded = 0

    @staticmethod
    def _buffer_chunks(request: HttpRequest) -> None:
        """Read a body without a length, which Django takes for empty, from a server that ends the stream itself."""
        if not request.META.get("wsgi.input_terminated"):
            return
        data = request.META["wsgi.input"].read(settings.BODY_LIMIT + 1)
        if len(data) > settings.BODY_LIMIT:
            raise TooLarge(TOO_LARGE)
        request.META["CONTENT_LENGTH"] = str(len(data))
        request._stream = io.BytesIO(data)

    def get_parsers(self) -> list[BaseParser]:
        """A patch is JSON alone: in YAML a null is too easily written by leaving something out."""
        if self.request.method == "PATCH":
            return [MergePatchParser(), JSONParser()]
        return [parser() for parser in self.parser_classes]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if content_length(request) > settings.BODY_LIMIT:
            raise TooLarge(TOO_LARGE)
        super().initial(request, *args, **kwargs)
        # Not before it is known who sends it, and that they may.
        if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
            self._buffer_chunks(request._request)

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        refusal = exceptions.Throttled(wait)  # which would add a sentence of its own to a detail
        limit = f"at most {self.exceeded:,} requests a minute are allowed here"
        refusal.detail = exceptions.ErrorDetail(f"Too many requests: {limit}. Try again in {math.ceil(wait or 1)} s.")
        raise refusal

    @property
    def by(self) -> Actor:
        token = self.request.auth
        return actor_of(self.request._request, token if isinstance(token, ApiToken) else None)

    def body(self, *, optional: bool = False) -> Any:
        """Read the body. An empty one is {} where it is `optional`, else Malformed."""
        if content_length(self.request) == 0:
            if optional:
                return {}
            raise Malformed("The body is empty.")
        return self.request.data

    def no_body(self) -> None:
        """Read the body of a call that needs none: it is empty, or {}. Raises Invalid."""
        if self.body(optional=True) != {}:
            raise Invalid([Fault("", "unknown_field", "The body must be empty, or {}.")])

    @property
    def wants_yaml(self) -> bool:
        return bool(self.request.accepted_renderer.format == "yaml")

    def preconditions(self) -> dict[str, Any]:
        """Read If-Match, If-None-Match and ?dryRun as the arguments of a service."""
        create_only = self.request.headers.get("If-None-Match", "").strip() == "*"
        return {**self.conditions(), "create_only": create_only}

    def conditions(self) -> dict[str, Any]:
        """Read what counts for one that is there: If-Match and ?dryRun, as the arguments of a service."""
        return {"expected": self.request.headers.get("If-Match"), "dry_run": self.flag("dryRun")}

    def flag(self, name: str) -> bool:
        """Read a yes or no of the query string. Raises Invalid."""
        value = self.request.query_params.get(name, "false")
        if value.lower() not in ("true", "false"):
            raise Invalid([Fault(name, "invalid_choice", "must be true or false.")])
        return value.lower() == "true"

    def written(
        self, shown: Any, *, before: Any, after: Any, etag: str, warnings: list[Notice], dry_run: bool
    ) -> Response:
        """Answer a write: what is stored now, with the warnings, and on a dry run with the difference."""
        body = dict(shown)
        if warnings:
            body["warnings"] = [notice(one) for one in warnings]
        if dry_run:
            body["diff"] = diff(before or {}, after)
            return Response(body)
        return Response(body, status=200 if before is not None else 201, headers={"ETag": etag})

    def page(self, rows: Any, show: Callable[[Any], Any], *, key: str) -> Response:
        """Answer a list, a page at a time, in the order of the unique columns `key`."""
        return Response(paging.page(self.request, rows, show, key=key))


def content_length(request: Request) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def notice(one: Notice | Fault) -> dict[str, str]:
    return {"target": one.target, "code": one.code, "message": one.message}


@csrf_exempt
def nothing_here(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Answer every path under /api/ that is none."""
    hint = " Paths have no slash at the end." if request.path_info.endswith("/") else ""
    return http.error(404, f"There is nothing at this path.{hint}", request)


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer a refusal in the documented shape; None for a bug, which the server's last resort answers."""
    if isinstance(error, Invalid):
        return problem(400, "ValidationFailure", _summary(error), details=[notice(fault) for fault in error.faults])
    if isinstance(error, Refused):
        details = [{"target": error.target, "code": error.code, "message": error.message}] if error.target else []
        return problem(error.status, error.code, error.message, details=details)
    if isinstance(error, exceptions.APIException):
        return _from_framework(error, context["request"].method)
    if isinstance(error, RequestDataTooBig):
        return problem(413, "PayloadTooLarge", "The body is too large.")
    if isinstance(error, (SuspiciousOperation, UnreadablePostError)):
        return problem(400, "MalformedBody", "The request could not be read to its end, or is not sound.")
    if isinstance(error, Http404):
        return problem(404, "NotFound", "There is nothing at this path.")
    if isinstance(error, PermissionDenied):
        return problem(403, "Forbidden", str(error) or "This is not allowed.")
    return None


BODIES = "application/json or application/yaml"
_FRAMEWORK = {
    400: "MalformedBody",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    415: "UnsupportedMediaType",
    429: "TooManyRequests",
}


def _from_framework(error: exceptions.APIException, method: str | None) -> Response:
    status, headers = error.status_code, {}
    message = str(error.detail)
    if isinstance(error, exceptions.UnsupportedMediaType):
        kinds = "application/merge-patch+json or application/json" if method == "PATCH" else BODIES
        message = f"Send the body as {kinds}, and name it in Content-Type."
    elif isinstance(error, exceptions.NotAcceptable):
        message = "The answer can be application/json or application/yaml."
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(max(1, int(wait)))
    return problem(status, _FRAMEWORK.get(status, "Error"), message, headers=headers)


def problem(
    status: int,
    code: str,
    message: str,
    *,
    details: list[dict[str, str]] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    body = {"error": {"code": code, "message": message, "details": details or []}}
    return Response(body, status=status, headers=headers)


def _summary(invalid: Invalid) -> str:
    count = len(invalid.faults)
    first = invalid.faults[0]
    said = f"{first.target} {first.message}" if first.target else first.message
    return said if count == 1 else f"{count} faults. The first: {said}"
