"""Whether a package that is installed has a hole that is known: `python -m tests.advisories`, a step of bin/test.

Exit codes: 0 none has one; 1 one has; 75 nobody could be asked, which says nothing about the packages and fails no build.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CLEAN, HOLES, NOT_REACHABLE = 0, 1, 75
SERVICES = ("pypi", "osv")
SECONDS = 180
BY_HAND = "  Type, where the internet is within reach: .venv/bin/python -m tests.advisories"


def ask(*options: str) -> dict[str, Any] | None:
    """Run pip-audit; answer its report, None where its service could not be asked."""
    program = str(Path(sys.executable).with_name("pip-audit"))
    command = [program, "--format", "json", "--progress-spinner", "off", "--desc", "off", "--timeout", "5", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        report: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return report


def judge(report: dict[str, Any] | None) -> tuple[int, list[str]]:
    """Tell what a report comes to, and what to print of it. One in which nothing was looked at is none."""
    packages = report["dependencies"] if report else []
    looked_at = [package for package in packages if "skip_reason" not in package]
    if not looked_at:
        return NOT_REACHABLE, []
    lines = [
        f"{package['name']} {package['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version yet'}"
        for package in looked_at
        for hole in package["vulns"]
    ]
    if lines:
        return HOLES, lines
    skipped = len(packages) - len(looked_at)
    return CLEAN, [
        f"{len(looked_at)} packages have no hole that is known" + (f"; {skipped} are unknown" if skipped else "")
    ]


def answers(service: str) -> bool:
    """Whether a service knows of anything, asked about one package: to ask about all takes long where none is known."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as one:
        one.write("django==5.2\n")
        one.flush()
        report = ask("--vulnerability-service", service, "--requirement", one.name, "--no-deps", "--disable-pip")
    return judge(report)[0] != NOT_REACHABLE


def main(options: Sequence[str]) -> int:
    for service in filter(answers, SERVICES):
        code, lines = judge(ask("--vulnerability-service", service, *options))
        if code != NOT_REACHABLE:
            print("\n".join(lines))  # noqa: T201
            return code
    print(f"Not reachable: neither PyPI's advisories nor OSV's could be asked about the packages.\n{BY_HAND}")  # noqa: T201
    return NOT_REACHABLE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
