"""The order of things: check, install, prepare, start, wait, watch, stop."""

import contextlib
import os
import signal
import sys
import time
from types import FrameType

from stack import data, listener, options, prepare, programs, ready, redis, venv
from stack.children import run
from stack.data import Data
from stack.options import ROOT, Options
from stack.steps import Problem, say, step
from stack.supervisor import Supervisor

WAIT_FOR_READY = 60.0
# Without these the portal serves nothing; the others it does without, and says so.
NEEDED = {"database", "broker", "worker"}


class Stopped(BaseException):
    """Ctrl+C, SIGTERM, or the terminal was closed."""


def stop(number: int, frame: FrameType | None) -> None:
    raise Stopped


def main() -> int:
    chosen = options.parse()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    supervisor = Supervisor()
    try:
        if chosen.install:
            say(f"  {venv.ensure(ROOT, chosen.install)}")
            return 0
        up(chosen, supervisor)
    except Stopped:
        return 0
    except Problem as problem:
        say(f"\n{problem}")
        return 1
    finally:
        close(chosen, supervisor)
    return 0


def up(chosen: Options, supervisor: Supervisor) -> None:
    begun = time.monotonic()
    if note := data.become_owner(chosen.data, ROOT):
        say(f"  {note}")
    place = data.take(chosen.data)
    socket = listener.bind(chosen.host, chosen.port)
    os.environ["PORTAL_DATA"] = str(place.path)
    with step("Packages") as told:
        told(venv.ensure(ROOT))
    first_words = start_all(chosen, supervisor, place, socket.fileno())
    with step("Ready") as told:
        lacking = wait_until_ready(supervisor, chosen.host, socket.getsockname()[1])
        told("without " + ", ".join(lacking) if lacking else "all parts answer")
    for name, why in lacking.items():
        say(f"  Without {name}: {why}")
    announce(chosen, socket.getsockname()[1], first_words, time.monotonic() - begun)
    supervisor.watch()


def start_all(chosen: Options, supervisor: Supervisor, place: Data, socket: int) -> str:
    supervisor.start(programs.runner(place))
    start_broker(supervisor, place)
    prepared = prepare.Prepared(place, chosen.demo)
    first_words = ""
    if prepared.still_good():
        with step("Database") as told:
            told("unchanged since the last start")
    else:
        prepare.migrate_and_collect(place)
        first_words = prepare.set_up_instance(place, chosen.demo)
        prepared.remember()
    supervisor.start(programs.worker(place))
    supervisor.start(programs.web(place, socket))
    supervisor.start(programs.player(place))
    return first_words


def start_broker(supervisor: Supervisor, place: Data) -> None:
    with step("Redis") as told:
        if os.environ.get("REDIS_URL"):
            reach_broker()
            told("the one that REDIS_URL names")
            return
        program = programs.broker(place)
        supervisor.start(program)
        redis.wait(place.run / "redis.sock", program.log)
        told(f"private, by {program.command[0]}")


def reach_broker() -> None:
    code = "import os, redis; redis.Redis.from_url(os.environ['REDIS_URL'], socket_timeout=5).ping()"
    done = run([str(programs.PYTHON), "-I", "-c", code])
    if done.returncode:
        raise Problem(
            "Redis does not answer.", done.tail(1), "Check REDIS_URL; without it, bin/up starts a Redis of its own."
        )


def wait_until_ready(supervisor: Supervisor, host: str, port: int) -> dict[str, str]:
    deadline = time.monotonic() + WAIT_FOR_READY
    address = listener.LOCAL.get(host, host)
    while True:
        supervisor.check()
        answer = ready.ask(address, port)
        if answer and not (missing := ready.missing(answer) & NEEDED):
            return ready.lacking(answer)
        if time.monotonic() > deadline:
            why = ", ".join(sorted(missing)) + " not ready" if answer else "/readyz does not answer"
            raise Problem(
                "The portal did not become ready.",
                why + supervisor.last_words(),
                "The whole logs are in the data directory, in logs/.",
            )
        time.sleep(0.1)


def announce(chosen: Options, port: int, first_words: str, seconds: float) -> None:
    host = f"[{chosen.host}]" if ":" in chosen.host else chosen.host
    say(
        f"\nThe portal runs at http://{host}:{port} (started in {seconds:.1f} s). "
        f"Logs: {chosen.data / 'logs'}. Ctrl+C stops it."
    )
    if first_words:
        say(first_words)
    if not os.environ.get("ALLOWED_HOSTS") and chosen.host not in {"127.0.0.1", "::1", "localhost"}:
        say("Set ALLOWED_HOSTS to the names that people will use for it.")


def close(chosen: Options, supervisor: Supervisor) -> None:
    """Stop everything; a second signal must not leave half of it running."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if supervisor.running:
        begun = time.monotonic()
        supervisor.stop()
        say(f"Stopped in {time.monotonic() - begun:.1f} s.")
        with contextlib.suppress(OSError):
            data.remove_sockets(chosen.data / "run")
    sys.stdout.flush()
