"""Every attack, as root (where the tests run as root) and as an ordinary user, in sandboxes made then and in advance."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hooks.engine.sandbox import attacks, usage
from hooks.engine.sandbox.attacks import Attack
from hooks.engine.sandbox.client import RunnerSandbox
from hooks.engine.sandbox.protocol import Completed, Job, Start
from tests.attacks import bounds, kernel, reach
from tests.sandbox_fixture import eventually, ordinary, running

ALL = [*attacks.SHORT, *reach.ATTACKS, *bounds.ATTACKS, *kernel.ATTACKS]
SECRET = {"SECRET_KEY": "canary-secret-7f3a", "OPENAI_API_KEY": "canary-secret-7f3a"}


@pytest.fixture(scope="module", params=["root", "ordinary user"])
def victim(request: pytest.FixtureRequest) -> Iterator[RunnerSandbox]:
    if request.param == "root" and os.getuid() != 0:
        pytest.skip("not run as root: the tests were started by an ordinary user")
    who = running if request.param == "root" else ordinary
    with who("--pool", "2", env=SECRET) as sandbox:
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


class Started:
    """Starts every job in one way, and sees to it that it was."""

    def __init__(self, sandbox: RunnerSandbox, start: Start) -> None:
        self.sandbox, self.start = sandbox, start

    def run(self, job: Job, **_: object) -> Completed:
        done = self.sandbox.run(replace(job, start=self.start))
        assert done.warm == (self.start == "warm"), done
        return done


def only_those_that_wait(sandbox: RunnerSandbox) -> bool:
    """Besides the reaper, is there a bubblewrap for each sandbox made in advance, and nothing else?"""
    pool = sandbox.status()["pool"]
    waiting = sum(pool[language]["ready"] + pool[language]["building"] for language in ("bash", "python"))
    return len(usage.children(sandbox.process.pid)) <= 1 + waiting  # type: ignore[attr-defined]


@pytest.mark.parametrize("start", ["cold", "warm"])
@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_contained(victim: RunnerSandbox, host_files: dict[str, str], attack: Attack, start: Start) -> None:
    source = attack.source
    for mark, path in (host_files | {"@SOCKET@": victim._path}).items():
        source = source.replace(mark, path)
    assert not attacks.run(Started(victim, start), attack._replace(source=source)), attack.contained
    assert eventually(lambda: only_those_that_wait(victim)), "something of the attack is left"


@pytest.mark.parametrize("start", ["cold", "warm"])
def test_leftovers(victim: RunnerSandbox, start: Start) -> None:
    for number in range(3):
        left = Started(victim, start).run(
            Job(
                language="bash",
                source="ls -A /tmp /dev/shm/ | grep left; echo x >/tmp/left; ipcs 2>/dev/null | grep 0x",
            )
        )
        assert b"left" not in left.stdout, number
