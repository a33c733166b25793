"""Whether a script parses, asked of the real parsers in the sandbox, since hostile source can exhaust one."""

import hashlib
import threading

from hooks.engine.sandbox.protocol import Job, Language, Sandbox

SECONDS = 10.0
CACHE_SIZE = 2048
GAVE_UP = "the parser gave up on it."
# The source comes on stdin: the program below is ours, and what it reads is never run.
_BASH = "bash -O extglob -n /dev/stdin 2>&1 | sed 's#^/dev/stdin: ##' | head -c 2000\nexit ${PIPESTATUS[0]}\n"
_PYTHON = """\
import sys
try:
    compile(sys.stdin.buffer.read(), "script", "exec", dont_inherit=True)
except SyntaxError as error:
    print(f"line {error.lineno}: {error.msg}")
    sys.exit(1)
except (ValueError, MemoryError, RecursionError, OverflowError) as error:
    print(f"{type(error).__name__}: {error}")
    sys.exit(1)
"""


class SyntaxChecker:
    """Says what is wrong with a source, or None. A sandbox that cannot be asked is no fault of the source.

    Callable from many threads; remembers the answers of the last CACHE_SIZE sources.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._lock = threading.Lock()
        self._known: dict[bytes, str | None] = {}

    def __call__(self, language: Language, source: str) -> str | None:
        data = source.encode("utf-8", "replace")
        key = hashlib.sha256(language.encode() + b"\x00" + data).digest()
        with self._lock:
            if key in self._known:
                return self._known[key]
        done = self._sandbox.run(
            Job(language=language, source=_BASH if language == "bash" else _PYTHON, stdin=data, timeout=SECONDS)
        )
        if done.status in ("unavailable", "could_not_start", "cancelled"):
            return None
        if done.status != "exited":
            return GAVE_UP  # a busy machine may be the cause, so it is asked again the next time
        fault = None if done.exit_code == 0 else _fault(done.stdout)
        with self._lock:
            self._known[key] = fault
            while len(self._known) > CACHE_SIZE:
                del self._known[next(iter(self._known))]
        return fault


def _fault(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    return first[:300] or GAVE_UP
