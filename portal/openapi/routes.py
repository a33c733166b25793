"""The paths of the API, as the URLconf has them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from portal.api import ApiView

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
GROUP = re.compile(r"\(\?P<(\w+)>[^()]*\)")


@dataclass(frozen=True, slots=True)
class Route:
    """A path with its view. `parameters` are the view's names of what stands in braces, in order."""

    name: str
    path: str
    parameters: tuple[str, ...]
    view: type[ApiView]


def routes() -> list[Route]:
    """List every path that an ApiView serves."""
    return list(_walk(get_resolver().url_patterns, ""))


def _walk(patterns: Sequence[URLPattern | URLResolver], before: str) -> Iterator[Route]:
    for entry in patterns:
        written = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _walk(entry.url_patterns, written)
            continue
        view: Any = getattr(entry.callback, "view_class", None)
        if view is not None and issubclass(view, ApiView):
            yield _route(str(entry.name), written, view)


def _route(name: str, written: str, view: type[ApiView]) -> Route:
    plain = GROUP.sub(r"<\1>", written).removeprefix("^").removesuffix("$").replace("/?", "/")
    parameters = tuple(PARAMETER.findall(plain))
    return Route(name, "/" + PARAMETER.sub(lambda found: f"{{{camel(found[1])}}}", plain), parameters, view)


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
