"""The places in which sandboxes run: as many at once as there are slots."""

from dataclasses import dataclass

from hooks.engine.sandbox.identity import Identity
from hooks.engine.sandbox.reaper import Table


@dataclass(frozen=True, slots=True)
class Slot:
    number: int
    identity: Identity
    table: Table

    def occupied_by(self, init: int) -> None:
        """Let the reaper know the sandbox's init process; 0 once it is about to be reaped."""
        self.table[self.number] = init


def make(identities: list[Identity], table: Table) -> list[Slot]:
    return [Slot(number, identity, table) for number, identity in enumerate(identities)]
