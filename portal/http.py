"""What concerns every request: its id, where it came from, page or fragment, and answers of last resort."""

import ipaddress
import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

request_id: ContextVar[str] = ContextVar("request_id", default="")
OF_THE_BODY = {"Content-Type", "Content-Length", "Content-Encoding", "Location"}
_SOUND_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
CODES = {
    400: "MalformedBody",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    413: "PayloadTooLarge",
    500: "InternalError",
}


class RequestIdMiddleware:
    """Give each request an id, the caller's own where it is sound, and put it on the response.

    Being outermost it also sees every answer, so it makes sure that none under /api/ is HTML.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-Id", "")
        known = given if _SOUND_ID.fullmatch(given) else uuid.uuid4().hex
        request.request_id = known  # type: ignore[attr-defined]
        token = request_id.set(known)
        try:
            response = self.get_response(request)
        finally:
            request_id.reset(token)
        if for_programs(request) and not _for_programs(response):
            response = _for_program(response, request)
        response["X-Request-Id"] = known
        return response


def _for_programs(response: HttpResponseBase) -> bool:
    kind = response.get("Content-Type", "")
    if response.status_code < 400:
        return not kind.startswith("text/html")
    return not kind or kind.startswith(("application/json", "application/yaml"))


def _for_program(page: HttpResponseBase, request: HttpRequest) -> HttpResponseBase:
    """Say in JSON what a page says, with the headers that middlewares gave it."""
    status = page.status_code
    if status < 400:
        status, message = 403, "The API is served over HTTPS only. A token that was sent in clear should be revoked."
    else:
        message = _plain(status)
    answer = error(status, message, request)
    for name, value in page.headers.items():
        if name not in OF_THE_BODY:
            answer.headers.setdefault(name, value)
    return answer


def for_programs(request: HttpRequest) -> bool:
    """Whether the answer is read by a program, so that it must never be HTML."""
    return request.path_info == "/api" or request.path_info.startswith("/api/")


def error(
    status: int, message: str, request: HttpRequest, *, code: str = "", details: list[dict[str, Any]] | None = None
) -> JsonResponse:
    """Answer an error in the documented shape, where no view is there to do it."""
    body: dict[str, Any] = {"code": code or CODES.get(status, "Error"), "message": message, "details": details or []}
    if status >= 500:
        body["requestId"] = getattr(request, "request_id", "")
    return JsonResponse({"error": body}, status=status)


def _plain(status: int) -> str:
    return {
        400: "The request cannot be read.",
        403: "The request was refused.",
        404: "There is nothing at this path.",
        405: "This method is not possible here.",
        413: "The body is too large.",
    }.get(status, "Something went wrong in the portal. The request id finds it in the log.")


def client_address(request: HttpRequest) -> str:
    """Tell the caller's address; what X-Forwarded-For says counts only from a proxy in TRUSTED_PROXIES."""
    address: str = request.META.get("REMOTE_ADDR", "")
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",") if hop.strip()]
    while hops and _trusted(address):
        address = hops.pop()
    return address[:64]


def _trusted(address: str) -> bool:
    try:
        place = ipaddress.ip_address(address)
        return any(place in ipaddress.ip_network(proxy, strict=False) for proxy in settings.TRUSTED_PROXIES)
    except ValueError:
        return False


def wants_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of the page: not so when it restores history or boosts a link."""
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx) and not htmx.history_restore_request and not htmx.boosted


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return last_resort(request, 413 if isinstance(exception, RequestDataTooBig) else 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return last_resort(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return last_resort(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    return last_resort(request, 500)


def last_resort(request: HttpRequest, status: int) -> HttpResponse:
    """Answer where no view could: JSON to programs, else the page `templates/{status}.html`, else one line of text."""
    from django.template import TemplateDoesNotExist
    from django.template.loader import render_to_string

    if for_programs(request):
        return error(status, _plain(status), request)
    try:
        return HttpResponse(render_to_string(f"{status}.html", {"request": request}), status=status)
    except TemplateDoesNotExist:
        return HttpResponse(_plain(status), status=status, content_type="text/plain; charset=utf-8")
