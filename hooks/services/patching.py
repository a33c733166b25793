"""Agent-level hooks changed in part, by a merge patch (RFC 7396)."""

from collections.abc import Mapping
from typing import Any

from hooks import runtime
from hooks.engine.envelope import parse_agent_hook
from hooks.engine.errors import Invalid, Notice
from hooks.engine.mergepatch import merge
from hooks.engine.parsing import SNAKE
from hooks.services import stored
from hooks.services.configuration import Saved, check_precondition, etag, find_hook, put_hook
from hooks.services.tools import known_tools
from portal.access.actors import Actor
from portal.errors import PreconditionFailed

TRIES = 50


def patch_hook(
    *,
    agent: Any,
    name: str,
    patch: object,
    expected: str | None = None,
    create_only: bool = False,
    dry_run: bool = False,
    by: Actor,
) -> tuple[Saved, list[Notice]]:
    """Change what `patch` names, and nothing else; a null gives a field its default. Returns the warnings too.

    Nothing is locked while sources are parsed: where somebody else changes the hook meanwhile, it begins again.
    Raises NotFound, Invalid, PreconditionFailed.
    """
    tools = known_tools(agent)
    for left in reversed(range(TRIES)):
        hook = find_hook(agent=agent, name=name)
        check_precondition(hook, expected=expected, create_only=create_only)
        merged = merge(stored.document(hook), canonical(patch))
        parsed = parse_agent_hook(merged, name=name, syntax=runtime.syntax(), known_tools=tools)
        if parsed.spec is None:
            raise Invalid(parsed.faults)
        try:
            saved = put_hook(
                agent=agent,
                spec=parsed.spec,
                tags=parsed.tags,
                owner=parsed.owner,
                expected=etag(hook),
                dry_run=dry_run,
                by=by,
            )
        except PreconditionFailed:
            if not left:
                raise
        else:
            return saved, parsed.warnings
    raise AssertionError("unreachable")


def canonical(patch: Any) -> Any:
    """Give the options in a patch the names that the hook has them under, or a snake_case one would stand beside."""
    if not isinstance(patch, Mapping) or not isinstance(patch.get("properties"), Mapping):
        return patch
    properties = _renamed(patch["properties"])
    if isinstance(properties.get("hook"), Mapping):
        properties["hook"] = _renamed(properties["hook"])
    return {**patch, "properties": properties}


def _renamed(options: Mapping[str, Any]) -> dict[str, Any]:
    # Both spellings at once are left as they are: that is a fault, and parsing names it.
    return {SNAKE[key] if key in SNAKE and SNAKE[key] not in options else key: options[key] for key in options}
