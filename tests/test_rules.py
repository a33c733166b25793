"""Every rule of what a hook is and what the engine does is named by a test."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
RULES = [f"R{number}" for number in range(1, 36)]


@pytest.fixture(scope="module")
def named() -> set[str]:
    """The rules in the names and docstrings of tests, as `test_r12_...` or `(R12)`."""
    sources = [path.read_text() for path in TESTS.rglob("*.py") if path != Path(__file__)]
    found = re.findall(r"(?:(?<=_)[rR]|\bR)([0-9]+)(?=_|\b)", "\n".join(sources))
    return {f"R{number}" for number in found}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_named(rule, named):
    assert rule in named


def test_no_test_names_a_rule_that_does_not_exist(named):
    assert named <= set(RULES)
