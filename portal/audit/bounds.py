"""What the audit log keeps of very large objects: everything but the texts that make them large."""

import hashlib
from collections.abc import Mapping
from typing import Any

from hooks.engine import strictjson

LIMIT = 1024 * 1024
TEXT = 4_000


def fit(value: Any) -> str | None:
    """Write `value` as JSON of at most 1 MiB; None stays None. A text that is left out is named by its length and hash."""
    if value is None:
        return None
    written = strictjson.dumps(value)
    if len(written) > LIMIT:
        written = strictjson.dumps(_shortened(value))
    return written if len(written) <= LIMIT else strictjson.dumps(_named(written))


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > TEXT:
        return _named(value)
    if isinstance(value, Mapping):
        return {key: _shortened(inner) for key, inner in value.items()}
    return [_shortened(inner) for inner in value] if isinstance(value, list) else value


def _named(text: str) -> str:
    return f"({len(text):,} characters, SHA-256 {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()})"
