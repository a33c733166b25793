"""As whom sandboxes run.

bubblewrap must never start as uid 0: the hook would be root of the machine in all but name, with no limit on processes. A
runner started by root becomes a reserved user and keeps CAP_SETUID and CAP_SETGID, in order to be the reserved user of a
slot for as long as it takes to start, limit, look into or kill that slot's sandbox. Whatever it executes has no capability.
Started by anyone else, the runner and its sandboxes stay that user.
"""

import os
import pwd
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from hooks.engine.sandbox import kernel
from hooks.engine.sandbox.host import Missing

# Between the ranges that systemd and Debian hand out, and below 65,536, which is all that many containers have.
RESERVED = range(60_600, 61_184)


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom one slot runs as. `uid` None: as the runner itself."""

    uid: int | None = None
    runner: int = 0

    def assumed(self) -> AbstractContextManager[None]:
        """Be that user inside the `with`. For a process of one thread only."""
        return nullcontext() if self.uid is None else self._swapped(self.uid)

    @contextmanager
    def _swapped(self, uid: int) -> Iterator[None]:
        os.setresgid(uid, uid, self.runner)
        os.setresuid(uid, uid, self.runner)
        try:
            yield
        finally:
            os.setresuid(self.runner, self.runner, self.runner)
            os.setresgid(self.runner, self.runner, self.runner)


def settle(slots: int) -> list[Identity]:
    """Give up what privilege there is and return one identity per slot. Raises Missing."""
    if os.getuid() == 0:
        runner, *uids = _unused(slots + 1)
        _become(runner)
        identities = [Identity(uid, runner) for uid in uids]
    else:
        identities = [Identity()] * slots
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    return identities


def _unused(count: int) -> Sequence[int]:
    taken = {entry.pw_uid for entry in pwd.getpwall()}
    free = [uid for uid in RESERVED if uid not in taken]
    if len(free) < count:
        raise Missing(f"{count} unused user ids are needed between {RESERVED.start} and {RESERVED.stop - 1}")
    return free[:count]


def _become(uid: int) -> None:
    try:
        os.setgroups([])
        kernel.prctl(kernel.PR_SET_KEEPCAPS, 1)
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        kernel.keep_capabilities(kernel.CAP_SETUID, kernel.CAP_SETGID)
    except OSError as error:
        raise Missing(
            f"root cannot become user {uid} here ({error}): start the portal as an ordinary user, or give the container "
            "the capabilities SETUID and SETGID and more than one user id"
        ) from error
