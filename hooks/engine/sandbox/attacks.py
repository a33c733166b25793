"""Scripts that try to break out: the short form, which `manage.py check_sandbox` runs. The rest is in tests/attacks/.

Each prints ESCAPED where it got what it must not get, and DONE at its end.
"""

from typing import NamedTuple

from hooks.engine.sandbox.protocol import Completed, Job, Language, Sandbox, Status

PRELUDE = """
import ctypes, errno, glob, os, signal, socket, subprocess, sys, time

def attempt(what, call, *arguments):
    try:
        got = call(*arguments)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return None
    print("ESCAPED", what, repr(got)[:200], flush=True)
    return got

def read(path):
    with open(path, "rb") as file:
        return file.read(1 << 20)

"""
DONE = '\nprint("DONE")\n'


class Attack(NamedTuple):
    """`contained` says in words what must hold; `statuses` and `seconds` how the attack may end, and after how long.

    `finishes`: the script must reach its end, so that a script that breaks early does not pass for a wall.
    """

    name: str
    group: str
    contained: str
    source: str
    language: Language = "python"
    statuses: tuple[Status, ...] = ("exited",)
    finishes: bool = True
    signal: int | None = None
    timeout: float = 10.0
    seconds: float = 12.0

    def job(self) -> Job:
        source = PRELUDE + self.source + DONE if self.language == "python" else self.source + "\necho DONE\n"
        return Job(language=self.language, source=source, timeout=self.timeout, transcript=b"user: hello\n")


def escape(attack: Attack, done: Completed) -> str:
    """Return how the attack escaped; empty where it was contained."""
    printed = (done.stdout + done.stderr).decode(errors="replace")
    if "ESCAPED" in printed:
        return printed[printed.index("ESCAPED") :][:300]
    if done.status not in attack.statuses:
        return f"ended as {done.status}: {done.message} {printed[-300:]}"
    if attack.signal is not None and done.signal != attack.signal:
        return f"signal {done.signal} where {attack.signal} was due: {printed[-300:]}"
    if attack.finishes and "DONE" not in printed:
        return f"did not reach its end (exit code {done.exit_code}): {printed[-300:]}"
    if done.duration_ms > attack.seconds * 1000:
        return f"took {done.duration_ms / 1000:.1f} s of {attack.seconds:g}"
    return ""


def run(sandbox: Sandbox, attack: Attack) -> str:
    """Run it and return how it escaped; empty where it was contained."""
    return escape(attack, sandbox.run(attack.job()))


SHORT = (
    Attack(
        "internet-socket",
        "network",
        "no internet socket can be made",
        "for family in (socket.AF_INET, socket.AF_INET6):\n"
        "    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):\n"
        "        attempt('socket', socket.socket, family, kind)\n",
    ),
    Attack(
        "vsock", "network", "no socket to the hypervisor", "attempt('vsock', socket.socket, 40, socket.SOCK_STREAM)\n"
    ),
    Attack(
        "netlink", "network", "no socket to the kernel", "attempt('netlink', socket.socket, 16, socket.SOCK_RAW, 0)\n"
    ),
    Attack(
        "host-files",
        "host files",
        "no file of the machine beyond /usr",
        "for path in ('/etc/shadow', '/etc/passwd', '/etc/hostname', '/root/.bashrc', '/home', '/var/log', '/opt', '/srv',\n"
        "             '/boot', '/sys/kernel', '/run', '/usr/local/bin', '/usr/src/linux', '/proc/1/root/etc'):\n"
        "    attempt(path, lambda: os.listdir(path) or 1 / 0 if os.path.isdir(path) and os.listdir(path) else read(path))\n",
    ),
    Attack(
        "environment",
        "environment",
        "no variable of the portal, in no process's environment",
        "known = {'PATH', 'HOME', 'LANG', 'PYTHONUTF8', 'TZ', 'PWD', 'LC_CTYPE'}\n"
        "if set(os.environ) - known: print('ESCAPED', dict(os.environ))\n"
        "for path in glob.glob('/proc/[0-9]*/environ'):\n"
        "    names = {v.split(b'=')[0].decode() for v in read(path).split(b'\\0') if v}\n"
        "    if names - known: print('ESCAPED', path, names)\n",
    ),
    Attack(
        "init-memory",
        "processes",
        "the sandbox's own init is out of reach",
        "for name in ('mem', 'maps', 'environ', 'cmdline', 'fd', 'root', 'ns/mnt'):\n"
        "    attempt(name, os.open, '/proc/1/' + name, os.O_RDONLY)\n",
    ),
    Attack(
        "fork-bomb",
        "processes",
        "ends with the time limit, and the machine stays usable",
        "bomb() { bomb | bomb & }; bomb; sleep 30",
        language="bash",
        statuses=("timeout",),
        finishes=False,
        timeout=2,
        seconds=6,
    ),
    Attack(
        "daemon",
        "processes",
        "a process that leaves its session does not outlive the hook, nor delay its answer",
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(600)\n    os._exit(0)\n",
        seconds=5,
    ),
    Attack(
        "memory-of-all",
        "memory",
        "the bound is for all processes together",
        "for _ in range(4):\n    if os.fork() == 0:\n        block = bytearray(200 << 20)\n"
        "        for place in range(0, len(block), 4096): block[place] = 1\n        time.sleep(8)\n        os._exit(0)\n"
        "time.sleep(8)\nprint('ESCAPED 800 MB held')\n",
        finishes=False,
        signal=9,
    ),
    Attack(
        "endless-output",
        "output",
        "stopped after 1 MiB",
        "yes",
        language="bash",
        statuses=("output_too_large",),
        finishes=False,
        seconds=5,
    ),
    Attack(
        "full-disk",
        "disk",
        "no more than /tmp's size can be written",
        "total = 0\ntry:\n    for number in range(64):\n        with open(f'/tmp/{number}', 'wb') as file:\n"
        "            total += file.write(bytes(8 << 20))\n"
        "except OSError: pass\nif total > 70 << 20: print('ESCAPED', total)\n",
        finishes=False,
    ),
    Attack(
        "read-only",
        "files of the sandbox",
        "nothing but /tmp can be written",
        "for place in ('/', '/usr', '/usr/bin', '/usr/local', '/usr/src', '/etc', '/dev', '/hook', '/mnt',\n"
        "              '/mnt/data', '/proc',\n"
        "              '/proc/sys/kernel', '/proc/1', '/lib/x86_64-linux-gnu'):\n"
        "    attempt(place, os.open, place + '/new', os.O_CREAT | os.O_WRONLY)\n"
        "for path in ('/hook/script', '/mnt/data/hook_transcript.txt', '/usr/bin/env'):\n"
        "    attempt(path, os.open, path, os.O_WRONLY)\n    attempt(path, os.chmod, path, 0o777)\n"
        "    attempt(path, os.unlink, path)\n",
    ),
    Attack(
        "new-namespace",
        "kernel surface",
        "no namespace, and so no capability, can be had",
        "libc = ctypes.CDLL(None, use_errno=True)\nfor flag in (0x10000000, 0x20000, 0x40000000, 0x20000000):\n"
        "    if libc.unshare(flag) == 0: print('ESCAPED unshare', hex(flag))\n",
    ),
    Attack(
        "stubborn",
        "time",
        "killed though it ignores signals",
        "trap '' TERM INT HUP; sleep 60",
        "bash",
        ("timeout",),
        False,
        None,
        1,
        4,
    ),
)
