"""How large a regular expression becomes when its repeats are written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.engine.repeats import FOLDED_CLASS, NESTING_LIMIT, Unsupported, copies, expansion


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("", 0),
        ("Bash", 4),
        ("Bash|Read", 8),
        ("a*b+c?", 3),
        ("a{3}", 3),
        ("a{2,5}", 5),
        ("a{2,}", 2),
        ("a{,4}", 4),
        ("a{,}", 1),
        ("a{0}", 1),
        ("a{0,0}b", 2),
        ("a{0012}", 12),
        ("ab{3}", 4),
        ("(?:ab){3}", 6),
        ("(?:a|bc){3}", 9),
        ("(?:a{3}b){4}", 16),
        ("(?:x{9999}){9999}", 9999 * 9999),
        ("(?:x{0000000009999}){0000000009999}", 9999 * 9999),
        ("((a{2}){3}){4}", 24),
        ("a{2}?b{2}+", 4),
        ("(){5}", 5),
        ("a{99999999999999999999}", 999999999),
        ("[abc]{3}", 3),
        ("[]{9}]{3}", 3),
        ("[^]{9}]{3}", 3),
        (r"[\]{9}]{3}", 3),
        (r"[\d]{3}", 3),
        ("[[:alpha:]{9}]{3}", 3),
        ("[[:^alpha:]]", 1),
        ("[(]{2}", 2),
        (r"\({3}", 3),
        (r"\{3}", 3),
        (r"\d{3}", 3),
        (r"\p{Lu}{3}", 3),
        (r"\P{^Script=Greek}{3}", 3),
        (r"\N{LATIN SMALL LETTER A}{3}", 3),
        ("a{b}", 4),
        ("a{", 2),
        ("a{}", 3),
        ("a{3", 3),
        ("a{ 3 }", 6),
        ("a{\u0663}", 4),
        ("(?P<name>ab){2}", 4),
        ("(?<name>ab)(?P=name)", 3),
        ("(?=ab){2}(?!c)(?<=d)(?<!e)", 7),
        ("(?>ab){2}(?|c|d){2}", 8),
        ("(?i:ab){2}(?s-i:c)", 5),
        ("(?i)a(?s)b", 2),
        ("a(?i){3}", 3),
        ("(a)(?(1)b|c){2}", 5),
        ("(?(?=a{3})b|c){2}", 10),
        ("(?(?<!a)b){2}", 4),
        ("(*FAIL){2}", 2),
        ("a(?#b{9}\\)){3}", 3),
        ("a(?#never closed {9}", 1),
        ("(?x) a b # {99}\n {3} c", 5),
        ("(?x)a # to the end", 1),
        ("(?i)(?x) a {3}", 3),
        (r"(?x)\ {3}[ #]{3}", 6),
        ("#{3} {2}", 5),
        ("a)b", 3),
        ("a){3}", 4),
        ("(a", 1),
        ("[abc", 1),
        ("a\\", 2),
    ],
)
def test_r5_every_atom_counts_as_often_as_the_repeats_around_it_multiply_to(pattern, size):
    assert expansion(pattern) == size


BOMB = "(?:x{9999}){9999}"


@pytest.mark.parametrize(
    "pattern",
    [
        BOMB,
        f"(?<={BOMB}>)",
        f"(?(?={BOMB})a|b)",
        f"(?#\\)[){BOMB}](",
        f"\\p{{{BOMB}",
        f"\\p{{a: }}{BOMB}",
        f"\\N{{{BOMB}",
        f"\\g<{BOMB}>",
        f"[]]{BOMB}",
        f"[^]]{BOMB}",
        f"[[]{BOMB}",
        f"[a-]{BOMB}]",
        f"(?x)[#]{BOMB}",
        f"(?x)#\n{BOMB}",
        f"(?x)\\#{BOMB}",
        f"(?i)#{BOMB}",
        f"a#b{BOMB}",
        "(?:" * 5 + "x" + "){10}" * 5,
        "(?:(?:x{99}|y){99}){99}",
    ],
)
def test_r5_a_bomb_is_seen_wherever_it_hides(pattern):
    assert expansion(pattern) > 10_000


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(?R)", "cannot call itself"),
        ("(a)(?1)", "cannot call itself"),
        ("(a)(?-1)", "cannot call itself"),
        ("(?+1)(a)", "cannot call itself"),
        ("(?&name)", "cannot call itself"),
        ("(?P>name)", "cannot call itself"),
        ("(?P&name)", "cannot call itself"),
        ("(?:Bash){e<=1}", "Fuzzy"),
        ("Bash{e}", "Fuzzy"),
        ("Bash{1<=e<=3}", "Fuzzy"),
        ("Bash{2i+2d+1s<=4}", "Fuzzy"),
        ("Bash{s,i}", "Fuzzy"),
        ("Bash{e:[a-z]}", "Fuzzy"),
        ("(?V1)a", "V1"),
        ("(?iV1)a", "V1"),
        ("a(?x)b", "(?x)"),
        ("(?x:a b)", "(?x)"),
        ("(?-x:a)", "(?x)"),
        ("(?i-x)a", "(?x)"),
        ("(?x)(? -x)#a", "begins with (? -x"),
        ("(?i x)", "begins with (?i x"),
        ("(? :a)", "begins with (? :a"),
        ("(?P< n>a)", "begins with (?P< "),
        ("(?~a)", "begins with (?~a)"),
        ("(?", "begins with (?"),
        ("(*)", "begins with (*)"),
        ("(?x)a{ 3}", "within {n,m}"),
        ("(?x)a{3 ,5}", "within {n,m}"),
        ("(?x)(?:x{9#\n999}){9#\n999}", "within {n,m}"),
        ("[[:alpha:a]", "[: within brackets"),
        ("[[:a=b:]]", "[: within brackets"),
        ("[[:", "[: within brackets"),
        ("(" * 101, "at most 100 groups"),
    ],
)
def test_r5_forms_that_a_matcher_does_not_have_are_refused(pattern, why):
    for count in (expansion, copies):
        with pytest.raises(Unsupported) as refused:
            count(pattern)
        assert why in str(refused.value)


def test_a_hundred_nested_groups_are_read():
    assert expansion("(" * NESTING_LIMIT + "a" + ")" * NESTING_LIMIT) == 1


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("Bash", 4),
        ("a*b?", 2),
        ("a+", 2),
        ("((a+)+)+", 8),
        ("(" * 30 + "a" + ")+" * 30, 2**30),
        ("(" * 30 + "a" + "){1,}" * 30, 2**30),
        ("(" * 30 + "a" + "){1,9}" * 2 + ")" * 28, 4),
        ("(" * 30 + "a" + ")*" * 30, 1),
        ("(?:a{3}){2,9}", 12),
        ("a{,9}", 1),
        ("[a-z]{99}", 100),
        ("(?i)[a-z]{99}", 100),
        ("(?if)[a-z]{99}b", 100 * FOLDED_CLASS + 1),
        ("a(?f:[a-z])", 1 + FOLDED_CLASS),
    ],
)
def test_r5_the_compiler_copies_what_must_be_repeated(pattern, size):
    assert copies(pattern) == size


def written_out(parts):
    """The atoms that a pattern of nested groups has once every repeat is written out at its greatest count."""
    text = ""
    for part, count in parts:
        text += (part if isinstance(part, str) else written_out(part)) * count
    return text


def pattern_of(parts):
    return "".join(
        (part if isinstance(part, str) else f"(?:{pattern_of(part)})") + ("" if count == 1 else f"{{{count}}}")
        for part, count in parts
    )


COUNTS = st.integers(min_value=1, max_value=4)
PARTS = st.recursive(
    st.lists(st.tuples(st.sampled_from("abc"), COUNTS), min_size=1, max_size=4),
    lambda inner: st.lists(st.tuples(st.sampled_from("abc") | inner, COUNTS), min_size=1, max_size=3),
    max_leaves=6,
)


@given(PARTS)
def test_r5_the_count_is_that_of_the_pattern_written_out(parts):
    assert expansion(pattern_of(parts)) == len(written_out(parts))


TOKENS = [
    *"ax()[]{}|*+?\\^$.-:=!<>#,0139 \n",
    "(?:",
    "(?=",
    "(?<=",
    "(?(",
    "(?#",
    "(?x)",
    "[:",
    ":]",
    "{9}",
    "\\p{",
    "{e",
]


@given(st.lists(st.sampled_from(TOKENS), max_size=30).map("".join))
def test_any_text_is_counted_or_refused(pattern):
    for count in (expansion, copies):
        try:
            assert count(pattern) >= 0
        except Unsupported as unsupported:
            assert str(unsupported).startswith(("A matcher", "The flag", "With the flag", "Fuzzy"))
