"""What can go wrong, as data.

A hook's failure is a `HookError` in its result, never an exception. Faults of a configuration or a request
are `Fault`s, collected until all are known and raised together as `Invalid`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

ErrorCode = Literal[
    "timeout",
    "exit_code",
    "signal",
    "could_not_start",
    "output_not_json",
    "output_too_large",
    "invalid_decision",
    "invalid_matcher",
    "invalid_hook",
    "model_error",
    "sandbox_unavailable",
]


@dataclass(frozen=True, slots=True)
class HookError:
    """Why a hook has no verdict (R21)."""

    code: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input. `target` is a path such as `spec.hooks.PostToolUse[1].matcher`."""

    target: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning: the input is accepted, but something in it will not do what it seems to. Fields as in `Fault`."""

    target: str
    code: str
    message: str


class Invalid(Exception):
    """An input was refused. Carries every fault, in the order of the input."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = list(faults)
        super().__init__("; ".join(f"{fault.target}: {fault.message}" for fault in self.faults))
