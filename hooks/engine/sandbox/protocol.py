"""What the engine asks of a sandbox, whatever builds it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

Language = Literal["bash", "python"]
LANGUAGES: tuple[Language, ...] = ("bash", "python")
Status = Literal["exited", "timeout", "output_too_large", "could_not_start", "unavailable", "cancelled"]
Stream = Literal["stdout", "stderr"]
Start = Literal["any", "cold", "warm"]

STDOUT_LIMIT = 1024 * 1024
STDERR_KEPT = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One program to run once. `timeout` is in seconds and covers everything from the start of the process on.

    `start`: in a sandbox made in advance where one is ready (`any`), never (`cold`), or as soon as one is (`warm`; for tests).
    """

    language: Language
    source: str
    stdin: bytes = b""
    transcript: bytes = b""
    timeout: float = 30.0
    start: Start = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """What became of a job.

    `exited`: `exit_code` is what the status descriptor reported (128 + n where the shell or the sandbox saw signal n), or
    `signal` is set and `exit_code` is None (killed by us, 9 for the memory watchdog). Every other status has neither, and says
    in `message` what happened and, where a person can mend it, how.
    `warm`: the sandbox had been made in advance.
    `stdout` holds at most STDOUT_LIMIT bytes (the first), `stderr` at most STDERR_KEPT (head and tail, with a mark between).
    """

    status: Status
    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    message: str = ""
    duration_ms: float = 0.0
    warm: bool = False


class Sandbox(Protocol):
    def run(
        self,
        job: Job,
        *,
        on_output: Callable[[Stream, bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Completed:
        """Run `job` to its end and leave no process behind. Never raises for what the job does.

        `on_output` is called, from the calling thread, with each piece of output as it comes. `cancelled` is polled about
        five times a second; once true, the whole process tree is killed and the status is `cancelled`.
        Safe to call from many threads at once.
        """
        ...
