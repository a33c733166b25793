"""/metrics, for Prometheus: what the processes of this machine count, and what stands at the moment of asking."""

import hmac
import ipaddress
import os

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from portal.http import client_address

REFUSED = "Metrics are for this machine alone, since METRICS_TOKEN is not set. Set it, and send it as 'Authorization: Bearer …'."


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer who has METRICS_TOKEN; where none is set, whoever asks on this machine and not through a proxy."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        if not hmac.compare_digest(given.encode(), settings.METRICS_TOKEN.encode()):
            answer = _text("Send 'Authorization: Bearer …' with the value of METRICS_TOKEN.\n", 401)
            answer["WWW-Authenticate"] = 'Bearer realm="metrics"'
            return answer
    elif not _on_this_machine(request):
        return _text(f"{REFUSED}\n", 403)
    now = CollectorRegistry()
    for place in settings.METRICS_NOW:
        now.register(import_string(place)())
    return HttpResponse(generate_latest(_counted()) + generate_latest(now), content_type=CONTENT_TYPE_LATEST)


def _counted() -> CollectorRegistry:
    """Find what is counted: in files that all processes write to, where bin/up named a directory for them."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def _on_this_machine(request: HttpRequest) -> bool:
    try:
        return "X-Forwarded-For" not in request.headers and ipaddress.ip_address(client_address(request)).is_loopback
    except ValueError:
        return False


def _text(text: str, status: int) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
