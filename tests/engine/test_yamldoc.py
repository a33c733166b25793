"""Configuration documents, read safely and written readably."""

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hooks.engine import yamldoc
from hooks.engine.errors import Invalid
from hooks.engine.yamldoc import DEPTH, LIMIT, dump, load

# What YAML can hold at all: no control characters but these, no surrogates, no byte-order mark.
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff\ufffe\uffff"))
AWKWARD = st.text(st.sampled_from(" \n\t\r\x85\u2028\u2029:#-?|>!&*%@`'\"[]{},\\a0~é😀"), max_size=12)
TEXTS = (
    TEXT | AWKWARD | st.sampled_from(["yes", "on", "null", "~", "12:30", "0x1F", "1e3", "007", "=", "<<", "2001-01-01"])
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)


def fault(source):
    with pytest.raises(Invalid) as refused:
        load(source)
    (one,) = refused.value.faults
    assert one.target == ""
    assert len(one.message) < 500
    return one


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("", None),
        ("# nothing\n", None),
        ("a: 1\nb: [x, 2.5, true, null, ~]\nc:\n", {"a": 1, "b": ["x", 2.5, True, None, None], "c": None}),
        ("{a: True, b: FALSE, c: NULL}", {"a": True, "b": False, "c": None}),
        ("[on, off, yes, no, y, On]", ["on", "off", "yes", "no", "y", "On"]),
        (
            "[12:30, 1:2:3, 2001-01-01, 1_000, 0o17, .inf, .nan, =]",
            ["12:30", "1:2:3", "2001-01-01", "1_000", "0o17", ".inf", ".nan", "="],
        ),
        ("[0x1F, 010, +5, -3, 1e3, .5, 1., -0.0]", [31, 10, 5, -3, 1000.0, 0.5, 1.0, -0.0]),
        ("1" * 4000, int("1" * 4000)),
        ("a: 'true'\nb: \"5\"\nc: !!str 5", {"a": "true", "b": "5", "c": "5"}),
        ("!!int '5'", 5),
        ("!!float '5'", 5.0),
        ("!!bool 'TRUE'", True),
        ("!!null ''", None),
        ("!!map {a: !!seq [1]}", {"a": [1]}),
        ("1: a\ntrue: b\n~: c\n1.0: d\n", {"1": "a", "true": "b", "~": "c", "1.0": "d"}),
        ("<<: {a: 1}\n", {"<<": {"a": 1}}),
        ("a: |\n  one\n   two\n\nb: >\n  one\n  two\n", {"a": "one\n two\n", "b": "one two\n"}),
        ("? |\n  long\n  key\n: 1\n", {"long\nkey\n": 1}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: b\r\nc: d\r\n", {"a": "b", "c": "d"}),
        ("--- a\n...\n", "a"),
        ('"\\ud800"', "\ufffd"),
        ("'\ud800'", "\ufffd"),
        ('{"\\ud83d\\ude00": "\\ude00\\ud83d\\ude00x"}', {"😀": "\ufffd😀x"}),
    ],
)
def test_a_document_is_read_as_people_mean_it(source, value):
    found = load(source)
    assert found == value
    assert repr(found) == repr(value)
    if "\ud800" not in source:
        assert load(source.encode()) == value


def test_an_alias_is_a_copy_of_its_own():
    value = load("a: &x [1]\nb: *x\n")
    value["a"].append(2)
    assert value == {"a": [1, 2], "b": [1]}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("a: [", "Line 1, column 5: expected the node content, but found '<stream end>'."),
        ("a: b: c", "Line 1, column 5: mapping values are not allowed here."),
        ("\tа: 1", "Line 1, column 1: found character '\\t' that cannot start any token."),
        ("a: 1\na: 2", "Line 2, column 1: the key 'a' stands twice."),
        ("1: a\n'1': b", "Line 2, column 1: the key '1' stands twice."),
        ("? [a]\n: 1", "Line 1, column 3: a key must be a text."),
        ("? {a: 1}\n: 1", "Line 1, column 3: a key must be a text."),
        ("a: *b", "Line 1, column 4: found undefined alias 'b'."),
        ("&a [*a]", "Line 1, column 1: found unconstructable recursive node."),
        ("&a {b: *a}", "Line 1, column 1: found unconstructable recursive node."),
        ("a\n--- b", "Line 2, column 1: but found another document."),
        ("a: \x07", "The character at position 3 is not allowed in YAML."),
        ("\x00", "The character at position 0 is not allowed in YAML."),
        (b"a: \xff", "The document is not UTF-8 at byte 3."),
        ("a: 1".encode("utf-16"), "The document is not UTF-8 at byte 0."),
        (
            "!!python/object/apply:os.system [ls]",
            "Line 1, column 1: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not allowed here.",
        ),
        ("!mine x", "Line 1, column 1: the tag '!mine' is not allowed here."),
        ("!!timestamp 2001-01-01", "Line 1, column 1: the tag 'tag:yaml.org,2002:timestamp' is not allowed here."),
        ("!!timestamp x", "Line 1, column 1: the tag 'tag:yaml.org,2002:timestamp' is not allowed here."),
        ("!!set {a}", "Line 1, column 1: the tag 'tag:yaml.org,2002:set' is not allowed here."),
        ("!!binary aGk=", "Line 1, column 1: the tag 'tag:yaml.org,2002:binary' is not allowed here."),
        ("!!omap [a: 1]", "Line 1, column 1: the tag 'tag:yaml.org,2002:omap' is not allowed here."),
        ("!!map [a]", "Line 1, column 1: this is no mapping."),
        ("!!map ab", "Line 1, column 1: this is no mapping."),
        ("!!seq {a: 1}", "Line 1, column 1: expected a sequence node, but found mapping."),
        ("!!int [1]", "Line 1, column 1: expected a scalar node, but found sequence."),
        ("!!int 1_000", "Line 1, column 1: '1_000' does not fit its tag, or is too long."),
        ("!!int 0x" + "f" * 65, f"Line 1, column 1: '0x{'f' * 65}' does not fit its tag, or is too long."),
        ("!!bool maybe", "Line 1, column 1: 'maybe' does not fit its tag, or is too long."),
        ("!!float .inf", "Line 1, column 1: '.inf' does not fit its tag, or is too long."),
        ("a: 1e999", "Line 1, column 4: a number is too large."),
        ("a: " + "9" * 4001, "Line 1, column 4: a number is too large."),
        ("%YAML 2.0\n---\na", "Line 1, column 1: found incompatible YAML document (version 1.* is required)."),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(source, message):
    one = fault(source)
    assert (one.code, one.message) == ("malformed", message)


def test_a_document_has_a_bound_in_bytes():
    fits = "#" * LIMIT
    assert load(fits) is load(fits.encode()) is None
    for source in (fits + "#", fits.encode() + b"#", "é" * (LIMIT // 2) + "#"):
        assert fault(source).code == "too_large"


@pytest.mark.parametrize("escape", ["U00110000", "UFFFFFFFF"])
def test_a_character_that_does_not_exist_is_refused(escape):
    assert fault(f'"\\{escape}"').message.startswith("The document is not YAML: ")


@pytest.mark.parametrize("depth", [DEPTH, DEPTH + 1, 500, 100_000])
@pytest.mark.parametrize("step", ["[", "{a: ", "- "])
def test_nesting_has_a_bound(step, depth):
    closing = {"[": "]", "{a: ": "}", "- ": ""}[step]
    source = step * (depth - 1) + "x" + closing * (depth - 1)
    if depth > DEPTH:
        assert "nested more than 100 deep" in fault(source).message
    else:
        load(source)


def test_aliases_cannot_nest_deeper_than_what_they_stand_for():
    source = "- &a0 x\n" + "".join(f"- &a{number} [*a{number - 1}]\n" for number in range(1, 1000))
    assert "nested more than 100 deep" in fault(source).message


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "source",
    [BOMB, "- a\n" * 250_000, "[" + "a," * 500_000 + "]", "- &a x\n" + "- *a\n" * 200_000, "? " * 500_000, "[" * LIMIT],
    ids=["aliases", "block", "flow", "alias", "keys", "open"],
)
def test_a_hostile_document_is_refused_before_it_costs_much(monkeypatch, source):
    monkeypatch.setattr(yamldoc, "NODES", 2000)
    start = time.process_time()
    assert fault(source).code == "malformed"
    assert time.process_time() - start < 3


def test_the_most_values_that_are_allowed_are_read(monkeypatch):
    assert yamldoc.NODES == 100_000
    monkeypatch.setattr(yamldoc, "NODES", 2000)
    assert len(load("[" + "a," * 1999 + "]")) == 1999
    assert fault("[" + "a," * 2000 + "]").message.endswith("more than 2,000 values.")


def test_a_long_fault_is_cut():
    assert fault("a: *" + "b" * 100_000).message.endswith("b.")
    assert fault("!" + "b" * 100_000 + " x").message.startswith("Line 1, column 1: the tag '!bbb")


@given(VALUES)
def test_what_is_written_is_read_back(value):
    text = dump(value)
    back = load(text)
    assert back == value
    assert repr(back) == repr(value)


@given(VALUES)
def test_readers_of_older_yaml_see_no_other_texts(value):
    """Strings stay strings: what YAML 1.1 would take for a time or a truth is quoted."""

    def texts(found):
        if isinstance(found, str):
            yield found
        for inner in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
            yield from texts(inner)

    assert list(texts(yaml.safe_load(dump(value)))) == list(texts(value))


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(source):
    try:
        value = load(source)
    except Invalid:
        return
    assert load(dump(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": None}, "b: 1\na: null\n"),
        ({"script": "#!/bin/bash\nif x; then\n  y\nfi\n"}, "script: |\n  #!/bin/bash\n  if x; then\n    y\n  fi\n"),
        ({"script": "a  \nb"}, "script: |-\n  a  \n  b\n"),
        ({"hooks": [{"type": "prompt"}]}, "hooks:\n  - type: prompt\n"),
        ({"on": "yes", "n": "5"}, "'on': 'yes'\nn: '5'\n"),
        ({"name": "Outil_É中 🚀"}, "name: Outil_É中 🚀\n"),
        ({"a": "x\u2028y\x85z"}, 'a: "x\\Ly\\Nz"\n'),
        ([], "[]\n"),
        ({"a": [[1, 2], []]}, "a:\n  - - 1\n    - 2\n  - []\n"),
        ({"a": "x " * 300 + "x"}, "a: " + "x " * 300 + "x\n"),
    ],
)
def test_a_document_is_written_readably(value, text):
    assert dump(value) == text


def test_what_is_the_same_is_written_out_each_time():
    shared = ["x"]
    assert dump({"a": shared, "b": shared}) == "a:\n  - x\nb:\n  - x\n"
