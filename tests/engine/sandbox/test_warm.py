"""Sandboxes made in advance: the same world as any other, used once, never when something is wrong with them."""

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace

import pytest

from hooks.engine.sandbox import blanks, pool, prepared, spawn, usage, wire
from hooks.engine.sandbox.box import Box
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.evaluation import Evaluation, Order, Outcome
from hooks.engine.sandbox.limits import Limits
from hooks.engine.sandbox.policy import Policy
from hooks.engine.sandbox.pool import Waiting
from hooks.engine.sandbox.protocol import Completed, Job, Language, Start
from hooks.engine.sandbox.reaper import members
from hooks.engine.sandbox.selftest import selftest
from tests.engine.sandbox.conftest import InProcess, served
from tests.engine.sandbox.test_parts import HERE, pretender
from tests.sandbox_fixture import eventually, ordinary, running

LANGUAGES = pytest.mark.parametrize("language", ["bash", "python"])


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory that no other runner uses."""
    monkeypatch.setattr(blanks, "directory", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def warm() -> Iterator[InProcess]:
    with served(pool=1) as sandbox:
        assert eventually(lambda: ready(sandbox) == [1, 1], 10)
        yield sandbox


def ready(sandbox: InProcess) -> list[int]:
    state = sandbox.status()["pool"]
    return [state[language]["ready"] for language in ("bash", "python")]


def waiting(sandbox: InProcess, language: Language) -> Waiting:
    (one,) = sandbox.server._pool._all[language]
    return one


def run(sandbox: InProcess, language: Language, source: str, start: Start = "warm", **more: object) -> Completed:
    return sandbox.run(Job(language=language, source=source, start=start, **more))  # type: ignore[arg-type]


@LANGUAGES
def test_it_works(warm: InProcess, language: Language) -> None:
    source = {"bash": "cat; exit 3", "python": "import sys; print(sys.stdin.read(), end=''); sys.exit(3)"}[language]
    done = run(warm, language, source, "any", stdin=b"told")
    assert (done.status, done.exit_code, done.stdout, done.stderr, done.warm) == ("exited", 3, b"told", b"", True)
    assert eventually(lambda: ready(warm) == [1, 1])
    state = warm.status()["pool"][language]
    assert (state["hits"], state["misses"], state["size"], state["building"]) == (1, 0, 1, 0)
    assert state["bytes"] > 0


@pytest.mark.parametrize("start", ["cold", "warm"])
def test_python_holds_no_line_back_while_somebody_watches(warm: InProcess, start: Start) -> None:
    pieces: list[bytes] = []
    job = Job(language="python", source="import time; print('one'); time.sleep(0.3); print('two')", start=start)
    done = warm.run(job, on_output=lambda stream, piece: pieces.append(piece))
    assert (b"".join(pieces[:-1]), done.stdout, done.warm) == (b"one\n", b"one\ntwo\n", start == "warm")


WORLD = {
    "python": r"""
import atexit, io, os, signal, sys, threading
modules = set(sys.modules) - set("_datetime _json _sre array copyreg datetime enum functools json json.decoder json.encoder"
    " json.scanner keyword math operator re re._casefix re._compiler re._constants re._parser reprlib types itertools"
    " collections _collections _functools _operator _struct struct numbers gc".split())
import resource, json
print(sorted(globals()), sorted(modules), sys.argv, sys.orig_argv, sys.path, sorted(sys.path_importer_cache), sys.flags)
print(__name__, __file__, __spec__, type(__loader__), __builtins__ is sys.modules["builtins"], sys.exc_info())
print(os.getcwd(), dict(os.environ), os.getpid(), os.getppid(), os.getsid(0), os.getpgid(0), os.umask(0), os.getgroups())
print([signal.getsignal(n) for n in signal.valid_signals()], signal.pthread_sigmask(0, []))
print([(name, resource.getrlimit(getattr(resource, name))) for name in dir(resource) if name.startswith("RLIMIT_")])
print(sorted(os.listdir("/proc/self/fd")), os.readlink("/proc/self/fd/0"), os.lseek(0, 0, 1), os.fstat(0).st_size)
print([(s.encoding, s.errors, s.line_buffering, s.isatty()) for s in (sys.stdin, sys.stdout, sys.stderr)])
print(open("/proc/self/cmdline").read(), open("/proc/1/comm").read() if os.path.exists("/proc/1/comm") else "")
print(open("/proc/self/environ").read(), os.listdir("/tmp"), os.statvfs("/tmp").f_blocks, os.nice(0), threading.active_count())
for path in ("/hook/script", "/mnt/data/hook_transcript.txt"):
    found = os.stat(path)
    print(path, open(path).read(), oct(found.st_mode), found.st_uid, found.st_gid, found.st_size)
print([line for line in open("/proc/self/status") if line.startswith(("Sig", "Cap", "No", "Sec", "Gro", "Uid", "Gid"))])
print(sys.stdin.read())
""",
    "bash": r"""
cat; echo "$0 $# $* $SHLVL $_ $- $BASHOPTS $PPID $$"; env | sort; ulimit -a; ulimit -aH; pwd; umask; trap -p
ls -l /proc/self/fd | awk '{print $9, $10, $11}' | sed 's/[0-9]\{4,\}/n/g'; tr '\0' '\n' </proc/$$/cmdline; ls -A /tmp
stat -c '%n %a %u %g %s' /hook/script /mnt/data/hook_transcript.txt; cat /mnt/data/hook_transcript.txt /hook/script
grep -E '^(Sig|Cap|No|Sec|Gro|Uid|Gid)' /proc/$$/status; declare -p | grep -vE 'SECONDS|RANDOM|EPOCH|BASHPID'
""",
}


@LANGUAGES
def test_same_world(warm: InProcess, language: Language) -> None:
    cold, hot = (
        run(warm, language, WORLD[language], start, stdin=b"\xc3\xa4", transcript=b"user: hi", timeout=40.0)
        for start in ("cold", "warm")
    )
    assert (cold.exit_code, cold.warm, hot.warm) == (0, False, True), cold
    assert hot.stdout.decode() == cold.stdout.decode()
    assert hot.stderr == cold.stderr


ENDINGS = [
    "1 / 0",
    "def f(): raise ValueError('x')\nf()",
    "x = = 1",
    "import sys; sys.exit(2)",
    "import sys; sys.exit('words')",
    "import os; os._exit(7)",
    "import os; print('lost'); os._exit(7)",
    "import os, signal; os.kill(os.getpid(), signal.SIGPIPE)",
    "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    "import atexit; atexit.register(print, 'last'); print('first')",
    "import sys; sys.stdout.write('no end of line'); sys.stderr.write('\\udce9')",
    "raise KeyboardInterrupt",
    "raise ImportError(name='usercustomize')",
    "import usercustomize",
    "print('\\ud800')",
    "# coding: latin-1\nprint('\u00e4')",
    "import threading; threading.Thread(target=lambda: print('thread')).start()",
    "import sys; sys.stdin.close(); input()",
    "import warnings; warnings.warn('careful')",
    "",
    "\ufeffprint(1)",
    "import json, re, datetime; print(json.dumps(re.findall('a', 'aa')), datetime.date(2020, 1, 1))",
]


@pytest.mark.parametrize("source", ENDINGS)
def test_same_ending(warm: InProcess, source: str) -> None:
    cold, hot = (run(warm, "python", source, start) for start in ("cold", "warm"))
    assert (cold.warm, hot.warm) == (False, True)
    assert (hot.exit_code, hot.stdout, hot.stderr) == (cold.exit_code, cold.stdout, cold.stderr)


def test_nothing_is_shared(warm: InProcess) -> None:
    source = "import random, sys; print(random.random(), hash('a')); sys.modules['json'].x = 1; open('/tmp/left', 'w')"
    answers = set()
    for _ in range(3):
        assert (
            run(warm, "python", "import json, os; assert not hasattr(json, 'x') and not os.listdir('/tmp')").exit_code
            == 0
        )
        answers.add(run(warm, "python", source).stdout)
    assert len(answers) == 3


@LANGUAGES
def test_bounds_hold(warm: InProcess, language: Language) -> None:
    endless = {"bash": "sleep 60", "python": "import time; time.sleep(60)"}[language]
    done = run(warm, language, endless, timeout=0.5)
    assert (done.status, done.warm, done.duration_ms < 3000) == ("timeout", True, True)
    seconds = {"bash": "ulimit -t", "python": "import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[1])"}[
        language
    ]
    assert run(warm, language, seconds, timeout=7.0).stdout.strip() == b"8"


@LANGUAGES
def test_empty_pool_goes_cold(warm: InProcess, language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm.server, "_idle", lambda now: False)
    assert [run(warm, language, "exit(0)" if language == "python" else "", "any").warm for _ in range(3)] == [
        True,
        False,
        False,
    ]
    assert warm.status()["pool"][language]["misses"] == 2


def test_much_to_copy_goes_cold(warm: InProcess) -> None:
    done = run(warm, "bash", "wc -c", "any", stdin=b"x" * 400_000)
    assert (done.stdout.strip(), done.warm) == (b"400000", False)
    assert run(warm, "bash", "true", "any", timeout=1000.0).warm is False


@LANGUAGES
def test_dead_ones_are_not_used(warm: InProcess, language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the runner has not been told yet."""
    one = waiting(warm, language)
    assert one.box.alive()
    monkeypatch.setattr(Box, "alive", lambda self: False)
    done = run(warm, language, "exit(4)" if language == "python" else "exit 4", "any")
    assert (done.exit_code, done.warm) == (4, False)
    monkeypatch.undo()
    assert eventually(lambda: ready(warm) == [1, 1], 5)
    assert not Path(f"/proc/{one.box.init}").exists()


@LANGUAGES
def test_dead_ones_are_replaced(warm: InProcess, language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "RETRY_SECONDS", 0.1)
    first = waiting(warm, language).box.init
    os.kill(first, signal.SIGKILL)
    assert eventually(lambda: not Path(f"/proc/{first}").exists())
    assert eventually(lambda: ready(warm) == [1, 1], 5)
    assert waiting(warm, language).box.init != first
    assert warm.status()["pool"]["fault"]


@pytest.mark.parametrize("language", ["bash", "python"])
def test_job_whose_sandbox_dies_first_goes_cold(
    warm: InProcess, language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the hand-over and the first thing that the hook could do."""
    hand_over = Box.hand_over

    def dying(self: Box, *arguments: object) -> None:
        stopped = usage.children(self.init) or [self.init]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        hand_over(self, *arguments)  # type: ignore[arg-type]
        if language == "bash":
            os.close(os.open(f"/proc/{os.getpid()}/fd/{self._spawned.gate}", os.O_WRONLY))
        os.kill(self.init, signal.SIGKILL)
        assert eventually(lambda: not self.alive())

    monkeypatch.setattr(Box, "hand_over", dying)
    done = run(warm, language, "exit(4)" if language == "python" else "exit 4", "any")
    assert (done.exit_code, done.warm) == (4, False)
    monkeypatch.undo()
    assert eventually(lambda: len(warm.server._free) == 2)


def test_cancelled_before_a_lost_job_is_started_again() -> None:
    answers: list[Outcome] = []
    ended: list[bool] = []
    box = SimpleNamespace(
        **{"stdout": 1, "stderr": 2, "open": set(), "init": 0, "blanks": True, "begun": lambda: False},
        **dict.fromkeys(("watch", "kill"), lambda *_: None),
    )
    evaluation = Evaluation(
        box,  # type: ignore[arg-type]
        Order(source=b"", timeout=5),
        lambda kind, piece: None,
        answers.append,
        ended.append,
        started=time.monotonic(),
    )
    evaluation.on_exit(137)
    evaluation.on_end()
    evaluation.end({"status": "cancelled"})
    evaluation.on_dead()
    assert [answer["status"] for answer in answers] == ["cancelled"]
    assert ended == [False]


def test_hand_over_to_one_that_is_gone(warm: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(Box, "hand_over", refuse)
    done = run(warm, "python", "exit(4)", "any")
    assert (done.exit_code, done.warm) == (4, False)
    monkeypatch.undo()
    assert eventually(lambda: ready(warm) == [1, 1], 5)
    assert warm.status()["pool"]["fault"] == ""


def test_old_ones_are_replaced(warm: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    first = waiting(warm, "bash").box.init
    monkeypatch.setattr(pool, "LONGEST_AGE", 0.0)
    assert eventually(lambda: not Path(f"/proc/{first}").exists())
    monkeypatch.undo()
    assert eventually(lambda: ready(warm) == [1, 1], 5)
    assert warm.status()["pool"]["fault"] == ""


def test_one_that_does_not_get_ready_is_given_up(names: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "SOURCE", "import time; time.sleep(60)")
    monkeypatch.setattr(pool, "BUILD_SECONDS", 0.3)
    with served(pool=1) as sandbox:
        assert eventually(lambda: "not ready after" in sandbox.status()["pool"]["fault"], 10)
        assert run(sandbox, "python", "exit(4)", "any").exit_code == 4
        assert eventually(lambda: not list(names.iterdir()))


def test_one_that_says_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        prepared, "SOURCE", "import os, sys; os.write({control}, b'?'); os.write(2, b'ah'); os._exit(3)"
    )
    with served(pool=1) as sandbox:
        assert eventually(lambda: sandbox.status()["pool"]["fault"] == "ah", 10)


def test_one_that_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "SOURCE", "import os; os._exit(3)")
    with served(pool=1) as sandbox:
        assert eventually(lambda: sandbox.status()["pool"]["fault"] == "ended with 3", 10)


def test_init_that_is_gone_when_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = 'given=$(tr "\\0" "\\n" <&$2); report=$(grep -A1 -e "^--json-status-fd" <<<"$given" | tail -1)\n'
    script += 'echo "{ \\"child-pid\\": 4194303 }" >&$report; echo "bwrap: something new" >&2; exit 1'
    with served(spawn=pretender(tmp_path, script)) as sandbox:
        done = run(sandbox, "bash", "true", "any")
    assert (done.status, "something new" in done.message) == ("unavailable", True)


def test_one_that_cannot_be_started() -> None:
    def refuse(_: Language) -> spawn.Spawned:
        raise OSError(11, "Resource temporarily unavailable")

    with served(pool=1, warm=refuse) as sandbox:
        assert eventually(lambda: "temporarily" in sandbox.status()["pool"]["fault"])
        assert run(sandbox, "bash", "exit 4", "any").exit_code == 4


def test_no_files_for_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(blanks, "directory", lambda: tmp_path / "none")
    before = sorted(Path("/proc/self/fd").iterdir())
    spawner = spawn.Spawner(HERE.bwrap, Policy(HERE, Limits()), b"", Path("/tmp/x"))
    with pytest.raises(FileNotFoundError):
        spawner.warm("python")
    assert sorted(Path("/proc/self/fd").iterdir()) == before


def test_python_that_reads_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits as bash does then."""
    monkeypatch.setattr(prepared, "place", lambda python, home: None)
    with served(pool=1) as sandbox:
        done = run(sandbox, "python", "import sys; print(sys.stdin.read())", stdin=b"told", transcript=b"hi")
    assert (done.stdout, done.warm) == (b"told\n", True)


def test_place(tmp_path: Path) -> None:
    assert prepared.place(HERE.python, "/tmp").match("/tmp/.local/lib/python3*/site-packages/usercustomize.py")
    assert prepared.place(HERE.python, "/home/x").parts[2] == "x"
    assert prepared.place(tmp_path, "/tmp") is None
    assert prepared.place(Path("/bin/echo"), "/tmp") is None


def test_names_left_behind_are_swept(tmp_path: Path) -> None:
    old, new, other = (tmp_path / name for name in (f"{blanks.PREFIX}a", f"{blanks.PREFIX}b", "c"))
    for path in (old, new, other):
        path.touch()
    os.utime(old, (1, 1))
    os.utime(other, (1, 1))
    blanks.sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == [other, new]


def test_machine_without_memory_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blanks.os, "access", lambda path, mode: False)
    assert blanks.directory() == Path(tempfile.gettempdir())


def test_job_waits_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(pool=1) as sandbox:
        assert [run(sandbox, "python", "").warm for _ in range(3)] == [True] * 3


def test_refilling_waits_while_calls_queue() -> None:
    with served(pool=1, places=1) as sandbox:
        sandbox.server._cores = 1
        assert eventually(lambda: ready(sandbox) == [1, 1], 10)
        with ThreadPoolExecutor(3) as callers:
            calls = [callers.submit(run, sandbox, "bash", "sleep 0.4", "any") for _ in range(3)]
            assert eventually(lambda: sandbox.status()["queued"] == 2, 0.3)
            assert ready(sandbox) == [0, 1]
            assert sandbox.status()["pool"]["bash"]["building"] == 0
            assert [call.result().exit_code for call in calls] == [0, 0, 0]
        assert eventually(lambda: ready(sandbox) == [1, 1], 5)


def test_nothing_is_left(names: Path, warm: InProcess) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    assert eventually(lambda: len(warm.server._free) == 2)
    before = descriptors()
    for _ in range(30):
        assert run(warm, "python", "import os; os.fork()").exit_code == 0
        assert run(warm, "bash", "sleep 30 & exit 3").exit_code == 3
    assert eventually(lambda: ready(warm) == [1, 1] and len(warm.server._free) == 2)
    assert eventually(lambda: descriptors() <= before)
    assert not list(names.iterdir())


@pytest.mark.parametrize("who", [running, ordinary])
def test_runner_that_is_killed_takes_all_along(who: Callable[..., AbstractContextManager[RunnerSandbox]]) -> None:
    with who("--pool", "2") as sandbox:
        assert eventually(lambda: sandbox.status()["pool"]["python"]["ready"] == 2, 10)
        pid = sandbox.process.pid  # type: ignore[attr-defined]
        sessions = usage.children(pid)
        assert [member for session in sessions for member in members(session)]
        sandbox.process.kill()  # type: ignore[attr-defined]
        assert eventually(lambda: not [member for session in sessions for member in members(session)], 10)


def test_off() -> None:
    with running("--pool", "0") as sandbox:
        assert run(sandbox, "python", "exit(4)", "warm").exit_code == 4  # type: ignore[arg-type]
        assert sandbox.status()["pool"]["python"]["size"] == 0


@pytest.mark.parametrize("who", [running, ordinary])
def test_selftest_tries_one(who: Callable[..., AbstractContextManager[RunnerSandbox]]) -> None:
    with who("--pool", "1") as sandbox:
        found = selftest(sandbox)
    names = [check.check for check in found]
    assert "no network" in names
    assert "made in advance: no network" in names
    assert [check for check in found if not check.ok] == []


def test_report_of_what_is_no_runner() -> None:
    with pytest.raises(ValueError, match="not a report"):
        wire.parse_report(b"")
