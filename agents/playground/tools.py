"""What an agent can call in the playground: two tools in our own sandbox, and handing over to another custom agent."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.canvas import handoffs_of
from agents.models import CustomAgent, Thread, ThreadEntry
from hooks import runtime
from hooks.engine import strictjson
from hooks.engine.sandbox.protocol import Completed, Job
from hooks.services.evaluation import Cancelled

TIMEOUT = 60
HAND_OVER = "transfer_to_"
NAME_LENGTH = 64
INPUT_LIMIT = 1024 * 1024
WORLD = (
    "It runs alone in a fresh sandbox: no network, 64 MB of files in /tmp that are gone afterwards, "
    f"{TIMEOUT} seconds. Returns what was printed."
)
OUTCOMES = {
    "timeout": f"It was stopped after {TIMEOUT} seconds.",
    "output_too_large": "It was stopped, since it printed more than 1 MiB.",
}


@dataclass(frozen=True, slots=True)
class Done:
    text: str
    succeeded: bool
    duration_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Runnable:
    """A tool that runs in the sandbox: `field` of its input is the program."""

    language: Any
    field: str
    description: str
    head: str = ""


RUNNABLE = {
    "ExecutePythonCode": Runnable("python", "code", f"Run Python 3 code; print what you want to see. {WORLD}"),
    "RunShellCommand": Runnable("bash", "command", f"Run a command in bash. {WORLD}"),
}


def offered(thread: Thread) -> list[dict[str, Any]]:
    """Describe the tools of the thread's agent as chat-completions servers want them."""
    found = [
        _described(name, one.description, {one.field: {"type": "string"}}, [one.field])
        for name, one in RUNNABLE.items()
    ]
    for name, target in handoffs(thread).items():
        spec = target.spec if isinstance(target.spec, dict) else {}
        about = str(spec.get("handoffDescription") or "")[:1000]
        text = f"Hand the conversation over to {target.name}. {about}".strip()
        found.append(
            _described(name, text, {"note": {"type": "string", "description": "why, for the other agent"}}, [])
        )
    return found


def _described(name: str, text: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": text, "parameters": parameters}}


def handoffs(thread: Thread) -> dict[str, CustomAgent]:
    """The custom agents that the thread's may hand over to, by the name of the tool that does it."""
    own = thread.agent.custom_agents.filter(name__iexact=thread.custom_agent).first() if thread.custom_agent else None
    rows = list(thread.agent.custom_agents.all())
    if own is not None:
        wanted = {name.lower() for name in handoffs_of(own.spec)}
        rows = [row for row in rows if row.name.lower() in wanted]
    return {re.sub(r"[^A-Za-z0-9_-]", "_", HAND_OVER + row.name)[:NAME_LENGTH]: row for row in rows}


def fault_of(thread: Thread, call: ThreadEntry) -> str:
    """Say why a call cannot be made at all; "" where it can. A tool that a person plays may be any."""
    name = call.data["tool"]
    if call.data.get("unread"):
        return f"The arguments of {name[:100]} are not a JSON object: {call.data['unread']}"
    if call.data.get("given") is not None:
        return ""
    if len(call.text) > INPUT_LIMIT:
        return f"The arguments of {name[:100]} are longer than {INPUT_LIMIT:,} characters."
    known = [*RUNNABLE, *handoffs(thread)]
    if name not in known:
        return f"There is no tool {name[:100]!r}. The tools are: {', '.join(known)}."
    field = RUNNABLE[name].field if name in RUNNABLE else ""
    if field and not isinstance(strictjson.loads(call.text).get(field), str):
        return f"{name} needs {field!r}, a text."
    return ""


def carry_out(thread: Thread, call: ThreadEntry, cancelled: Callable[[], bool]) -> Done:
    """Take the result that a person gave, hand over, or run it. Raises Cancelled."""
    if call.data.get("given") is not None:
        given = call.data["given"]
        return Done(given["text"], given["succeeded"])
    name = call.data["tool"]
    if name in RUNNABLE:
        return _run(RUNNABLE[name], strictjson.loads(call.text), cancelled)
    target = handoffs(thread).get(name)
    if target is None:
        return Done("The agent to hand over to is no longer there.", succeeded=False)
    thread.custom_agent = target.name
    thread.save(update_fields=["custom_agent"])
    return Done(f"The conversation is with {target.name} now.", succeeded=True)


def _run(tool: Runnable, given: dict[str, Any], cancelled: Callable[[], bool]) -> Done:
    job = Job(language=tool.language, source=given[tool.field], timeout=TIMEOUT)
    done = runtime.sandbox().run(job, cancelled=cancelled)
    if done.status == "cancelled":
        raise Cancelled
    return Done(_told(done), done.exit_code == 0 and done.status == "exited", done.duration_ms)


def _told(done: Completed) -> str:
    """What was printed; then, where it did not end well, how it ended."""
    parts = [done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")]
    if done.status != "exited":
        parts.append(OUTCOMES.get(done.status, done.message))
    elif done.exit_code is None:
        parts.append(f"It was ended by signal {done.signal}.")
    elif done.exit_code:
        parts.append(f"Exit code {done.exit_code}.")
    return "\n".join(part.rstrip("\n") for part in parts if part.strip()) or "(nothing was printed)"
