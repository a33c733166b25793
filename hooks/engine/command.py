"""Command hooks: run in the sandbox, and what exit code and output mean (R14, R17 to R21)."""

from dataclasses import dataclass

from hooks.engine import strictjson
from hooks.engine.errors import ErrorCode, HookError
from hooks.engine.events import EVENTS
from hooks.engine.sandbox.protocol import STDOUT_LIMIT, Completed
from hooks.engine.verdict import Answer, Verdict, decide, refuse

OBJECTION = 2
HIGHEST_SIGNAL = 64
EXCERPT = 200


@dataclass(frozen=True, slots=True)
class CommandReply:
    """A command hook's answer beside the evidence for it. `exit_code` and `signal` are never both set."""

    answer: Answer
    exit_code: int | None
    signal: int | None
    stdout: str
    stderr: str


def read(event: str, done: Completed, *, name: str, timeout: int) -> CommandReply:
    """Read what became of a command hook's process."""
    stdout, stderr = _text(done.stdout), _text(done.stderr)
    exit_code, signal = (None, done.signal) if done.signal else _split(done.exit_code)
    if done.status != "exited":
        answer: Answer = _not_exited(done, timeout)
        exit_code = signal = None
    elif signal is not None:
        answer = HookError("signal", done.message or f"It was killed by signal {signal}.{_tail(stderr)}")
    elif exit_code == OBJECTION:
        answer = refuse(event, stderr.strip() or _reason_on(done.stdout), name=name)
    elif exit_code != 0:
        answer = HookError("exit_code", f"It exited with code {exit_code}.{_tail(stderr)}")
    else:
        answer = _on_success(event, done.stdout, stdout, name)
    return CommandReply(answer, exit_code, signal, stdout, stderr)


def _split(code: int | None) -> tuple[int | None, int | None]:
    """Tell an exit code from a reported 128 + n, which is signal n (R21)."""
    if code is not None and 128 < code <= 128 + HIGHEST_SIGNAL:
        return None, code - 128
    return code, None


def _not_exited(done: Completed, timeout: int) -> HookError:
    texts: dict[str, tuple[ErrorCode, str]] = {
        "timeout": ("timeout", f"It did not end within {timeout} s."),
        "output_too_large": ("output_too_large", f"It wrote more than {STDOUT_LIMIT:,} bytes to stdout."),
        "could_not_start": ("could_not_start", done.message or "It could not be started."),
        "unavailable": ("sandbox_unavailable", done.message or "The sandbox is not available."),
        "cancelled": ("could_not_start", "It was cancelled."),
    }
    return HookError(*texts[done.status])


def _on_success(event: str, raw: bytes, stdout: str, name: str) -> Answer:
    if not stdout.strip():
        return Verdict(outcome=EVENTS[event].silent)
    try:
        found = strictjson.loads(raw)
    except ValueError as error:
        return HookError("output_not_json", f"Its stdout is not one JSON object: {error}. {_excerpt(stdout)}")
    if not isinstance(found, dict):
        return HookError("output_not_json", f"Its stdout is JSON, but not an object. {_excerpt(stdout)}")
    return decide(event, found, source="command", name=name)


def _reason_on(stdout: bytes) -> str | None:
    """Find the reason that an objection gave as JSON in place of stderr (R20)."""
    try:
        found = strictjson.loads(stdout)
    except ValueError:
        return None
    reason = found.get("reason") if isinstance(found, dict) else None
    return reason if isinstance(reason, str) else None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _tail(stderr: str) -> str:
    last = stderr.strip().rsplit("\n", 1)[-1]
    return f" Its stderr ends: {last[-EXCERPT:]}" if last else ""


def _excerpt(stdout: str) -> str:
    text = stdout.strip()
    return f"It wrote: {text[:EXCERPT]}" + ("…" if len(text) > EXCERPT else "")
