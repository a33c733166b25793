"""The evaluator and the syntax check with a real sandbox."""

import pytest

from hooks.engine.syntax import SyntaxChecker
from tests.engine.cast import hook, run
from tests.sandbox_fixture import sandbox

__all__ = ["sandbox"]


@pytest.fixture
def check(sandbox):
    return SyntaxChecker(sandbox)


def test_it_works(sandbox):
    script = "#!/bin/bash\njq -r .final_output >&2\ncat /mnt/data/hook_transcript.txt >&2\nexit 2\n"
    evaluation = run(hook("gate", command=None, script=script), sandbox=sandbox, transcript="user: ağustos\n")
    assert evaluation.reason == "Done.\nuser: ağustos"


def test_r17_a_script_that_never_reads_stdin_is_no_error(sandbox):
    evaluation = run(
        hook("gate", command="exit 0", failMode="block"), sandbox=sandbox, fields={"final_output": "x" * 2_000_000}
    )
    assert [one.outcome for one in evaluation.hooks] == ["allow"]


def test_r17_the_timeout_covers_the_writing_of_stdin(sandbox):
    evaluation = run(
        hook("gate", command="sleep 60", timeout=1, failMode="block"),
        sandbox=sandbox,
        fields={"final_output": "x" * 2_000_000},
    )
    assert evaluation.reason == "Hook 'gate' failed: It did not end within 1 s."


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("bash", "# nothing"),
        ("bash", "shopt -s extglob\n[[ a == @(a|b) ]]"),
        ("bash", "[[ a == !(b) ]] && exit 2"),
        ("bash", "cat <<END\nnever ended"),
        ("python", "print('é')"),
        ("python", "# -*- coding: latin-1 -*-\nx = 1"),
        ("python", "x = '\\d'"),
    ],
)
def test_what_parses_is_accepted(check, language, source):
    assert check(language, source) is None


@pytest.mark.parametrize(
    ("language", "source", "fault"),
    [
        ("bash", "if then", "line 1: syntax error near unexpected token `then'"),
        ("bash", "\necho 'x", "line 2: unexpected EOF while looking for matching"),
        ("bash", "f() {", "syntax error: unexpected end of file"),
        ("python", "def (:", "line 1: invalid syntax"),
        ("python", "x = 1\n  y = 2", "line 2: unexpected indent"),
        ("python", "# coding: nothing\nx", "unknown encoding"),
        ("python", "(" * 5000, "too many nested parentheses"),
    ],
)
def test_what_does_not_parse_is_told_in_the_parsers_words(check, language, source, fault):
    assert fault in check(language, source)


@pytest.mark.parametrize(
    ("language", "source"), [("bash", "(" * 60_000), ("python", "-" * 60_000 + "1"), ("python", "a." * 30_000 + "a")]
)
def test_a_source_that_exhausts_the_parser_is_answered_all_the_same(check, language, source):
    fault = check(language, source)
    assert fault is None or fault
    assert len(fault or "") <= 300


def test_the_source_is_never_run(check, sandbox):
    assert check("bash", "exit 7") is None
    assert check("python", "import sys; sys.exit(7)") is None
