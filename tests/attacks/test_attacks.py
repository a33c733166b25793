"""Every attack, as root (where the tests run as root) and as an ordinary user."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hooks.engine.sandbox import attacks, usage
from hooks.engine.sandbox.attacks import Attack
from hooks.engine.sandbox.client import RunnerSandbox
from tests.attacks import bounds, kernel, reach
from tests.sandbox_fixture import eventually, ordinary, running

ALL = [*attacks.SHORT, *reach.ATTACKS, *bounds.ATTACKS, *kernel.ATTACKS]
SECRET = {"SECRET_KEY": "canary-secret-7f3a", "OPENAI_API_KEY": "canary-secret-7f3a"}


@pytest.fixture(scope="module", params=["root", "ordinary user"])
def victim(request: pytest.FixtureRequest) -> Iterator[RunnerSandbox]:
    if request.param == "root" and os.getuid() != 0:
        pytest.skip("not run as root: the tests were started by an ordinary user")
    with running(env=SECRET) if request.param == "root" else ordinary(env=SECRET) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def host_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    directory = tmp_path_factory.mktemp("host")
    for name, mode in (("secret", 0o600), ("open", 0o644)):
        (directory / name).write_text("of the host")
        (directory / name).chmod(mode)
    root = str(Path(__file__).parent.parent.parent)
    return {"@SECRET@": str(directory / "secret"), "@OPEN@": str(directory / "open"), "@ROOT@": root}


def test_there_are_enough() -> None:
    assert len(ALL) >= 70
    assert len({attack.name for attack in ALL}) == len(ALL)


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_contained(victim: RunnerSandbox, host_files: dict[str, str], attack: Attack) -> None:
    source = attack.source
    for mark, path in (host_files | {"@SOCKET@": victim._path}).items():
        source = source.replace(mark, path)
    assert not attacks.run(victim, attack._replace(source=source)), attack.contained
    pid = victim.process.pid  # type: ignore[attr-defined]
    assert eventually(lambda: len(usage.children(pid)) <= 1), "something besides the reaper is left"


def test_leftovers(victim: RunnerSandbox) -> None:
    for number in range(3):
        left = victim.run(
            attacks.Job(
                language="bash",
                source="ls -A /tmp /dev/shm/ | grep left; echo x >/tmp/left; ipcs 2>/dev/null | grep 0x",
            )
        )
        assert b"left" not in left.stdout, number
