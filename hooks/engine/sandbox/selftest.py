"""Run a canary in the real sandbox and say what holds: for `/readyz`, the banner and `manage.py check_sandbox`."""

import json
from typing import NamedTuple

from hooks.engine.sandbox.protocol import Completed, Job, Sandbox

CANARY_SECONDS = 15.0
ADVANCE = "made in advance: "

CANARY = r"""
import json, os, resource, socket, subprocess, sys

status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)

def refused(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        return True
    return False

def forks():
    children = []
    try:
        while len(children) < 1000:
            pid = os.fork()
            if pid == 0:
                os.close(writing)
                os.read(reading, 1)
                os._exit(0)
            children.append(pid)
    except OSError:
        pass
    os.close(writing)
    for pid in children:
        os.waitpid(pid, 0)
    return len(children)

reading, writing = os.pipe()

interfaces = [line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]]
families = [name for name in ("AF_INET", "AF_INET6", "AF_NETLINK", "AF_VSOCK", "AF_PACKET")
            if not refused(lambda name=name: socket.socket(getattr(socket, name), socket.SOCK_DGRAM).close())]
writable = [path for path in ("/", "/usr", "/etc", "/dev", "/hook", "/mnt/data", "/proc/sys/kernel")
            if not refused(lambda path=path: open(path + "/canary", "w"))]
tools = [name for name in ("bash", "grep", "sed", "awk", "jq", "python3")
         if subprocess.run(["bash", "-c", "command -v " + name], stdout=subprocess.DEVNULL).returncode]
limit = resource.getrlimit(resource.RLIMIT_NPROC)[0]

found = {
    "no new privileges": (status["NoNewPrivs"] == "1", "NoNewPrivs " + status["NoNewPrivs"]),
    "system calls filtered": (status["Seccomp"] == "2", "Seccomp " + status["Seccomp"]),
    "no capabilities": (all(int(status[name], 16) == 0 for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")),
                        "CapEff " + status["CapEff"]),
    "not root of the machine": (not open("/proc/self/uid_map").read().split()[1] == "0", open("/proc/self/uid_map").read()),
    "no network": (not families and set(interfaces) <= {"lo"}, " ".join(families + interfaces)),
    "clean environment": (set(os.environ) <= {"PATH", "HOME", "LANG", "PYTHONUTF8", "TZ", "PWD", "LC_CTYPE"},
                          " ".join(sorted(os.environ))),
    "read-only system": (not writable, " ".join(writable)),
    "no other process": (all(int(name) <= os.getpid() for name in os.listdir("/proc") if name.isdigit()), ""),
    "tools": (not tools, "missing: " + " ".join(tools) if tools else ""),
    "process limit": (0 < limit <= 4096 and forks() < limit, "limit %d" % limit),
}
json.dump({name: [bool(ok), detail] for name, (ok, detail) in found.items()}, sys.stdout)
"""


class Check(NamedTuple):
    """`detail` is for people: what was found or, where the sandbox failed, bubblewrap's words and the remedy."""

    check: str
    ok: bool
    detail: str


def selftest(sandbox: Sandbox) -> list[Check]:
    """Return one Check per promise. The first says whether the sandbox runs at all; alone, if it does not.

    Where sandboxes are made in advance, one of those is tried as well.
    """
    checks = _tried(sandbox.run(Job(language="python", source=CANARY, timeout=CANARY_SECONDS, start="cold")), "")
    if not checks[0].ok:
        return checks
    done = sandbox.run(Job(language="python", source=CANARY, timeout=CANARY_SECONDS, start="warm"))
    return checks + _tried(done, ADVANCE) if done.warm else checks


def _tried(done: Completed, prefix: str) -> list[Check]:
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return [Check(f"{prefix}sandbox runs", False, _failure(done))]
    checks = [Check(f"{prefix}{name}", ok, detail.strip()) for name, (ok, detail) in found.items()]
    return [Check(f"{prefix}sandbox runs", True, ""), *checks]


def _failure(done: Completed) -> str:
    said = done.stderr.decode(errors="replace").strip()
    return done.message or f"The canary hook ended with {done.exit_code}: {said}"
