"""Stand-ins for what the engine asks of the world: a sandbox that runs nothing, a model that knows its lines.

sandbox = ScriptedSandbox({"check.sh": exited(2, stderr="no evidence")})
judge = Judge(ScriptedModel('{"ok": true}'), Deployment)
evaluate(..., sandbox=sandbox, judge=judge)
assert sandbox.jobs[0].timeout == 30
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hooks.engine.model import ModelFailed, ModelReply
from hooks.engine.sandbox.protocol import Completed, Job, Stream

Act = Completed | Callable[[Job], Completed]
Line = str | ModelReply | ModelFailed


def exited(code: int = 0, *, stdout: str | bytes = b"", stderr: str | bytes = b"") -> Completed:
    """Describe a process that ran to its end."""
    return Completed(status="exited", exit_code=code, stdout=_bytes(stdout), stderr=_bytes(stderr))


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


class ScriptedSandbox:
    """A `Sandbox` that answers by the source of a job: with what stands in `acts`, or that it exited with 0.

    Every job is kept in `jobs`. Output goes to `on_output` in one piece per stream.
    """

    def __init__(self, acts: Mapping[str, Act] | None = None) -> None:
        self._acts = dict(acts or {})
        self._lock = threading.Lock()
        self.jobs: list[Job] = []

    def run(
        self,
        job: Job,
        *,
        on_output: Callable[[Stream, bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Completed:
        with self._lock:
            self.jobs.append(job)
        if cancelled is not None and cancelled():
            return Completed(status="cancelled")
        act = self._acts.get(job.source, exited())
        done = act(job) if callable(act) else act
        pieces: dict[Stream, bytes] = {"stdout": done.stdout, "stderr": done.stderr}
        for stream, piece in pieces.items():
            if on_output is not None and piece:
                on_output(stream, piece)
        return done


class ScriptedModel:
    """A `ModelClient` that says its lines in turn, one for each request; a line that is a `ModelFailed` is raised.

    Every request is kept in `requests`, as the keyword arguments of `complete`.
    """

    def __init__(self, *lines: Line) -> None:
        self._lines = list(lines)
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []

    def complete(
        self,
        *,
        deployment: str,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        json_schema: Mapping[str, Any] | None = None,
        timeout: float,
        cancelled: Callable[[], bool] | None = None,
    ) -> ModelReply:
        with self._lock:
            # The judge goes on writing into its list of messages.
            self.requests.append({"deployment": deployment, "messages": list(messages), "tools": tools})
            line = self._lines.pop(0) if self._lines else ModelFailed("the script has no more lines")
        if isinstance(line, ModelFailed):
            raise line
        return ModelReply(text=line, finish_reason="stop") if isinstance(line, str) else line
