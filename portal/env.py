"""Typed readers of environment variables that refuse nonsense by name and value."""

import ipaddress
import os
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured

from hooks.engine import matcher

YES, NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def boolean(name: str, default: bool = False) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word not in YES | NO:
        raise ImproperlyConfigured(f"{name} must be on or off, not {value!r}.")
    return word in YES


def integer(name: str, default: int, *, least: int = 0, most: int | None = None) -> int:
    value = text(name)
    if not value:
        return default
    bounds = f"at least {least:,}" if most is None else f"from {least:,} to {most:,}"
    if not value.lstrip("-").isdecimal() or int(value) < least or (most is not None and int(value) > most):
        raise ImproperlyConfigured(f"{name} must be a whole number, {bounds}, not {value!r}.")
    return int(value)


def words(name: str, default: Sequence[str] = ()) -> list[str]:
    """Read a comma-separated list."""
    value = os.environ.get(name)
    return list(default) if value is None else [word.strip() for word in value.split(",") if word.strip()]


def patterns(name: str) -> list[str]:
    """Read regular expressions, one a line."""
    lines = [line.strip() for line in text(name).splitlines() if line.strip()]
    for number, line in enumerate(lines, 1):
        try:
            matcher.check(line)
        except matcher.InvalidMatcher as invalid:
            said = str(invalid).replace("matcher", "pattern")
            raise ImproperlyConfigured(f"{name}, pattern {number}, {line[:100]!r}: {said}") from None
        if matcher.matches(line, ""):
            raise ImproperlyConfigured(f"{name}, pattern {number}, {line[:100]!r}: it matches where there is nothing.")
    return lines


def networks(name: str) -> list[str]:
    """Read a comma-separated list of addresses and networks."""
    found = words(name)
    for word in found:
        try:
            ipaddress.ip_network(word, strict=False)
        except ValueError:
            raise ImproperlyConfigured(f"{name} must hold addresses or networks, not {word!r}.") from None
    return found
