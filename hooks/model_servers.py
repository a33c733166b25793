"""The model servers that tiers name: which of them may be called, with which key, and the connection to each.

An admin types a base URL; the operator decides, in the environment, what the portal may reach and where its keys go. So a key
is sent to the origins that the operator named beside it (OPENAI_BASE_URL, MODEL_KEYS), never to one that was only typed.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong

from django.conf import settings

from hooks.model_client import OpenAIClient
from portal import outbound
from portal.outbound import NotAllowed, Place

OPENAI = "https://api.openai.com/v1"
LOOK_UP_SECONDS = 5.0
OPEN_LIMIT = 64  # connections that are kept, each with a thread
VERDICT_SECONDS = 310.0  # what a verdict takes at most, so that what is closed after it is not in use

_open: "OrderedDict[str, OpenAIClient]" = OrderedDict()
_lock = threading.Lock()
_looking = ThreadPoolExecutor(max_workers=4, thread_name_prefix="look-up")


def check_url(text: str) -> str:
    """Check a base URL as it is saved; return it without a slash at its end. Raises ValueError with what is wrong."""
    url, place = outbound.read_base_url(text)
    if is_trusted(place):
        return url
    try:
        addresses = _looking.submit(outbound.look_up, place.host, place.port).result(LOOK_UP_SECONDS)
        guard(place.host, place.port, addresses)
    except TookTooLong:
        raise ValueError(f"names a host that could not be looked up within {LOOK_UP_SECONDS:.0f} s.") from None
    except OSError as error:
        raise ValueError(f"names a host that cannot be looked up: {error.strerror or error}.") from None
    except NotAllowed as refused:
        raise ValueError(f"is not allowed: {refused}") from None
    return url


def guard(host: str, port: int, addresses: Sequence[str]) -> None:
    """Look at where a connection would lead. Raises NotAllowed."""
    outbound.check(host, port, addresses, settings.MODEL_HOSTS_ALLOWED)


def anywhere(host: str, port: int, addresses: Sequence[str]) -> None:
    """Look at nothing: the operator named the place."""


def is_trusted(place: Place) -> bool:
    """Whether the operator named this very origin, as the place of a key or of the environment's own model server."""
    return place.origin in settings.MODEL_KEYS or is_environments(place)


def is_environments(place: Place) -> bool:
    """Whether it is the place of the environment's own model server."""
    return place == outbound.place_of(settings.OPENAI_BASE_URL or OPENAI)


def key_for(place: Place) -> str:
    """The key to send to an origin; empty where the operator named none for it."""
    if place.origin in settings.MODEL_KEYS:
        return str(settings.MODEL_KEYS[place.origin])
    return settings.OPENAI_API_KEY if is_environments(place) else ""


def client_of(base_url: str) -> OpenAIClient:
    """The connection to a server, kept for the next call. Connects to nothing yet."""
    with _lock:
        if base_url in _open:
            _open.move_to_end(base_url)
            return _open[base_url]
        place = outbound.place_of(base_url)  # None for what is no URL, which the call then says
        looked_at = guard if place is None or not is_trusted(place) else None if is_environments(place) else anywhere
        made = _open[base_url] = OpenAIClient(key_for(place) if place else "", base_url, looked_at)
        if len(_open) > OPEN_LIMIT:
            _, oldest = _open.popitem(last=False)
            late = threading.Timer(VERDICT_SECONDS, oldest.close)
            late.daemon = True
            late.start()
        return made


def close() -> None:
    """Close all connections, so that changed settings count. For tests."""
    with _lock:
        while _open:
            _open.popitem()[1].close()
