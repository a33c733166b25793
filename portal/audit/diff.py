"""A change, field by field."""

from collections.abc import Iterator, Mapping
from typing import Any


def diff(before: Any, after: Any) -> list[dict[str, Any]]:
    """List what differs, as `{"path", "before", "after"}`; a side that lacks the field has None."""
    return list(_walk("", before, after))


def _walk(path: str, before: Any, after: Any) -> Iterator[dict[str, Any]]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _walk(f"{path}.{key}" if path else str(key), before.get(key), after.get(key))
    elif (
        isinstance(before, list) and isinstance(after, list) and any(isinstance(one, Mapping) for one in before + after)
    ):
        for index in range(max(len(before), len(after))):
            old, new = (side[index] if index < len(side) else None for side in (before, after))
            yield from _walk(f"{path}[{index}]", old, new)
    elif before != after or isinstance(before, bool) is not isinstance(after, bool):
        yield {"path": path, "before": before, "after": after}
