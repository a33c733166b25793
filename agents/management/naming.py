"""Which agent a command is about."""

from django.core.management.base import CommandError

from agents.models import Agent
from agents.services import default_agent


def agent_named(name: str | None) -> Agent:
    """Find the named agent, or the default one. Raises CommandError."""
    found = Agent.objects.filter(name=name).first() if name else default_agent()
    if found is None:
        raise CommandError(f"There is no agent {name!r}." if name else "There is no agent yet: run setup_instance.")
    return found
