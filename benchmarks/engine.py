"""The sandbox alone, against a bare `subprocess.run` of the same script."""

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.scripts import COMMANDS, SOURCES, STDIN
from benchmarks.timing import Case, burst
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.protocol import Job, Language, Start

TARGETS = {"python": 0.30, "bash": 1.05}
BURSTS = (2, 4, 8)


def bare(language: Language, directory: Path) -> Callable[[], None]:
    script = directory / language
    script.write_text(SOURCES[language])

    def call() -> None:
        done = subprocess.run(  # noqa: S603
            [*COMMANDS[language], script], input=STDIN[language], capture_output=True, check=True
        )
        allowed(done.stdout)

    return call


def boxed(sandbox: RunnerSandbox, language: Language, start: Start) -> Callable[[], None]:
    job = Job(language=language, source=SOURCES[language], stdin=STDIN[language], start=start)
    return lambda: allowed(sandbox.run(job).stdout)


def allowed(answer: bytes) -> None:
    if b'"allow"' not in answer:
        raise SystemExit(f"wrong answer: {answer!r}")


def cases(sandbox: RunnerSandbox) -> list[Case]:
    directory = Path(tempfile.mkdtemp(prefix="bench-"))
    found = []
    for language in SOURCES:
        plain = bare(language, directory)
        found.append(Case(f"{language} bare", plain))
        for start in ("cold", "warm"):
            target = TARGETS[language] if start == "warm" else None
            found.append(Case(f"{language} {start}", boxed(sandbox, language, start), f"{language} bare", target))
        found.append(Case(language, boxed(sandbox, language, "any"), f"{language} bare"))
        for count in BURSTS:
            found.append(Case(f"{language} bare, {count} at once", burst(plain, count)))
            call = burst(boxed(sandbox, language, "any"), count)
            found.append(Case(f"{language}, {count} at once", call, f"{language} bare, {count} at once"))
    ten = burst(boxed(sandbox, "python", "any"), 10)
    found.append(Case("python, ten at one level", ten, "python warm", 4.0))
    return found
