"""What a user may do on which agent."""

from typing import Any

from django.apps import apps
from django.db.models import QuerySet

from portal.access.models import ROLE_SCOPES, SCOPES, Membership
from portal.errors import Forbidden


def agents_for(user: Any) -> QuerySet[Any]:
    """The agents that a user sees, by name: all of them for superusers, else those with a role."""
    agents: QuerySet[Any] = apps.get_model("agents", "Agent").objects.order_by("name")
    return agents if user.is_superuser else agents.filter(memberships__user=user)


def default_agent() -> Any:
    """The agent that serves where none is named; None before there is one."""
    return apps.get_model("agents", "Agent").objects.filter(is_default=True).first()


def scopes_for(user: Any, agent: Any) -> frozenset[str]:
    """What a user may do on `agent`; empty where there is no role."""
    if user.is_superuser:
        return frozenset(SCOPES)
    membership = Membership.objects.filter(user=user, agent=agent).only("role").first()
    return ROLE_SCOPES[membership.role] if membership else frozenset()


def agent_for(user: Any, name: str = "") -> Any:
    """Find the agent that `user` works with: the named one, else the default one, else the first. Raises Forbidden."""
    seen = agents_for(user)
    if name:
        # NUL, which PostgreSQL refuses even to look for, is in no name.
        found = None if "\x00" in name else seen.filter(name=name).first()
        if found is None:
            raise Forbidden(f"You have no role on the agent {name[:64]!r}, or there is no such agent.")
        return found
    found = seen.order_by("-is_default", "name").first()
    if found is None:
        raise Forbidden("You have no role on any agent. An admin gives roles on the page Members.")
    return found
