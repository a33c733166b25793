"""Packages are installed once, again after a change, and from nothing after an interruption."""

from pathlib import Path

import pytest

from stack import venv
from stack.children import Finished
from stack.steps import Problem


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A checkout in tmp_path, where making a venv and installing are noted and not done."""
    noted: list[str] = []

    def run(command: list[str], **_: str) -> Finished:
        noted.append(command[3])
        if command[3] == "venv":
            (tmp_path / ".venv" / "bin").mkdir()
            (tmp_path / ".venv" / "bin" / "python").touch()
            (tmp_path / ".venv" / "pyvenv.cfg").touch()
        return Finished(0, "", "")

    monkeypatch.setattr(venv, "run", run)
    (tmp_path / "requirements.txt").write_text("one\n")
    (tmp_path / "requirements-dev.txt").write_text("two\n")
    return noted


def test_it_works(tmp_path: Path, calls: list[str]) -> None:
    assert venv.ensure(tmp_path) == "requirements.txt installed in .venv"
    assert calls == ["venv", "pip"]


def test_a_second_start_does_nothing(tmp_path: Path, calls: list[str]) -> None:
    venv.ensure(tmp_path)
    calls.clear()
    assert venv.ensure(tmp_path) == "already installed"
    assert calls == []


@pytest.mark.parametrize("changed", ["requirements.txt", ".venv/pyvenv.cfg"])
def test_a_change_installs_anew(tmp_path: Path, calls: list[str], changed: str) -> None:
    venv.ensure(tmp_path)
    calls.clear()
    (tmp_path / changed).write_text("other\n")
    venv.ensure(tmp_path)
    assert calls == ["pip", "pip"]


def test_other_requirements_are_installed_into_the_same(tmp_path: Path, calls: list[str]) -> None:
    venv.ensure(tmp_path)
    calls.clear()
    venv.ensure(tmp_path, "requirements-dev.txt")
    assert calls == ["pip", "pip"]
    assert venv.ensure(tmp_path) == venv.ensure(tmp_path, "requirements-dev.txt") == "already installed"


def test_an_interrupted_install_starts_from_nothing(
    tmp_path: Path, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(venv, "install", killed)
        with pytest.raises(KeyboardInterrupt):
            venv.ensure(tmp_path)
    half = tmp_path / ".venv" / "half-copied"
    half.touch()
    venv.ensure(tmp_path)
    assert not half.exists()
    assert calls == ["venv", "venv", "pip"]


def test_an_interpreter_that_is_gone_starts_from_nothing(tmp_path: Path, calls: list[str]) -> None:
    venv.ensure(tmp_path)
    (tmp_path / ".venv" / "bin" / "python").unlink()
    calls.clear()
    venv.ensure(tmp_path)
    assert calls == ["venv", "pip"]


def test_a_failure_says_what_pip_said(tmp_path: Path, calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    venv.ensure(tmp_path)
    (tmp_path / "requirements.txt").write_text("nonsense\n")
    monkeypatch.setattr(venv, "sound", lambda _: True)
    monkeypatch.setattr(venv, "run", lambda *_, **__: Finished(1, "", "No matching distribution found for nonsense"))
    with pytest.raises(Problem, match="No matching distribution"):
        venv.ensure(tmp_path)


def test_a_foreign_checkout_names_its_owner(tmp_path: Path, calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venv.os, "access", lambda *_: False)
    with pytest.raises(Problem, match=f"it belongs to {tmp_path.owner()}"):
        venv.ensure(tmp_path)
