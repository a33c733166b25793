"""Lines of the log without secrets: whatever writes them, and tracebacks too."""

import logging
import os
import re
from collections.abc import Iterable
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings

from hooks.engine.redaction import MASK, Redactor

SHORTEST = 8  # a shorter value is a word that lines may well hold
SECRET = re.compile(r"KEY|SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL", re.IGNORECASE)


class Formatter(logging.Formatter):
    """Formats as the standard one does, and takes the secrets out of what comes of it."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))


def redacted(text: str) -> str:
    """Take out the portal's own secrets, whatever they look like, and whatever looks like anybody's."""
    for secret in known():
        text = text.replace(secret, MASK)
    return _redactor().text(text)


@cache
def _redactor() -> Redactor:
    return Redactor(settings.REDACT_PATTERNS, settings.REDACT_NAMES)


@cache
def known() -> tuple[str, ...]:
    """The secrets of this process, the longest first: those of its environment, and those that settings found elsewhere."""
    values = {value for name, value in os.environ.items() if SECRET.search(name)}
    values |= {settings.SECRET_KEY, *settings.MODEL_KEYS.values(), *_passwords([settings.REDIS_URL])}
    values |= set(_passwords(os.environ.values()))
    values |= {str(database.get("PASSWORD", "")) for database in settings.DATABASES.values()}
    return tuple(sorted((value for value in values if len(value) >= SHORTEST), key=len, reverse=True))


def _passwords(urls: Iterable[Any]) -> Iterable[str]:
    for url in urls:
        try:
            password = urlsplit(str(url)).password
        except ValueError:
            continue
        if password:
            yield from (password, unquote(password))
