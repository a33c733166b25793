"""Custom agents to look at."""

from typing import Any

from agents.documents import parse_agent
from agents.models import Agent, CustomAgent
from agents.services import save_custom_agent
from tests.shell import BY

RUN = {"type": "command", "command": "true"}
JUDGE = {"type": "prompt", "prompt": "Is it done?"}


def custom_agent(agent: Agent, name: str = "triage", hooks: dict[str, Any] | None = None, **spec: Any) -> CustomAgent:
    """Store a custom agent with these hooks and fields of its spec."""
    document = {"name": name, "properties": {"instructions": "Look.", **spec, "hooks": hooks or {}}}
    parsed = parse_agent(document)
    assert not parsed.faults, parsed.faults
    return save_custom_agent(agent=agent, name=name, parsed=parsed, by=BY).custom_agent
