"""Which hooks apply to an event: read anew for every evaluation (R11), and parsed only where they differ from the last time."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import OuterRef, Q, QuerySet, Subquery

from hooks.engine.errors import Notice
from hooks.engine.results import Candidate
from hooks.models import Hook, ThreadHook
from hooks.services import stored
from portal.prepared import Query, Row

READ = (
    *("pk", "custom_agent_id", "name", "event", "position", "activation_mode", "description", "enabled"),
    *("version", "content_hash", "options"),
)
PARSED_KEPT = 512  # hooks; a script has up to 64 KB


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicable:
    """The hooks of an event, in running order, and the custom agent that runs; None for the agent itself."""

    agent: list[Candidate]
    custom: list[Candidate]
    custom_agent: Any | None
    warnings: list[Notice]


def load(agent: Any, event: str, name: str, thread_key: str) -> Applicable:
    """Find the hooks that apply while `name`, as the event has it, runs."""
    custom_agent, warnings = running_agent(agent, name)
    query = _HOOKS[custom_agent is not None, bool(thread_key)]
    values = [agent.pk, event, *([custom_agent.pk] if custom_agent else []), *([thread_key] if thread_key else [])]
    found = [(row[1] is None, _parsed(row)) for row in query.rows(*values)]
    return Applicable(
        agent=[one for of_agent, one in found if of_agent],
        custom=[one for of_agent, one in found if not of_agent],
        custom_agent=custom_agent,
        warnings=warnings,
    )


@lru_cache(maxsize=PARSED_KEPT)
def _parsed(row: Row) -> Candidate:
    """`row` is all of what is stored that counts, so that what is kept can never be out of date."""
    values = dict(zip(READ, row, strict=True))
    return stored.candidate(Hook(**{**values, "enabled": bool(values["enabled"]), "options": json.loads(row[-1])}))


def running_agent(agent: Any, name: str) -> tuple[Any | None, list[Notice]]:
    """Find the custom agent that runs; None for the agent itself, and with a warning for a name that is unknown."""
    if name.lower() == agent.name.lower():
        return None, []
    if len(name) <= 64 and "\x00" not in name:
        # The same as the lookup does with a value that it knows beforehand.
        rows = _CUSTOM_AGENT.rows(agent.pk, connection.ops.prep_for_iexact_query(name))
        if rows:
            return _custom_agents().model.from_db(DEFAULT_DB_ALIAS, ("id", "agent_id", "name"), rows[0]), []
    message = f"{name[:100]!r} is no custom agent of {agent.name!r}, so only the agent-level hooks were run."
    return None, [Notice("context.agent_name", "unknown_agent", message)]


def applicable(agent: Any, event: str, custom_agent: Any | None, thread_key: str) -> QuerySet[Hook]:
    """Find, in one query, the hooks that are enabled and active in the thread, in running order (R7, R8, R10)."""
    hooks = Hook.objects.filter(agent=agent, event=event, enabled=True).order_by("position", "pk")
    hooks = (
        hooks.filter(Q(custom_agent=None) | Q(custom_agent=custom_agent))
        if custom_agent
        else hooks.filter(custom_agent=None)
    )
    if not thread_key:
        return hooks.exclude(custom_agent=None, activation_mode="onDemand")
    states = ThreadHook.objects.filter(thread__agent=agent, thread__key=thread_key, hook=OuterRef("pk"))
    hooks = hooks.annotate(active_here=Subquery(states.values("active")[:1]))
    on = Q(active_here=True) | (Q(active_here=None) & Q(activation_mode="always"))
    return hooks.filter(Q(custom_agent__isnull=False) | on)


def _custom_agents() -> Any:
    return apps.get_model("agents", "CustomAgent")._default_manager


_CUSTOM_AGENT = Query(
    lambda agent, name: _custom_agents().filter(agent=agent, name__iexact=name).values_list("id", "agent_id", "name"),
    *(int, str),
)
_HOOKS = {
    (False, False): Query(lambda a, e: applicable(a, e, None, "").values_list(*READ), int, str, plain=True),
    (True, False): Query(lambda a, e, c: applicable(a, e, c, "").values_list(*READ), int, str, int, plain=True),
    (False, True): Query(lambda a, e, t: applicable(a, e, None, t).values_list(*READ), int, str, str, plain=True),
    (True, True): Query(lambda a, e, c, t: applicable(a, e, c, t).values_list(*READ), int, str, int, str, plain=True),
}
