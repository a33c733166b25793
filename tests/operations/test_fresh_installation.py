"""From a fresh checkout to a portal that decides, on a machine that has Linux, Python and bash and nothing else."""

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stack.options import ROOT
from tests.servers import unprivileged
from tests.stack import Stack

pytestmark = pytest.mark.fresh

# Seconds, on a machine that does nothing else.
FIRST_START, SECOND_START, STOP = 90, 5, 5


def patience() -> float:
    """How much longer things take, since others use this machine too."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@pytest.fixture
def account() -> pwd.struct_passwd | None:
    """An ordinary user, also where root runs the tests, if one may run a Python here."""
    return unprivileged() if python_for(unprivileged()) else None


@pytest.fixture
def place(account: pwd.struct_passwd | None) -> Iterator[Path]:
    # Not tmp_path, which only its own user may enter.
    path = Path("/tmp") / f"portal-fresh-{os.getpid()}"
    path.mkdir(mode=0o700)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def checkout(place: Path, account: pwd.struct_passwd | None) -> Path:
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            target = place / "checkout" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
    return place / "checkout"


@pytest.fixture
def portal(checkout: Path, place: Path, account: pwd.struct_passwd | None) -> Iterator[Stack]:
    """The portal of that checkout, started with a PATH that holds bash and a Python and nothing else."""
    path = place / "path"
    path.mkdir()
    (path / "bash").symlink_to("/bin/bash")
    (path / "python3").write_text(f'#!/bin/bash\nexec {python_for(account) or sys.executable} "$@"\n')
    (path / "python3").chmod(0o755)
    if account:
        for one in [place, *place.rglob("*")]:
            os.chown(one, account.pw_uid, account.pw_gid, follow_symlinks=False)
    env = {"PATH": str(path), "HOME": str(place), "PORTAL_ADMIN_PASSWORD": ""}
    portal = Stack(root=checkout, data=checkout / "var", env=env, account=account)
    yield portal
    portal.stop()
    portal.log.unlink(missing_ok=True)


def python_for(account: pwd.struct_passwd | None) -> str | None:
    """Find a Python with venv that this user may run; one in root's home serves root only."""
    who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
    code = "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"
    for python in (f"{sys.base_prefix}/bin/python3", "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", code], cwd="/", capture_output=True, **who).returncode == 0:
                return python
        except OSError:
            continue
    return None


def interrupt_first_start(portal: Stack) -> None:
    command = [str(portal.root / "bin" / "up"), "--port", "0", "--data", str(portal.data)]
    with subprocess.Popen(command, env=portal.env, stdout=subprocess.DEVNULL, **portal.who()) as process:
        deadline = time.monotonic() + 30
        while not list(portal.root.glob(".venv/lib/python3*/site-packages/*.dist-info/METADATA"))[3:]:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()


def ask(portal: Stack, path: str, token: str = "", body: dict[str, Any] | None = None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(portal.url + path, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=60) as response:
        return dict(json.load(response))


def processes_of(checkout: Path) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_text().replace("\0", " ")
        except OSError:
            continue
        if str(checkout) in command:
            found.append(command)
    return found


def files_of(checkout: Path) -> set[str]:
    outside = {".venv", "var", "__pycache__"}
    return {str(path) for path in checkout.rglob("*") if not outside & set(path.parts) and path.suffix != ".pyc"}


def test_from_nothing_to_a_decision(portal: Stack) -> None:
    before = files_of(portal.root)
    interrupt_first_start(portal)

    assert portal.start(600) < FIRST_START * patience()
    first = portal.output()
    assert first.count("admin") >= 1
    assert "sandbox" not in {name for name, check in ask(portal, "/readyz")["checks"].items() if not check["ok"]}
    token = portal.manage("create_token", "--agent", "sre-agent", "--name", "fresh", "--scope", "evaluate")
    hook = {"type": "command", "matcher": "*", "command": "jq -e .tool_succeeded >/dev/null && echo no >&2 && exit 2"}
    context = {"hook_event_name": "PostToolUse", "agent_name": "sre-agent", "current_turn": 1, "max_turns": 2}
    context |= {"tool_name": "Bash", "tool_input": {}, "tool_result": "", "tool_succeeded": True}
    body = {"context": context, "hooks": {"agent": {"PostToolUse": [hook]}}}
    assert ask(portal, "/api/v2/hooks/check", token, body)["decision"] == "block"

    assert portal.stop(signal.SIGINT) < STOP * patience()
    assert processes_of(portal.root) == []
    assert files_of(portal.root) == before

    assert portal.start(600) < SECOND_START * patience()
    assert "password" not in portal.output()
    with pytest.raises(urllib.error.HTTPError, match="401"):
        ask(portal, "/api/v2/hooks/evaluate", "", body)
    assert portal.stop() < STOP * patience()
