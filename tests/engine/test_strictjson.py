"""JSON from people and programs that may be hostile."""

import json
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.engine.strictjson import NESTING_LIMIT, clean, dumps, loads, raw_decode

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def nested(depth, opening="[", closing="]"):
    return opening * depth + closing * depth


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, -2.5, true, false, null, "x"]}', {"a": [1, -2.5, True, False, None, "x"]}),
        (b' {"\xc3\xa9": "\\u2028\\u0000"}\n', {"é": "\u2028\x00"}),
        ("5", 5),
        ("1" * 4000, int("1" * 4000)),
        ("-" + "1" * 4000, -int("1" * 4000)),
        ("1e308", 1e308),
        ("1." + "0" * 3998, 1.0),
        ('{"a": {"a": 1}}', {"a": {"a": 1}}),
    ],
)
def test_it_works(text, value):
    assert loads(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("{'a': 1}", "Expecting property name"),
        ("[1,]", "Expecting value"),
        ("NaN", "NaN is not JSON"),
        ("[Infinity]", "Infinity is not JSON"),
        ("-Infinity", "-Infinity is not JSON"),
        ("1e400", "not finite"),
        ("-1e400", "not finite"),
        ("1." + "0" * 4000, "too long"),
        ("1" * 4001, "more than 4,000 digits"),
        ("-" + "1" * 4001, "more than 4,000 digits"),
        ("1" * 1_000_000, "more than 4,000 digits"),
        ('{"a": 1, "a": 1}', "the key 'a' stands twice"),
        ('[{"x": {"a": 1, "b": 2, "a": 3}}]', "the key 'a' stands twice"),
        ('{"a": 1, "\\u0061": 1}', "the key 'a' stands twice"),
        ('{"\\ud800": 1, "\\udc00": 1}', "stands twice"),
        (json.dumps({"k" * 200: 1})[:-1] + ', "' + "k" * 200 + '": 1}', "'" + "k" * 100 + "'"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b"\xed\xa0\x80", "not UTF-8 at byte 0"),
        ("\ufeff{}", "byte-order mark"),
        (b"\xef\xbb\xbf{}", "byte-order mark"),
        ('"a\nb"', "Invalid control character"),
        ('"\\ud8zz"', "Invalid \\uXXXX escape"),
    ],
)
def test_r14_r19_what_is_no_strict_json_is_refused(text, why):
    with pytest.raises(ValueError) as refused:
        loads(text)
    assert why in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_r19_nesting_is_bounded_alike_wherever_it_is_read(opening, closing):
    step = opening.count("[") + opening.count("{")
    deepest = opening * (NESTING_LIMIT // step) + "1" + closing * (NESTING_LIMIT // step)
    value = loads(deepest)
    assert loads(dumps(value)) == value
    assert raw_decode(deepest)[0] == value
    for depth in (NESTING_LIMIT // step + 1, 900, 100_000):
        text = opening * depth + "1" + closing * depth
        for read in (loads, raw_decode):
            with pytest.raises(ValueError, match="nested too deeply"):
                read(text)


def test_what_was_wrapped_after_it_was_read_can_be_read_with_more_nesting():
    wrapped = dumps([loads(nested(NESTING_LIMIT))])
    assert loads(wrapped, nesting=NESTING_LIMIT + 1)
    with pytest.raises(ValueError, match=f"at most {NESTING_LIMIT} levels"):
        loads(wrapped)


def test_what_was_read_can_be_written_from_deep_in_the_stack():
    value, written = loads(nested(NESTING_LIMIT)), []

    def descend(left):
        if left:
            descend(left - 1)
        else:
            written.append(dumps(value))

    thread = threading.Thread(target=descend, args=(sys.getrecursionlimit() - NESTING_LIMIT - 100,))
    thread.start()
    thread.join()
    assert written == [nested(NESTING_LIMIT)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud800"', "\ufffd"),
        (r'"\uDFFFx"', "\ufffdx"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\uD83D\uDE00"', "😀"),
        (r'"\ude00\ud83d\ud83d\ude00"', "\ufffd\ufffd😀"),
        (r'"\ud83d\u0041"', "\ufffdA"),
        (r'"\\ud800"', r"\ud800"),
        (r'"\\\ud800"', "\\\ufffd"),
        (r'["\n\ud800", {"k\udc00": "\ud800"}]', ["\n\ufffd", {"k\ufffd": "\ufffd"}]),
        ('"\ud800"', "\ufffd"),
        ('"\ud83d\\ude00"', "\ufffd\ufffd"),
    ],
)
def test_r14_lone_surrogates_are_replaced(text, value):
    assert loads(text) == value
    assert raw_decode(f"say {text} now", 4) == (value, 4 + len(text))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("\u2028\x00\x1f\x7f é", '"\\u2028\\u0000\\u001f\\u007f \\u00e9"'),
        ("\ud800", '"\\ufffd"'),
        ("\\ud800", '"\\\\ud800"'),
        ("😀", '"\\ud83d\\ude00"'),
        ({"\udc00": ["\ud83dx"]}, '{"\\ufffd": ["\\ufffdx"]}'),
    ],
)
def test_r14_what_is_written_survives_every_pipe(value, written):
    assert dumps(value) == written


def test_letters_can_be_kept_as_they_are():
    assert dumps("é\ud800中\\ud800\x00", ascii_only=False) == '"é\ufffd中\\\\ud800\\u0000"'


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_written(number):
    with pytest.raises(ValueError):
        dumps([number])


@given(VALUES, st.booleans())
def test_whatever_is_written_is_read_back(value, ascii_only):
    assert loads(dumps(value, ascii_only=ascii_only)) == value


@given(st.lists(ANY_TEXT, max_size=4), st.booleans())
def test_r14_no_lone_surrogate_survives_writing_and_reading(texts, ascii_only):
    document = dumps(texts, ascii_only=ascii_only)
    for text, back in zip(texts, loads(document.encode()), strict=True):
        back.encode()
        assert clean(text) == clean(back) or "\ufffd" in clean(text)


@given(ANY_TEXT)
def test_any_text_is_read_or_refused_with_a_sentence(text):
    try:
        value = loads(text)
    except ValueError:
        return
    assert loads(dumps(value)) == value
