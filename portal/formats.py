"""JSON and YAML, in and out."""

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from hooks.engine import strictjson, yamldoc
from hooks.engine.errors import Invalid
from portal.errors import Malformed, TooLarge


class JSONParser(BaseParser):
    """Strict JSON of at most 64 MiB. Raises Malformed, TooLarge."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        data = read(stream, settings.BODY_LIMIT)
        try:
            return strictjson.loads(data)
        except ValueError as error:
            raise Malformed(f"The body is not JSON: {_sentence(error)}.") from None


class MergePatchParser(JSONParser):
    """A merge patch (RFC 7396) in its own media type."""

    media_type = "application/merge-patch+json"


class YAMLParser(BaseParser):
    """YAML of at most 1 MiB, read safely. Raises Malformed, TooLarge."""

    media_type = "application/yaml"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        data = read(stream, yamldoc.LIMIT)
        try:
            return yamldoc.load(data)
        except Invalid as invalid:
            raise Malformed(f"The body is not YAML: {invalid.faults[0].message}") from None


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None:
            return b""
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


class YAMLRenderer(BaseRenderer):
    media_type = "application/yaml"
    format = "yaml"
    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"" if data is None else yamldoc.dump(data).encode("utf-8", "replace")


def read(stream: IO[Any], limit: int) -> bytes:
    """Read a body to its end. Raises TooLarge past `limit` bytes."""
    data: bytes = stream.read(limit + 1)
    if len(data) > limit:
        raise TooLarge(f"The body has more than {limit:,} bytes, which is the most allowed.")
    return data


def _sentence(error: ValueError) -> str:
    return str(error).rstrip(".")
