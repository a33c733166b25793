"""Secrets masked in what is stored and logged, by the patterns of the engine and of the settings."""

from functools import cache
from typing import Any

from django.conf import settings

from hooks.engine.redaction import Redactor


@cache
def redactor() -> Redactor:
    return Redactor(settings.REDACT_PATTERNS, settings.REDACT_NAMES)


def redact(value: Any) -> Any:
    """Mask the secrets in a text or a JSON value; what holds none comes back as it is."""
    return redactor().value(value)
