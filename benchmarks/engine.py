"""The engine alone, against a bare `subprocess.run` of the same script."""

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.scripts import COMMANDS, SOURCES, STDIN
from benchmarks.timing import Case, burst
from hooks.engine import pipeline
from hooks.engine.judge import Judge
from hooks.engine.model import Deployment
from hooks.engine.parsing import parse
from hooks.engine.results import Candidate
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.protocol import Job, Language, Start

TARGETS = {"python": (0.30, 0.20), "bash": (1.05, 0.90)}
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


def level(sandbox: RunnerSandbox, count: int) -> Callable[[], None]:
    """Return an evaluation with `count` hooks at one level, without web server and database."""
    spec = parse({"type": "command", "script": SOURCES["python"], "matcher": "*"}, event="PostToolUse").spec
    hooks = [Candidate(name=f"h{number}", level="agent", position=number, spec=spec) for number in range(count)]
    context = {
        "hook_event_name": "PostToolUse",
        "agent_name": "a",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    judge = Judge(None, Deployment)

    def call() -> None:
        found = pipeline.evaluate(
            event="PostToolUse", context=context, agent=hooks, custom_agent=[], sandbox=sandbox, judge=judge
        )
        if [one.outcome for one in found.hooks] != ["allow"] * count:
            raise SystemExit(f"not {count} hooks that allow: {found.hooks}")

    return call


def cases(sandbox: RunnerSandbox) -> list[Case]:
    """`cold` and `warm` start as their names say; those without such a word as a live event does."""
    directory = Path(tempfile.mkdtemp(prefix="bench-"))
    found = []
    for language in SOURCES:
        plain = bare(language, directory)
        found.append(Case(f"{language} bare", plain))
        for start in ("cold", "warm"):
            target, aim = TARGETS[language] if start == "warm" else (None, None)
            call = boxed(sandbox, language, start)
            found.append(Case(f"{language} {start}", call, f"{language} bare", target, aim, full=start == "warm"))
        for count in BURSTS:
            found.append(Case(f"{language} bare, {count} at once", burst(plain, count)))
            call = burst(boxed(sandbox, language, "any"), count)
            found.append(Case(f"{language}, {count} at once", call, f"{language} bare, {count} at once", full=True))
    found.append(Case("engine, one python hook", level(sandbox, 1), "python bare", full=True))
    found.append(Case("engine, ten at one level", level(sandbox, 10), "engine, one python hook", 4.0, 2.5, full=True))
    return found
