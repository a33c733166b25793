"""What an evaluation is made of and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from hooks.engine.errors import HookError, Notice
from hooks.engine.model import ModelCall
from hooks.engine.verdict import Outcome

if TYPE_CHECKING:
    from hooks.engine.spec import HookSpec

Level = Literal["agent", "customAgent"]
Decision = Literal["allow", "block", "deny", "ask", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A hook that may apply: enabled, active in the thread, of the right event. Whether it matches, the pipeline says.

    `spec` is None where what is stored no longer parses; `fault` then says why, and the hook is an `invalid_hook` error
    (R9). `fail_mode` is read from there even so.
    """

    name: str
    level: Level
    position: int
    spec: "HookSpec | None"
    fault: str = ""
    fail_mode: Literal["allow", "block"] = "allow"
    version: int | None = None
    content_hash: str | None = None
    key: Any = None  # the caller's own handle, carried through to the result


@dataclass(slots=True, kw_only=True)
class HookResult:
    """What one hook did. Texts are whole; only the evaluation's are cut (R32). Times in milliseconds."""

    name: str
    level: Level
    position: int
    type: Literal["prompt", "command"] | None
    version: int | None
    content_hash: str | None
    outcome: Outcome
    reason: str | None = None
    additional_context: str | None = None
    delivered: bool = False
    error: HookError | None = None
    fail_mode: Literal["allow", "block"] = "allow"
    fail_mode_applied: bool = False
    exit_code: int | None = None
    signal: int | None = None
    stdout: str = ""
    stderr: str = ""
    model_call: ModelCall | None = None
    started_at: datetime | None = None
    duration_ms: float = 0.0
    warnings: list[str] = field(default_factory=list)
    key: Any = None


@dataclass(slots=True, kw_only=True)
class Evaluation:
    """One event put through all hooks that apply. `match_ms` is the part of `duration_ms` before the first hook ran."""

    event: str
    decision: Decision
    reason: str | None
    additional_context: str | None
    truncated: bool
    forced_stop: bool
    duration_ms: float
    hooks: list[HookResult]
    context: Mapping[str, Any]
    match_ms: float = 0.0
    warnings: list[Notice] = field(default_factory=list)
    cancelled: bool = False
