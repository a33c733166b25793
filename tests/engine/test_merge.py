"""How the verdicts of all hooks become one decision."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.engine.errors import HookError
from hooks.engine.events import EVENTS
from hooks.engine.merge import TEXT_LIMIT, effect, merge
from tests.engine.cast import result

PLAIN = [event for name, event in EVENTS.items() if name in ("Stop", "PostToolUse")]
PRE, START = EVENTS["PreToolUse"], EVENTS["Start"]
TEXTS = st.none() | st.sampled_from(["", "a", "b", "c"])


def failed(mode="allow", message="it broke", name="one"):
    return result("error", error=HookError("timeout", message), fail_mode=mode, name=name)


@pytest.mark.parametrize("event", PLAIN)
@pytest.mark.parametrize(
    ("results", "decision", "reason"),
    [
        ([], "allow", None),
        ([result("allow", "fine")], "allow", None),
        ([result("block", "no")], "block", "no"),
        ([result("allow", "fine"), result("block", "no"), result("allow", "fine")], "block", "no"),
        ([result("block", "one"), result("block", "two")], "block", "one\ntwo"),
        ([result("block", "two lines\nof it"), result("block", "two")], "block", "two lines\nof it\ntwo"),
        ([result("skipped", "max_rejections")], "allow", None),
        ([result("skipped", "max_rejections"), result("block", "no")], "block", "no"),
        ([failed()], "allow", None),
        ([failed("block")], "block", "Hook 'one' failed: it broke"),
        ([failed(), result("block", "no"), failed("block", name="b")], "block", "no\nHook 'b' failed: it broke"),
        ([result("block", " "), result("block", "no")], "block", "no"),
    ],
)
def test_r29_any_block_blocks_and_the_blocking_reasons_are_joined_in_order(event, results, decision, reason):
    merged = merge(event, results)
    assert (merged.decision, merged.reason) == (decision, reason)


@pytest.mark.parametrize(
    ("results", "decision", "reason"),
    [
        ([], "none", None),
        ([result("none", "silent")], "none", None),
        ([result("allow", "safe")], "allow", "safe"),
        ([result("allow", "safe"), result("none", "n"), result("allow", "known")], "allow", "safe\nknown"),
        ([result("allow", "safe"), result("ask", "prod")], "ask", "prod"),
        ([result("ask", "prod"), result("allow", "safe"), result("ask", "night")], "ask", "prod\nnight"),
        ([result("allow", "safe"), result("ask", "prod"), result("deny", "no rm")], "deny", "no rm"),
        ([result("deny", "no rm"), result("ask", "prod"), result("deny", "no")], "deny", "no rm\nno"),
        ([result("ask"), result("none")], "ask", None),
        ([failed()], "none", None),
        ([failed(), result("allow", "safe")], "allow", "safe"),
        ([failed("block"), result("ask", "prod")], "deny", "Hook 'one' failed: it broke"),
    ],
)
def test_r30_deny_beats_ask_beats_allow_beats_none(results, decision, reason):
    merged = merge(PRE, results)
    assert (merged.decision, merged.reason) == (decision, reason)


@pytest.mark.parametrize("mode", ["allow", "block"])
def test_r22_an_error_on_pretooluse_is_never_an_allow(mode):
    assert effect(PRE, failed(mode)) != "allow"


@pytest.mark.parametrize("mode", ["allow", "block"])
def test_r22_an_error_on_start_never_blocks(mode):
    assert merge(START, [failed(mode)]).decision == "allow"


def contexts(*texts):
    return [result("allow", name=str(place), additional_context=text) for place, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "delivered"),
    [
        ([], None),
        ([None, None], None),
        (["one"], 0),
        (["one", "two"], 1),
        (["one", None], 0),
        ([None, "one", None, None], 1),
    ],
)
def test_r31_the_last_context_in_order_is_delivered_and_marked(texts, delivered):
    results = contexts(*texts)
    merged = merge(EVENTS["PostToolUse"], results)
    assert merged.additional_context == (None if delivered is None else texts[delivered])
    assert [place for place, one in enumerate(results) if one.delivered] == ([] if delivered is None else [delivered])
    assert [one.additional_context for one in results] == texts


def test_r31_a_blocking_hook_delivers_its_context_too():
    assert merge(EVENTS["PostToolUse"], [result("block", "no", additional_context="c")]).additional_context == "c"


@pytest.mark.parametrize(("length", "cut"), [(TEXT_LIMIT - 1, False), (TEXT_LIMIT, False), (TEXT_LIMIT + 1, True)])
@pytest.mark.parametrize("letter", ["x", "🚀"])
def test_r32_reason_and_context_are_cut_at_ten_thousand_code_points(length, cut, letter):
    blocked = merge(EVENTS["Stop"], [result("block", letter * length)])
    assert (len(blocked.reason), blocked.truncated) == (min(length, 10_000), cut)
    results = contexts(letter * length)
    told = merge(EVENTS["PostToolUse"], results)
    assert (len(told.additional_context), told.truncated) == (min(length, 10_000), cut)
    assert len(results[0].additional_context) == length


def test_r32_the_joined_reason_is_what_is_cut():
    halves = [result("block", "a" * 6000), result("block", "b" * 6000)]
    merged = merge(EVENTS["Stop"], halves)
    assert merged.reason == "a" * 6000 + "\n" + "b" * 3999
    assert merged.truncated
    assert [len(one.reason) for one in halves] == [6000, 6000]


OUTCOMES = {"PreToolUse": ["deny", "ask", "allow", "none"], "Stop": ["block", "allow", "skipped"]}


@given(st.data(), st.sampled_from(["PreToolUse", "Stop"]))
def test_r29_r30_r31_the_merge_looks_at_the_order_of_the_list_alone(data, name):
    said = data.draw(st.lists(st.tuples(st.sampled_from(OUTCOMES[name]), TEXTS, TEXTS), max_size=8))
    results = [result(outcome, reason, additional_context=text) for outcome, reason, text in said]
    merged = merge(EVENTS[name], results)
    strongest = min((one for one, _, _ in said), key=OUTCOMES[name].index, default=OUTCOMES[name][-1])
    assert merged.decision == ("allow" if strongest == "skipped" else strongest)
    if merged.decision in ("deny", "ask", "block"):
        expected = [reason for outcome, reason, _ in said if outcome == merged.decision and reason]
        assert merged.reason == ("\n".join(expected) or None)
    given_texts = [text for _, _, text in said if text is not None]
    assert merged.additional_context == (given_texts[-1] if given_texts else None)
    assert sum(one.delivered for one in results) == bool(given_texts)
