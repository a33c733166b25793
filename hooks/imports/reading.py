"""What comes out of an import: hooks, and notes on all that was translated or has no equal."""

from dataclasses import dataclass, field
from typing import Any, Literal

from hooks.engine.errors import Fault, Invalid

Level = Literal["translated", "no_equal", "check"]
FAULTS_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on the place `path` of the source. `hook` names the hook that it is about, if there is one.

    translated  it was written differently and means the same here
    no_equal    it was left out, since the portal has nothing like it
    check       a person must look at it before relying on the hook
    """

    path: str
    level: Level
    message: str
    hook: str | None = None


@dataclass(slots=True)
class Imported:
    """Hooks as the envelopes of the REST API, every one valid, in the order of the source."""

    product: str
    hooks: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@dataclass(slots=True)
class Reading:
    """What is collected while a source is read."""

    faults: list[Fault] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def fault(self, path: str, code: str, message: str) -> None:
        found = Fault(path, code, message)
        if found in self.faults:
            return
        self.faults.append(found)
        if len(self.faults) >= FAULTS_LIMIT:
            raise Invalid([*self.faults, Fault("", "too_many", "There are more faults; these are the first.")])

    def note(self, path: str, level: Level, message: str, hook: str | None = None) -> None:
        self.notes.append(Note(path, level, message, hook))
