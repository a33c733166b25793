"""Compare a sandboxed call with a bare `subprocess.run` of the same script: `python -m benchmarks.sandbox_cold`.

Calls take turns, so that whatever else the machine does touches both alike; the ratio is the median over pairs.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.protocol import Job, Language

BASH = """#!/bin/bash
# Has the answer the mark that says it is complete?
answer=$(jq -r '.final_output // empty')
if grep -q 'All steps finished' <<<"$answer"; then
  echo '{"decision": "allow"}'
else
  echo 'Say "All steps finished" once nothing is left to do.' >&2
  exit 2
fi
"""

PYTHON = r"""#!/usr/bin/env python3
# Did the tool run a command that destroys?
import json
import re
import sys

context = json.load(sys.stdin)
command = str(context.get("tool_input", {}).get("command", ""))
for pattern in (r"\brm\s+-[a-z]*[rf]", r"\bsudo\b", r"\bmkfs\b", r">\s*/dev/sd", r"\bchmod\s+777\b"):
    if re.search(pattern, command):
        print(json.dumps({"decision": "block", "reason": f"{command!r} is not allowed here."}))
        break
else:
    print(json.dumps({"decision": "allow", "hookSpecificOutput": {"additionalContext": "Checked."}}))
"""

STDIN = {
    "bash": b'{"hook_event_name": "Stop", "agent_name": "a", "final_output": "Looked at it. All steps finished."}',
    "python": b'{"hook_event_name": "PostToolUse", "agent_name": "a", "tool_input": {"command": "ls -la /srv"}}',
}
SOURCES: dict[Language, str] = {"bash": BASH, "python": PYTHON}
COMMANDS: dict[Language, list[str]] = {"bash": ["/bin/bash"], "python": ["/usr/bin/python3"]}


def timed(call: Callable[[], bytes]) -> float:
    """Return milliseconds."""
    start = time.perf_counter()
    answer = call()
    taken = (time.perf_counter() - start) * 1000
    if b'"allow"' not in answer:
        raise SystemExit(f"wrong answer: {answer!r}")
    return taken


def measure(sandbox: RunnerSandbox, language: Language, rounds: int) -> tuple[list[float], list[float]]:
    source = SOURCES[language]
    with tempfile.NamedTemporaryFile("w", suffix=".hook") as script:
        script.write(source)
        script.flush()
        job = Job(language=language, source=source, stdin=STDIN[language])

        def bare() -> bytes:
            command = [*COMMANDS[language], script.name]
            return subprocess.run(command, input=STDIN[language], capture_output=True, check=True).stdout  # noqa: S603

        def boxed() -> bytes:
            done = sandbox.run(job)
            return done.stdout or done.message.encode() + done.stderr

        for call in (bare, boxed) * 5:
            call()
        pairs = [(timed(bare), timed(boxed)) for _ in range(rounds)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def report(language: str, bare: list[float], boxed: list[float]) -> str:
    def figures(values: list[float]) -> str:
        return f"{statistics.median(values):6.2f} ms (p95 {statistics.quantiles(values, n=20)[-1]:6.2f})"

    ratio = statistics.median(ours / theirs for theirs, ours in zip(bare, boxed, strict=True))
    return f"{language:7} bare {figures(bare)}  sandboxed {figures(boxed)}  median paired ratio {ratio:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", type=Path, required=True, help="of a running runner")
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    sandbox = RunnerSandbox(options.socket)
    for language in SOURCES:
        sys.stdout.write(report(language, *measure(sandbox, language, options.rounds)) + "\n")


if __name__ == "__main__":
    main()
