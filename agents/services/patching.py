"""Custom agents changed in part, by a merge patch (RFC 7396) of either of their shapes."""

from collections.abc import Mapping

from agents.documents import KIND_V1, ParsedAgent, parse_agent
from agents.models import Agent
from agents.services.custom import SavedAgent, document_of, envelope_of, find_custom_agent, save_custom_agent
from hooks import runtime
from hooks import services as hooks
from hooks.engine.errors import Fault, Invalid
from hooks.engine.mergepatch import merge
from portal.access.actors import Actor
from portal.errors import PreconditionFailed

TRIES = 50
OF_V2 = f"must not be {KIND_V1}: a patch is of the v2 document or of the JSON envelope. PUT a v1 document as a whole."


def patch_custom_agent(
    *,
    agent: Agent,
    name: str,
    patch: object,
    expected: str | None = None,
    create_only: bool = False,
    dry_run: bool = False,
    by: Actor,
) -> tuple[SavedAgent, ParsedAgent]:
    """Change what `patch` names, and nothing else; a list, of hooks too, is replaced as a whole.

    Nothing is locked while sources are parsed: where somebody else changes it meanwhile, it begins again.
    Raises NotFound, Invalid, Conflict, PreconditionFailed.
    """
    as_document = isinstance(patch, Mapping) and "properties" not in patch and bool({"spec", "kind"} & patch.keys())
    if isinstance(patch, Mapping) and as_document and patch.get("kind") == KIND_V1:
        raise Invalid([Fault("kind", "invalid_choice", OF_V2)])
    tools = tuple(hooks.known_tools(agent))
    for left in reversed(range(TRIES)):
        found = find_custom_agent(agent=agent, name=name)
        hooks.check_precondition(found, expected=expected, create_only=create_only)
        target = document_of(found) if as_document else envelope_of(found)
        parsed = parse_agent(merge(target, patch), syntax=runtime.syntax(), tools=tools)
        try:
            saved = save_custom_agent(
                agent=agent,
                # Where the patch gives no name, the one in the path may differ from the stored one in its case.
                name=found.name if parsed.name == found.name else name,
                parsed=parsed,
                expected=hooks.etag(found),
                dry_run=dry_run,
                by=by,
            )
        except PreconditionFailed:
            if not left:
                raise
        else:
            return saved, parsed
    raise AssertionError("unreachable")
