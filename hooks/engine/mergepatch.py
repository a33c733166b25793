"""JSON Merge Patch (RFC 7396)."""

from collections.abc import Mapping
from typing import Any


def merge(target: Any, patch: Any) -> Any:
    """Return `target` as `patch` changes it. A null takes a field away; fields keep their place, new ones follow them."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged
