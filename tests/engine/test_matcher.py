"""Which tools a matcher names, and that no matcher hangs or fills the engine."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.engine import matcher
from hooks.engine.matcher import InvalidMatcher, check, doubts, matches


@pytest.mark.parametrize(
    ("pattern", "tool", "hit"),
    [
        ("Bash", "Bash", True),
        ("bash", "Bash", False),
        ("Bash", "BashOutput", False),
        ("Bash", "MyBash", False),
        ("Bash", "Bash\n", False),
        ("Bash$", "Bash\n", False),
        ("^Bash$", "Bash", True),
        ("(?m)Bash$", "Bash\nRead", False),
        ("(?m)^Bash", "Read\nBash", False),
        ("Bash.*", "Bash\n", False),
        ("Read|Write", "Write", True),
        ("Read|Write", "WriteFile", False),
        ("Read|ReadFile", "ReadFile", True),
        ("Bash|", "Bash", True),
        (".*", "anything at all", True),
        ("(?i)bash", "BASH", True),
        ("(?i:b)ash", "Bash", True),
        ("(?s).*", "a\nb", True),
        ("(?x)Bash # the shell", "Bash", True),
        ("(?!Read).*", "ReadFile", False),
        ("(?!Read).*", "Bash", True),
        (".*(?<!File)", "ReadFile", False),
        ("mcp__.*__write.*", "mcp__fs__write_file", True),
        ("Outil_É中", "Outil_É中", True),
        (r"\w+", "Outil_É中", True),
        (r"\p{Lu}.*", "Émile", True),
        ("[[:alpha:]]+", "Bash", True),
        ("[^_]+", "Bash", True),
        (r"Bash\(x\)", "Bash(x)", True),
        ("a{2,3}", "aaaa", False),
        (r"(?P<part>ab)(?P=part)", "abab", True),
    ],
)
def test_r1_r3_a_matcher_names_the_whole_tool_in_its_case(pattern, tool, hit):
    assert matches(pattern, tool) is hit


@pytest.mark.parametrize("tool", ["Bash", "x\n", "*", " ", "Outil_É中"])
def test_r2_a_star_alone_matches_every_tool(tool):
    check("*")
    assert matches("*", tool)


@pytest.mark.parametrize("pattern", ["", None])
@pytest.mark.parametrize("tool", ["", "Bash"])
def test_r2_no_pattern_matches_nothing(pattern, tool):
    assert not matches(pattern, tool)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("a)|(.*", "unbalanced parenthesis"),
        ("(", "missing )"),
        ("[a", "unterminated character set"),
        ("**", "nothing to repeat"),
        ("*a", "nothing to repeat"),
        ("a{3,2}", "min repeat greater than max repeat"),
        ("\\", "bad escape"),
        (r"\1", "invalid group reference"),
        ("[z-a]", "bad character range"),
        (r"\p{Nothing}", "unknown property"),
        (r"\L<names>", "undefined named list"),
        ("(?a)(?u)x", "too complex"),
        ("(?R)", "cannot call itself"),
        ("Bash{e<=1}", "Fuzzy"),
        ("x" * 1001, "has 1,001 characters; at most 1,000"),
        ("(" * 300 + ")" * 300, "at most 100 groups"),
        ("(?:x{9999}){9999}", "more than 10,000 steps"),
        ("(?:x{101}){100}", "more than 10,000 steps"),
        ("x{10001}", "more than 10,000 steps"),
        ("(" * 20 + "a" + ")+" * 20, "grow too large"),
        ("(" * 13 + "a" + "){2}" * 13, "grow too large"),
        (r"(?if)(?:[\p{L}\d]{99}){99}", "grow too large"),
    ],
)
def test_r3_r4_r5_a_bad_pattern_is_refused_with_the_reason(pattern, why):
    for use in (check, lambda bad: matches(bad, "Bash")):
        with pytest.raises(InvalidMatcher) as refused:
            use(pattern)
        assert why in str(refused.value)


@pytest.mark.parametrize("error", [RecursionError, MemoryError, OverflowError])
def test_r5_a_pattern_that_the_compiler_gives_up_on_is_refused_like_any_other(monkeypatch, error):
    def gives_up(*args, **options):
        raise error

    monkeypatch.setattr(matcher.regex, "compile", gives_up)
    with pytest.raises(InvalidMatcher, match="too complex"):
        check("a pattern that nobody has compiled yet " + error.__name__)


@pytest.mark.parametrize("pattern", ["x{10000}", "(?:x{100}){100}", "x" * 1000, "(" * 100 + "a" + ")" * 100])
def test_r5_the_bounds_themselves_are_allowed(pattern):
    check(pattern)
    assert not matches(pattern, "Bash")


# Each of these took seconds or a gigabyte, or comes near to it.
HEAVY = [
    "(?:" * 14 + "a" + ")+" * 14,
    "(" * 9 + "a" + "){2}" * 9,
    "(" * 100 + "a" + ")*" * 100,
    "(?:a|" * 99 + "b" + ")" * 99,
    "(?:a?|" * 60 + "b" + ")*" * 60,
    "(?=" * 99 + "a" + ")" * 99,
    "(?:(?:a*b*){70}){70}",
    "(?:(a)(b)(c)){3000}",
    r"\X{9999}",
    "(?if)" + "ß" * 900,
    "(?i)[" + "".join(chr(0x100 + 2 * number) for number in range(900)) + "]",
    "|".join("a" * number for number in range(43)),
    "(?:x{9999}){9999}",
    "(" * 99 + "a" + ")+" * 99,
    r"(?:\p{L}{,99}|[a-z]{,99}){,50}",
]


@pytest.mark.parametrize("pattern", HEAVY)
def test_r5_no_pattern_is_compiled_for_long(pattern):
    start = time.process_time()
    try:
        check(pattern)
    except InvalidMatcher as refused:
        assert "compiler" not in str(refused)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "pattern",
    ["(a|a)*[bc]", "(a+)+b", "(?:a?){60}a{60}b", r"(.*?,){11}P", "(a*)*b", "(?=(a|a)*b)a*", "(?:(?:a|aa)+)+b"],
)
def test_r5_matching_has_a_time_bound(pattern):
    start = time.perf_counter()
    try:
        assert not matches(pattern, "a" * 1000)
    except InvalidMatcher as slow:
        assert "took longer than 100 ms" in str(slow)
        assert len(str(slow)) < 300
    assert time.perf_counter() - start < 2


def test_r5_a_slow_match_holds_up_nobody_else():
    ended = threading.Event()

    def match_slowly():
        with pytest.raises(InvalidMatcher):
            matches("(a|a)*[bc]", "a" * 60)
        ended.set()

    thread = threading.Thread(target=match_slowly)
    thread.start()
    assert matches("Bash", "Bash")
    thread.join()
    assert ended.is_set()


@pytest.mark.parametrize(
    "pattern", ["*", "Bash", "Bash|Read", "(?i)bash", "(?!Read).*", "(?<=B)?Bash", "(?P<a>B)ash(?P=a)?"]
)
def test_r6_a_matcher_of_a_known_tool_is_beyond_doubt(pattern):
    assert doubts(pattern, ["Read", "Bash"]) is None


@pytest.mark.parametrize("pattern", ["Bash", r"\p{Script=Latin}+", "(?=Bash).*", "mcp__(fs|git)__.*", "Bash(Output)?"])
def test_r6_without_known_tools_a_plain_matcher_is_beyond_doubt(pattern):
    assert doubts(pattern) is None


@pytest.mark.parametrize("pattern", ["Bash(git *)", "Bash(git .*)", "Write(/tmp/.*)", "Bash(npm:*)"])
def test_r6_what_looks_like_a_call_gets_a_warning(pattern):
    check(pattern)
    assert "looks like a call" in doubts(pattern, ["Bash"])
    assert "looks like a call" in doubts(pattern)


@pytest.mark.parametrize("pattern", ['tool == "x"', "tool_name = Bash", "Bash && Read", "Bash || Read", "tool != 'x'"])
def test_r6_what_looks_like_an_expression_gets_a_warning(pattern):
    check(pattern)
    assert "looks like an expression" in doubts(pattern, ["Bash"])


def test_r6_a_matcher_of_no_known_tool_gets_a_warning_that_shows_the_tools():
    assert (
        doubts("bash", ["Read", "Bash"]) == "The matcher 'bash' matches none of the agent's known tools (Bash, Read)."
    )
    assert "T0, T1, T10" in doubts("bash", [f"T{number}" for number in range(11)])
    assert doubts("bash", [f"T{number}" for number in range(11)]).endswith("and more).")
    assert doubts("bash", [f"T{number}" for number in range(10)]).endswith("T8, T9).")


def test_r6_a_matcher_that_is_slow_on_a_known_tool_gets_a_warning_at_once():
    start = time.perf_counter()
    warning = doubts("(a|a)*[bc]", [f"{'a' * 60}{number}" for number in range(100)])
    assert "took longer than 100 ms on the tool name 'aaa" in warning
    assert time.perf_counter() - start < 2


def test_large_patterns_are_not_kept():
    for number in range(5):
        check(f"x{{{9990 + number}}}")
    before = matcher._kept.cache_info().currsize
    check("x{9989}")
    assert matcher._kept.cache_info().currsize == before
    check("a small pattern that is kept")
    assert matcher._kept.cache_info().currsize >= min(before + 1, 256)


@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_r1_an_escaped_name_matches_itself_and_nothing_else(name, other):
    pattern = matcher.regex.escape(name, special_only=False, literal_spaces=False)
    assert matches(pattern, name)
    assert matches(pattern, other) is (name == other)


@given(st.text("ab()[]{}|*+?\\^$.-:=!<>#,019 \n", max_size=25))
def test_any_pattern_answers_or_is_refused_with_a_sentence(pattern):
    try:
        check(pattern)
        assert matches(pattern, "abba") in (True, False)
    except InvalidMatcher as refused:
        assert str(refused).endswith((".", "\\{."))
