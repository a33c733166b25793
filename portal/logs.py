"""Lines of the log without secrets: whatever writes them, and tracebacks too."""

import logging
import os
import re
from collections.abc import Iterable
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings

SHORTEST = 8  # a shorter value is a word that lines may well hold
SECRET = re.compile(r"KEY|SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL", re.IGNORECASE)
PATTERNS = re.compile(
    r"""
    (?P<token>\bhk_)[A-Za-z0-9_-]{16,}                                  # an API token of the portal
    | (?P<scheme>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}           # an Authorization header
    | (?P<key>\b(?:sk|pk|rk|ghp|gho|github_pat|xox[abprs])[-_])[A-Za-z0-9_-]{16,}
    | (?P<user>://[^\s:/@]{0,100}:)[^\s/@]{1,500}(?=@)                  # a password in a URL
    | (?P<cookie>\b(?:__Host-)?(?:sessionid|csrftoken)=)[A-Za-z0-9]{16,}
    | (?P<field>["']?\b(?:password|passwd|secret|api_?key|csrfmiddlewaretoken)["']?\s*[=:]\s*["']?)[^\s"',;&]{6,}
    """,
    re.IGNORECASE | re.VERBOSE,
)
GONE = "[redacted]"


class Formatter(logging.Formatter):
    """Formats as the standard one does, and takes the secrets out of what comes of it."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))


def redacted(text: str) -> str:
    """Take out the portal's own secrets, whatever they look like, and whatever looks like anybody's."""
    for secret in known():
        text = text.replace(secret, GONE)
    return PATTERNS.sub(lambda found: f"{found[found.lastgroup or 0]}{GONE}", text)


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
