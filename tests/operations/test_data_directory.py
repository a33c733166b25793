"""The data directory: made with tight permissions, used by one instance, with sockets whose paths fit."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from stack import data
from stack.options import ROOT
from stack.steps import Problem


def test_it_works(tmp_path: Path) -> None:
    place = data.take(tmp_path / "var")
    assert {path.name for path in place.path.iterdir()} == {
        *("lock", "logs", "metrics", "redis", "run", "secret_key", "static")
    }
    os.close(place.lock)


def test_others_may_read_nothing(tmp_path: Path) -> None:
    place = data.take(tmp_path / "var")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [place.path, *place.path.iterdir()]}
    assert modes.pop("secret_key") == modes.pop("lock") == 0o600
    assert set(modes.values()) == {0o700}
    os.close(place.lock)


def test_the_key_stays_the_same(tmp_path: Path) -> None:
    for _ in range(2):
        os.close(data.take(tmp_path).lock)
        keys = {(tmp_path / "secret_key").read_text()}
    assert len(keys) == 1
    assert len(keys.pop()) >= 50


def test_an_empty_key_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "secret_key").touch()
    os.close(data.take(tmp_path).lock)
    assert (tmp_path / "secret_key").read_text()


def test_a_second_instance_is_refused_by_the_pid_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "WAIT_FOR_LOCK", 0.1)
    code = (
        "import sys, time; from pathlib import Path; from stack import data; "
        "data.take(Path(sys.argv[1])); print(flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, tmp_path], cwd=ROOT, stdout=subprocess.PIPE) as first:
        assert first.stdout
        first.stdout.readline()
        with pytest.raises(Problem, match=f"kill {first.pid}"):
            data.take(tmp_path)
        first.kill()
    os.close(data.take(tmp_path).lock)


def test_a_long_path_gets_sockets_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("long" * 30)
    place = data.take(deep)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(place.run / "redis.sock"))
    assert (deep / "run").resolve() == place.run
    os.close(place.lock)
    data.remove_sockets(deep / "run")
    assert not place.run.exists()
    assert not (deep / "run").is_symlink()


def test_sockets_of_a_killed_instance_are_removed(tmp_path: Path) -> None:
    place = data.take(tmp_path)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(place.run / "redis.sock"))
    os.close(place.lock)
    again = data.take(tmp_path)
    assert list(again.run.iterdir()) == []
    os.close(again.lock)


def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Problem, match="--data"):
        data.take(tmp_path / "file" / "var")
