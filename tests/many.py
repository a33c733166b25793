"""A large configuration: 400 agent-level hooks, the most there can be, and 200 custom agents with 600 hooks."""

from typing import Any

from agents.models import Agent
from agents.services import create_agent, load_bundle
from portal.access.tokens import create_token
from tests.shell import ALL, BY, Caller

SCRIPT = """\
#!/usr/bin/env python3
import json
import re
import sys

context = json.load(sys.stdin)
if re.search(r"\\bsudo\\b", context["tool_input"].get("command", "")):
    print(json.dumps({"decision": "block", "reason": "Not as root."}))
"""
PROMPT = "Does the answer name what it is based on?\n$ARGUMENTS\nAnswer with JSON."
EVENTS = ("PostToolUse", "PreToolUse", "Start", "Stop")


def options(event: str, number: int) -> dict[str, Any]:
    matcher = {"matcher": f"Bash|Shell{number}"} if event.endswith("ToolUse") else {}
    if number % 2 and event != "Start":
        return {"type": "prompt", "prompt": PROMPT, **matcher, "timeout": 20}
    return {"type": "command", "script": SCRIPT, **matcher, "timeout": 5, "failMode": "block" if matcher else "allow"}


def bundle() -> dict[str, Any]:
    hooks = [
        {
            "name": f"{event}-{number}",
            "properties": {
                "eventType": event,
                "description": "What it is for, in a sentence.",
                "hook": options(event, number),
            },
        }
        for event in EVENTS
        for number in range(100)
    ]
    agents = [
        {
            "name": f"agent-{number}",
            "properties": {
                "instructions": "Help with incidents.\nSay what you did.",
                "tools": ["Bash", f"Shell{number}"],
                "hooks": {event: [options(event, number)] for event in EVENTS[1:]},
            },
        }
        for number in range(200)
    ]
    return {"hooks": hooks, "agents": agents}


def fill() -> Caller:
    """Store it; return a caller of its agent."""
    agent = create_agent(name="sre-agent", is_default=True, by=BY)
    load_bundle(agent=agent, bundle=bundle(), by=BY)
    assert Agent.objects.get().hooks.count() == 1000
    _, secret = create_token(agent=agent, name="many", scopes=ALL, by=BY)
    return Caller(secret)
