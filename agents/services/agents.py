"""Agents themselves."""

import re

from django.db import transaction

from agents.models import Agent
from hooks.engine.errors import Fault, Invalid
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import Conflict

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@transaction.atomic
def create_agent(*, name: str, is_default: bool = False, by: Actor) -> Agent:
    """Add an agent. The first one becomes the default. Raises Invalid, Conflict."""
    if not NAME.fullmatch(name):
        message = "must have 1 to 64 letters, digits, hyphens and underscores, the first a letter or digit."
        raise Invalid([Fault("name", "invalid_name", message)])
    if Agent.objects.filter(name__iexact=name).exists():
        raise Conflict(f"There is an agent {name!r} already.", "name")
    default = Agent.objects.filter(is_default=True)
    if is_default:
        default.update(is_default=False)
    agent = Agent.objects.create(name=name, is_default=is_default or not default.exists())
    after = {"name": agent.name, "isDefault": agent.is_default}
    record(
        Verb.AGENT_CREATED,
        by=by,
        object_type="agent",
        object_key=agent.pk,
        object_text=agent.name,
        agent_name=agent.name,
        after=after,
    )
    return agent


def default_agent() -> Agent | None:
    """The agent that serves where none is named."""
    return Agent.objects.order_by("-is_default", "name").first()
