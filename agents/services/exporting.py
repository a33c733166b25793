"""Agent-level hooks written as a bundle for a person to take away, which the audit log tells."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from agents.models import Agent
from agents.services.bundle_reading import KIND, VERSION
from agents.services.bundles import dump_bundle
from hooks.models import Hook
from hooks.services import stored
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb


@transaction.atomic
def export_bundle(*, agent: Agent, hooks: Sequence[Hook] | None = None, by: Actor) -> dict[str, Any]:
    """Write these agent-level hooks, or by default all hooks and custom agents."""
    if hooks is None:
        bundle = dump_bundle(agent=agent)
    else:
        written = [stored.document(hook) for hook in hooks]
        bundle = {"api_version": VERSION, "kind": KIND, "metadata": {"agent": agent.name}, "hooks": written}
    names = [hook["name"] for hook in bundle["hooks"]]
    after = {"hooks": names, "customAgents": [one["metadata"]["name"] for one in bundle.get("agents", [])]}
    record(
        Verb.EXPORTED,
        by=by,
        object_type="bundle",
        object_text=f"{len(names)} hooks",
        agent_name=agent.name,
        after=after,
    )
    return bundle
