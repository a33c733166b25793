"""What a new portal begins with: an admin, the agent, the demo."""

import secrets
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from agents.models import Agent
from agents.services.agents import create_agent, default_agent
from agents.services.bundles import load_bundle
from hooks import services as hooks
from hooks.engine import yamldoc
from portal.access.actors import Actor

ADMIN, AGENT = "admin", "sre-agent"
DEMO = Path(__file__).resolve().parent.parent.parent / "hooks" / "demo"
BY = Actor.system("setup_instance")


def ensure_admin(password: str) -> str | None:
    """Make the first admin where there is no superuser yet; return the password if it had to be made up."""
    users: Any = get_user_model().objects
    if users.filter(is_superuser=True).exists():
        return None
    chosen = password or secrets.token_urlsafe(12)
    users.create_superuser(ADMIN, email="", password=chosen)
    return None if password else chosen


@transaction.atomic
def ensure_content(*, demo: bool) -> None:
    """Make the agent, with the demo in it, where there is none yet: a demo that somebody emptied does not come back."""
    if default_agent() is None:
        agent = create_agent(name=AGENT, is_default=True, by=BY)
        if demo:
            load_demo(agent)


def load_demo(agent: Agent) -> None:
    """Store the demo's hooks, custom agents and samples."""
    load_bundle(agent=agent, bundle=yamldoc.load((DEMO / "bundle.yaml").read_bytes()), by=BY)
    for name, raw in yamldoc.load((DEMO / "samples.yaml").read_bytes()).items():
        values = hooks.read_sample(raw, agent_name=agent.name)
        hooks.save_sample(agent=agent, name=name, values=values, by=BY)
