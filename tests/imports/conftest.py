"""Imported hooks, run as the portal runs them: in a real sandbox, through the pipeline."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from hooks.engine.envelope import parse_agent_hook
from hooks.engine.events import prepare
from hooks.engine.pipeline import evaluate
from hooks.engine.results import Candidate, Evaluation
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.syntax import SyntaxChecker
from hooks.imports import Imported, read
from tests.sandbox_fixture import sandbox

__all__ = ["sandbox"]

Decide = Callable[..., Evaluation]
FIELDS: dict[str, dict[str, Any]] = {
    "Start": {},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}},
    "PostToolUse": {
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_result": "secret",
        "tool_succeeded": True,
    },
    "Stop": {"final_output": "done"},
}


def imported(product: str, event: str, handler: dict[str, Any], **group: Any) -> Imported:
    """Read a file with one hook, as the product writes it."""
    grouped = product in ("claude", "codex", "gemini")
    item = {**group, "hooks": [{"type": "command", **handler}]} if grouped else {**group, **handler}
    return read(json.dumps({"hooks": {event: [item]}}), product=product)


@pytest.fixture
def decide(sandbox: RunnerSandbox) -> Decide:
    """Run the hooks of an import on a context of ours, whether enabled or not."""

    def run(found: Imported, **fields: Any) -> Evaluation:
        parsed = [parse_agent_hook(hook, syntax=SyntaxChecker(sandbox)) for hook in found.hooks]
        assert [one.faults for one in parsed] == [[]] * len(parsed)
        specs = [one.spec for one in parsed if one.spec is not None]
        event = specs[0].event
        base = {"hook_event_name": event, "agent_name": "sre", "thread_id": "t-1"}
        prepared = prepare({**base, **FIELDS[event], **fields})
        assert not prepared.faults
        return evaluate(
            event=event,
            context=prepared.context,
            agent=[
                Candidate(name=spec.name or "", level="agent", position=place, spec=spec)
                for place, spec in enumerate(specs)
            ],
            custom_agent=[],
            sandbox=sandbox,
            judge=None,  # type: ignore[arg-type]
            transcript="user: hello",
        )

    return run
