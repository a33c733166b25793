"""Whether a script parses, asked of a sandbox."""

import pytest

from hooks.engine import syntax
from hooks.engine.sandbox.protocol import Completed
from hooks.engine.syntax import SyntaxChecker
from hooks.engine.testing import exited


class Parser:
    """A sandbox that answers every job alike."""

    def __init__(self, done):
        self.done = done
        self.jobs = []

    def run(self, job, *, on_output=None, cancelled=None):
        self.jobs.append(job)
        return self.done


@pytest.mark.parametrize("language", ["bash", "python"])
def test_a_source_that_parses_has_no_fault(language):
    parser = Parser(exited(0, stdout="warning: here-document"))
    assert SyntaxChecker(parser)(language, "true # é") is None
    (job,) = parser.jobs
    assert (job.language, job.stdin) == (language, "true # é".encode())


@pytest.mark.parametrize("language", ["bash", "python"])
def test_the_source_is_read_and_never_run(language):
    parser = Parser(exited(0))
    SyntaxChecker(parser)(language, "rm -rf /")
    assert "rm -rf" not in parser.jobs[0].source


@pytest.mark.parametrize(
    ("done", "fault"),
    [
        (exited(1, stdout="line 2: invalid syntax\nmore\n"), "line 2: invalid syntax"),
        (exited(2, stdout="\n  line 1: unexpected token\n"), "line 1: unexpected token"),
        (exited(2, stdout=""), "the parser gave up on it."),
        (exited(2, stdout=b"\xff"), "\ufffd"),
        (exited(2, stdout="x" * 5000), "x" * 300),
        (exited(139), "the parser gave up on it."),
        (Completed(status="exited", signal=9), "the parser gave up on it."),
        (Completed(status="timeout"), "the parser gave up on it."),
        (Completed(status="output_too_large"), "the parser gave up on it."),
    ],
)
def test_a_source_that_does_not_parse_is_told_in_the_parsers_words(done, fault):
    assert SyntaxChecker(Parser(done))("bash", "if then") == fault


@pytest.mark.parametrize("status", ["unavailable", "could_not_start", "cancelled"])
def test_a_sandbox_that_cannot_be_asked_is_no_fault_of_the_source(status):
    parser = Parser(Completed(status=status))
    check = SyntaxChecker(parser)
    assert check("bash", "if then") is None
    parser.done = exited(2, stdout="line 1: bad")
    assert check("bash", "if then") == "line 1: bad"


def test_a_parser_that_took_too_long_is_asked_again():
    parser = Parser(Completed(status="timeout"))
    check = SyntaxChecker(parser)
    assert check("bash", "true") is not None
    parser.done = exited(0)
    assert check("bash", "true") is None


def test_an_answer_is_remembered_for_each_language():
    parser = Parser(exited(0))
    check = SyntaxChecker(parser)
    for _ in range(3):
        check("bash", "true")
        check("python", "true")
    assert [job.language for job in parser.jobs] == ["bash", "python"]


def test_the_oldest_answers_are_forgotten(monkeypatch):
    monkeypatch.setattr(syntax, "CACHE_SIZE", 2)
    parser = Parser(exited(0))
    check = SyntaxChecker(parser)
    for source in ("a", "b", "c", "b", "c", "a"):
        check("bash", source)
    assert [job.stdin for job in parser.jobs] == [b"a", b"b", b"c", b"a"]


def test_lone_surrogates_reach_no_pipe():
    parser = Parser(exited(0))
    SyntaxChecker(parser)("bash", "echo \ud800")
    assert parser.jobs[0].stdin == b"echo ?"
