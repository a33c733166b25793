"""ReadFile and GrepSearch: the transcript and nothing else (R16)."""

import time

import pytest

from hooks.engine.judge import tools
from hooks.engine.transcript import TRANSCRIPT_PATH

LONG = "".join(f"user: line {number}\n" for number in range(3000))


def read(text, **arguments):
    return tools.run("ReadFile", {"path": TRANSCRIPT_PATH, **arguments}, text)


def grep(text, pattern, **arguments):
    return tools.run("GrepSearch", {"pattern": pattern, **arguments}, text)


def test_a_short_file_is_read_whole():
    assert read("user: hello") == "user: hello"


def test_a_long_file_comes_in_pieces_that_make_up_the_whole():
    first = read(LONG)
    assert first == LONG[:20_000] + f"\n[{len(LONG)} characters in all; go on with offset 20000]"
    assert read(LONG, offset=40_000) == LONG[40_000:]


@pytest.mark.parametrize("offset", [-1, 1.0, 1.5, "3", True, [], 10**400])
def test_an_offset_that_is_no_place_in_the_file_is_refused(offset):
    assert read("user: hello", offset=offset).startswith("Error: offset ")


def test_an_offset_past_the_end_says_how_long_the_file_is():
    assert read("user: hello", offset=11) == "Error: offset is past the end; the file has 11 characters"


def test_a_null_offset_is_the_beginning():
    assert read("user: hello", offset=None) == "user: hello"


@pytest.mark.parametrize("path", ["/etc/passwd", "", f"{TRANSCRIPT_PATH}/../x", f".{TRANSCRIPT_PATH}", 7, ["a"]])
def test_no_other_path_is_read_or_searched(path):
    assert read("user: hello", path=path).startswith("Error: no such file")
    assert grep("user: hello", "hello", path=path).startswith("Error: no such file")


def test_reading_needs_a_path_and_searching_does_not():
    assert tools.run("ReadFile", {}, "x").startswith("Error: path is missing")
    assert grep("user: hello", "hello", path=None) == grep("user: hello", "hello", path=TRANSCRIPT_PATH)


def test_lines_come_with_their_numbers():
    assert grep("user: a\r\nassistant: b\nuser: c", "^user.*[a-z]$") == "1: user: a\n3: user: c"


def test_the_end_of_the_file_is_no_line():
    assert grep("a\n", "^$") == "[no line matches]"


def test_at_most_a_hundred_lines_are_shown():
    found = grep(LONG, "user").split("\n")
    assert len(found) == 101
    assert found[-1] == "[only the first 100 matching lines]"


def test_a_hundred_lines_and_no_more_are_all():
    assert grep("x\n" * 100, "x").count("\n") == 99


def test_a_long_line_is_cut():
    assert len(grep("x" * 10_000, "x")) == 500


def test_a_match_far_to_the_right_is_shown():
    shown = grep("x" * 10_000 + "needle" + "y" * 10_000, "needle")
    assert "needle" in shown
    assert len(shown) == 500


@pytest.mark.parametrize("pattern", ["(", "*", "a" * 1001, "(?:x{9999}){9999}", "(" * 900 + ")" * 900])
def test_a_bad_pattern_is_an_error_that_the_judge_sees(pattern):
    assert grep("user: hello", pattern).startswith("Error: this pattern is refused: ")


@pytest.mark.parametrize("pattern", [None, "", 5, ["a"]])
def test_a_pattern_is_needed(pattern):
    assert grep("user: hello", pattern) == "Error: pattern must be a string that is not empty"


def test_a_catastrophic_pattern_is_stopped_after_a_second():
    start = time.monotonic()
    assert grep("first\n" + "a" * 60 + "!", "^(a|aa)+$") == "[stopped after 1 s, at line 2; there may be more]"
    assert time.monotonic() - start < 8


def test_a_search_through_too_much_text_keeps_what_it_found(monkeypatch):
    monkeypatch.setattr(tools, "PATTERN_SECONDS", 0.05)
    first, last = grep("needle\n" + "x\n" * 2_000_000, "needle").split("\n")
    assert first == "1: needle"
    assert last.startswith("[stopped after 0.05 s, at line ")


def test_the_largest_transcript_is_searched_in_time():
    start = time.monotonic()
    grep(("x" * 99 + "\n") * 335_544, "nothing like it")
    assert time.monotonic() - start < 8


@pytest.mark.parametrize("arguments", [None, {}])
def test_an_unknown_tool_is_named_as_such(arguments):
    assert tools.run("Bash", arguments, "x") == "Error: there is no such tool; the tools are ReadFile and GrepSearch"


def test_arguments_that_are_no_object_are_refused():
    assert tools.run("GrepSearch", None, "x") == "Error: the arguments are not a JSON object"
