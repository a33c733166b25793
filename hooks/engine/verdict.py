"""What one hook says."""

from dataclasses import dataclass
from typing import Literal

from hooks.engine.errors import HookError

Outcome = Literal["allow", "block", "deny", "ask", "none", "error", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`outcome` is one of the event's own words: allow or block; on PreToolUse allow, deny, ask or none."""

    outcome: Outcome
    reason: str | None = None
    additional_context: str | None = None
    warnings: tuple[str, ...] = ()


Answer = Verdict | HookError
