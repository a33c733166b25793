"""The places in which sandboxes run: as many at once as there are slots."""

from dataclasses import dataclass

from hooks.engine.sandbox.identity import Identity
from hooks.engine.sandbox.reaper import Table


@dataclass(frozen=True, slots=True)
class Slot:
    number: int
    identity: Identity
    table: Table

    def occupied_by(self, session: int) -> None:
        """Let the reaper know the sandbox's session, which is bubblewrap's process id; 0 once all of it is dead."""
        self.table[self.number] = session


def make(identities: list[Identity], table: Table) -> list[Slot]:
    return [Slot(number, identity, table) for number, identity in enumerate(identities)]
