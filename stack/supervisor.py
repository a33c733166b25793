"""Keeps programs running: one that dies is started again, and all end together."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

from stack import children
from stack.options import ROOT
from stack.programs import Program
from stack.steps import say

PAUSES = (0.1, 1, 2, 5, 10, 30)
STEADY = 60.0
LARGEST_LOG = 10 * 1024 * 1024
POLL = 0.2
# Redis and the sandbox end last, since the others use them; all of it within 5 s.
FIRST, LAST = ("web", "worker", "player"), ("sandbox", "redis")
GRACE_FIRST, GRACE_LAST, GRACE_ORPHANS = 2.5, 1.0, 0.5


@dataclass
class Running:
    program: Program
    process: subprocess.Popen[bytes]
    since: float
    failures: int = 0
    due: float | None = None


class Supervisor:
    def __init__(self) -> None:
        self.running: dict[str, Running] = {}

    def start(self, program: Program) -> None:
        with children.unstoppable():
            self.running[program.name] = Running(program, spawn(program), time.monotonic())

    def check(self) -> None:
        """Note which programs have ended, and start again those whose pause is over."""
        for one in self.running.values():
            if one.due is None and one.process.poll() is not None:
                self.note_end(one)
            if one.due is not None and time.monotonic() >= one.due:
                with children.unstoppable():
                    one.process, one.since, one.due = spawn(one.program), time.monotonic(), None

    def note_end(self, one: Running) -> None:
        # What it left behind in its process group would otherwise hold its sockets.
        children.kill(one.process.pid)
        lived = time.monotonic() - one.since
        one.failures = 1 if lived > STEADY else one.failures + 1
        pause = PAUSES[min(one.failures, len(PAUSES)) - 1]
        one.due = time.monotonic() + pause
        how = f"ended ({ending(one.process)}) after {lived:.0f} s; starts again in {pause} s"
        say(f"  {one.program.name} {how}. Its log: {one.program.log}")

    def last_words(self, lines: int = 8) -> str:
        """Quote the logs of the programs that ended, for the message that says why nothing works."""
        quoted = ""
        for name, one in self.running.items():
            if one.failures and one.program.log.exists():
                last = one.program.log.read_text(errors="replace").splitlines()[-lines:]
                quoted += f"\n{name} ended {one.failures} times; its last words:\n" + "\n".join(last)
        return quoted

    def watch(self) -> None:
        """Run until a signal raises."""
        logs_due = 0.0
        while True:
            self.check()
            if time.monotonic() > logs_due:
                self.trim_logs()
                logs_due = time.monotonic() + 60
            time.sleep(POLL)

    def trim_logs(self) -> None:
        for log in {one.program.log for one in self.running.values()}:
            with contextlib.suppress(OSError):
                if log.stat().st_size > LARGEST_LOG:
                    shutil.copyfile(log, log.with_suffix(".log.1"))
                    os.truncate(log, 0)

    def stop(self) -> None:
        """End all programs within 5 s, whatever they are doing."""
        with children.adopting(GRACE_ORPHANS):
            self.end(FIRST, GRACE_FIRST)
            self.end(LAST, GRACE_LAST)

    def end(self, names: tuple[str, ...], grace: float) -> None:
        ones = [self.running[name] for name in names if name in self.running]
        for one in ones:
            children.kill(one.process.pid, signal.SIGTERM)
        deadline = time.monotonic() + grace
        for one in ones:
            with contextlib.suppress(subprocess.TimeoutExpired):
                one.process.wait(max(0.0, deadline - time.monotonic()))
        for one in ones:
            children.kill(one.process.pid)
            one.process.wait()
            del self.running[one.program.name]


def spawn(program: Program) -> subprocess.Popen[bytes]:
    return children.start(
        program.command, cwd=ROOT, env=program.env, log=program.log, death=program.death, keep=program.keep
    )


def ending(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name
