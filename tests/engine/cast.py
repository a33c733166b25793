"""The cast of the engine's tests: hooks, contexts and results, made in one line each."""

from typing import Any

from hooks.engine.events import prepare
from hooks.engine.judge import Judge
from hooks.engine.model import Deployment
from hooks.engine.parsing import parse
from hooks.engine.pipeline import evaluate
from hooks.engine.results import Candidate, Evaluation, HookResult, Level
from hooks.engine.spec import HookSpec
from hooks.engine.testing import Line, ScriptedModel, ScriptedSandbox

OWN = {
    "Start": {},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {}, "tool_result": "a.txt", "tool_succeeded": True},
    "Stop": {"final_output": "Done."},
}
EVENTS = tuple(OWN)
TOOL_EVENTS = ("PreToolUse", "PostToolUse")


def raw_context(event: str = "Stop", **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": event, "agent_name": "alice", **OWN[event], **fields}


def context(event: str = "Stop", **fields: Any) -> dict[str, Any]:
    prepared = prepare(raw_context(event, **fields))
    assert prepared.faults == []
    return prepared.context


def spec(event: str = "Stop", **options: Any) -> HookSpec:
    if event in TOOL_EVENTS:
        options = {"matcher": "*"} | options
    parsed = parse(options, event=event)
    assert parsed.spec is not None, parsed.faults
    return parsed.spec


def hook(name: str, event: str = "Stop", *, level: Level = "agent", **options: Any) -> Candidate:
    """A command hook whose source is its own name, so that a scripted sandbox can tell it; or a prompt hook."""
    if "prompt" not in options:
        options = {"type": "command", "command": name} | options
    return Candidate(name=name, level=level, position=0, spec=spec(event, **options))


def broken(name: str, **fields: Any) -> Candidate:
    return Candidate(name=name, level="agent", position=0, spec=None, **fields)


def run(
    *agent: Candidate,
    event: str = "Stop",
    custom: tuple[Candidate, ...] = (),
    sandbox: ScriptedSandbox | None = None,
    model: ScriptedModel | None = None,
    says: tuple[Line, ...] = (),
    fields: dict[str, Any] | None = None,
    **options: Any,
) -> Evaluation:
    return evaluate(
        event=event,
        context=context(event, **(fields or {})),
        agent=agent,
        custom_agent=custom,
        sandbox=sandbox or ScriptedSandbox(),
        judge=Judge(model or ScriptedModel(*says), Deployment),
        **options,
    )


def result(outcome: Any, reason: str | None = None, *, name: str = "one", **fields: Any) -> HookResult:
    return HookResult(
        name=name,
        level="agent",
        position=0,
        type="command",
        version=None,
        content_hash=None,
        outcome=outcome,
        reason=reason,
        **fields,
    )
