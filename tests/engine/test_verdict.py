"""Reading a hook's JSON object into a verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.engine.errors import HookError
from hooks.engine.events import EVENTS
from hooks.engine.verdict import Verdict, decide, refuse
from tests.engine.cast import EVENTS as ALL
from tests.engine.cast import TOOL_EVENTS

BLOCKED = "Blocked by hook 'gate'"
BOTH = ("Stop", "PostToolUse")


def says(found, event="PostToolUse", source="command"):
    return decide(event, found, source=source, name="gate")


def refused(found, event="PostToolUse", source="command"):
    error = says(found, event, source)
    assert isinstance(error, HookError), error
    assert error.code == "invalid_decision"
    return error.message


def test_it_works():
    assert says({"decision": "block", "reason": "leak"}) == Verdict(outcome="block", reason="leak")


@pytest.mark.parametrize("source", ["command", "judge"])
@pytest.mark.parametrize("event", BOTH)
@pytest.mark.parametrize(
    ("found", "outcome", "reason"),
    [
        ({"ok": True}, "allow", None),
        ({"ok": True, "reason": "fine"}, "allow", "fine"),
        ({"ok": True, "reason": None, "hookSpecificOutput": None}, "allow", None),
        ({"ok": False, "reason": "r"}, "block", "r"),
        ({"decision": "allow"}, "allow", None),
        ({"decision": "allow", "reason": "fine"}, "allow", "fine"),
        ({"decision": "block", "reason": "r"}, "block", "r"),
        ({"ok": True, "decision": "allow"}, "allow", None),
        ({"ok": False, "decision": "block", "reason": "r"}, "block", "r"),
        ({"decision": "block", "reason": " r \n"}, "block", " r \n"),
    ],
)
def test_r24_both_formats_are_read_from_both_types(source, event, found, outcome, reason):
    assert says(found, event, source) == Verdict(outcome=outcome, reason=reason)


@pytest.mark.parametrize("event", ALL)
def test_r24_an_empty_object_of_a_command_is_silence(event):
    assert says({}, event) == Verdict(outcome=EVENTS[event].silent)


@pytest.mark.parametrize("event", ["Stop", "PostToolUse", "PreToolUse"])
@pytest.mark.parametrize("found", [{}, {"reason": "r"}, {"hookSpecificOutput": {"additionalContext": "c"}}, {"zzz": 1}])
def test_r23_a_judge_must_decide(event, found):
    assert 'neither "ok" nor "decision"' in refused(found, event, "judge")


def test_r23_on_start_a_judge_need_not_decide():
    assert says({}, "Start", "judge") == Verdict(outcome="allow")


@pytest.mark.parametrize(
    ("found", "field"),
    [
        ({"ok": "true"}, "ok"),
        ({"ok": 1}, "ok"),
        ({"ok": 0}, "ok"),
        ({"ok": None}, "ok"),
        ({"ok": []}, "ok"),
        ({"decision": "approve"}, "decision"),
        ({"decision": "Block", "reason": "r"}, "decision"),
        ({"decision": " block"}, "decision"),
        ({"decision": ""}, "decision"),
        ({"decision": None}, "decision"),
        ({"decision": True}, "decision"),
        ({"decision": ["block"]}, "decision"),
        ({"decision": {}}, "decision"),
        ({"decision": 1.5}, "decision"),
        ({"decision": "ask"}, "decision"),
        ({"decision": "deny"}, "decision"),
        ({"ok": True, "decision": None}, "decision"),
        ({"ok": False, "reason": 5}, "reason"),
        ({"decision": "block", "reason": ["r"]}, "reason"),
        ({"decision": "allow", "reason": {}}, "reason"),
        ({"hookSpecificOutput": "c"}, "hookSpecificOutput"),
        ({"hookSpecificOutput": []}, "hookSpecificOutput"),
        ({"ok": True, "hookSpecificOutput": False}, "hookSpecificOutput"),
        ({"hookSpecificOutput": {"additionalContext": 5}}, "hookSpecificOutput.additionalContext"),
        ({"hookSpecificOutput": {"additionalContext": ["c"]}}, "hookSpecificOutput.additionalContext"),
    ],
)
@pytest.mark.parametrize("event", BOTH)
def test_r24_a_field_of_the_wrong_kind_is_named(found, field, event):
    assert refused(found, event).startswith(f"{field} must be ")


def test_r24_the_message_shows_what_was_said_and_what_may_be():
    assert refused({"decision": "approve"}) == 'decision must be one of "allow", "block" on PostToolUse, not "approve".'
    assert refused({"ok": None}) == "ok must be true or false, not null."
    assert len(refused({"decision": "x" * 100_000})) < 250


@pytest.mark.parametrize(
    "found", [{"ok": True, "decision": "block", "reason": "r"}, {"ok": False, "decision": "allow"}]
)
@pytest.mark.parametrize("event", ["Start", *BOTH])
def test_r24_keys_in_contradiction_are_named(found, event):
    assert refused(found, event) == "ok and decision contradict each other."


@pytest.mark.parametrize("event", ALL)
def test_r24_unknown_keys_are_ignored_with_a_warning_that_names_them(event):
    found = says({"ok": True, "zzz": 1, "hookSpecificOutput": {"hookEventName": "x", "yyy": 2}}, event)
    assert found.outcome == EVENTS[event].silent
    assert found.warnings == ("Unknown keys in the answer are ignored: zzz, hookSpecificOutput.yyy.",)


def test_r24_a_flood_of_unknown_keys_makes_one_short_warning():
    (warning,) = says({f"{number:0>500}": 1 for number in range(1000)}).warnings
    assert warning.endswith("and more.")
    assert len(warning) < 1200


@pytest.mark.parametrize("event", ["Start", *BOTH])
def test_r25_the_permission_keys_are_known_on_pretooluse_only(event):
    specific = {"permissionDecision": "deny", "permissionDecisionReason": 5}
    found = says({"ok": True, "hookSpecificOutput": specific}, event)
    assert found.outcome == "allow"
    assert "hookSpecificOutput.permissionDecision, hookSpecificOutput.permissionDecisionReason" in found.warnings[0]


def pre(found, **specific):
    return says({**found, "hookSpecificOutput": specific} if specific else found, "PreToolUse")


@pytest.mark.parametrize(
    ("found", "specific", "outcome", "reason"),
    [
        ({}, {}, "none", None),
        ({"ok": True}, {}, "none", None),
        ({"ok": False, "reason": "r"}, {}, "deny", "r"),
        ({"ok": False}, {}, "deny", BLOCKED),
        ({"decision": "allow"}, {}, "allow", None),
        ({"decision": "allow", "reason": "r"}, {}, "allow", "r"),
        ({"decision": "deny", "reason": "r"}, {}, "deny", "r"),
        ({"decision": "block", "reason": "r"}, {}, "deny", "r"),
        ({"decision": "ask", "reason": "r"}, {}, "ask", "r"),
        ({"decision": "ask"}, {}, "ask", None),
        ({}, {"permissionDecision": "allow"}, "allow", None),
        ({}, {"permissionDecision": "ask", "permissionDecisionReason": "own"}, "ask", "own"),
        ({}, {"permissionDecision": "deny"}, "deny", BLOCKED),
        ({"reason": "r"}, {"permissionDecision": "deny"}, "deny", "r"),
        ({"reason": "r"}, {"permissionDecision": "deny", "permissionDecisionReason": "own"}, "deny", "own"),
        ({"reason": "r"}, {"permissionDecision": "deny", "permissionDecisionReason": " "}, "deny", "r"),
        ({"reason": "r"}, {"permissionDecision": "deny", "permissionDecisionReason": None}, "deny", "r"),
        ({"decision": "deny"}, {"permissionDecisionReason": "own"}, "deny", "own"),
        ({"decision": "block", "reason": "r"}, {"permissionDecision": "deny"}, "deny", "r"),
        ({"decision": "ask"}, {"permissionDecision": "ask"}, "ask", None),
        ({"ok": True, "decision": "ask"}, {}, "ask", None),
        ({"ok": True, "decision": "allow"}, {}, "allow", None),
        ({"ok": True}, {"permissionDecision": "ask"}, "ask", None),
        ({"ok": False, "decision": "deny", "reason": "r"}, {"permissionDecision": "block"}, "deny", "r"),
    ],
)
def test_r25_pretooluse_knows_more_answers(found, specific, outcome, reason):
    assert pre(found, **specific) == Verdict(outcome=outcome, reason=reason)


def test_r23_a_judge_with_no_opinion_on_pretooluse_has_decided():
    assert says({"ok": True}, "PreToolUse", "judge") == Verdict(outcome="none")


@pytest.mark.parametrize(
    ("found", "specific"),
    [
        ({"ok": True, "decision": "deny"}, {}),
        ({"ok": True, "decision": "block"}, {}),
        ({"ok": False, "decision": "allow"}, {}),
        ({"ok": False, "decision": "ask"}, {}),
        ({"ok": True}, {"permissionDecision": "deny"}),
        ({"ok": False}, {"permissionDecision": "allow"}),
        ({"decision": "allow"}, {"permissionDecision": "deny"}),
        ({"decision": "allow"}, {"permissionDecision": "ask"}),
        ({"decision": "ask"}, {"permissionDecision": "deny"}),
        ({"ok": True, "decision": "allow"}, {"permissionDecision": "ask"}),
    ],
)
def test_r25_contradictions_are_refused(found, specific):
    message = pre(found, **specific).message
    assert message.endswith("contradict each other.")
    assert all(key in message for key in found)


@pytest.mark.parametrize("word", [None, "Deny", "", 1, ["deny"], "none"])
def test_r25_a_permission_decision_is_one_of_the_events_words(word):
    assert pre({}, permissionDecision=word).message.startswith("hookSpecificOutput.permissionDecision must be one of")


@pytest.mark.parametrize("specific", [{"permissionDecision": "deny"}, {}])
def test_r25_the_permissions_reason_is_a_text(specific):
    found = pre({"decision": "deny"}, permissionDecisionReason=5, **specific)
    assert found.message == "hookSpecificOutput.permissionDecisionReason must be a text, not a number."


@pytest.mark.parametrize("found", [{"ok": False}, {"decision": "block"}, {"decision": "block", "reason": None}])
@pytest.mark.parametrize("blank", [{}, {"reason": ""}, {"reason": " \n\t"}])
def test_r26_a_rejection_without_reason_approves_a_stop(found, blank):
    verdict = says(found | blank, "Stop")
    assert (verdict.outcome, verdict.reason) == ("allow", None)
    assert "counts as approval" in verdict.warnings[0]


@pytest.mark.parametrize(("event", "outcome"), [("PostToolUse", "block"), ("PreToolUse", "deny")])
@pytest.mark.parametrize("blank", [{}, {"reason": None}, {"reason": ""}, {"reason": " \n"}])
def test_r26_elsewhere_it_still_blocks_under_the_hooks_name(event, outcome, blank):
    assert says({"decision": "block"} | blank, event) == Verdict(outcome=outcome, reason=BLOCKED)


@pytest.mark.parametrize("found", [{"ok": False, "reason": "r"}, {"decision": "block", "reason": "r"}, {"ok": False}])
def test_r27_a_block_on_start_is_ignored_with_a_warning_and_the_context_counts(found):
    verdict = says(found | {"hookSpecificOutput": {"additionalContext": "c"}}, "Start")
    assert (verdict.outcome, verdict.additional_context) == ("allow", "c")
    assert verdict.warnings == ("Start cannot block: the block is ignored.",)


@pytest.mark.parametrize("event", ["Start", "PreToolUse", "PostToolUse"])
def test_additional_context_is_taken_from_its_place(event):
    found = {"decision": "allow", "hookSpecificOutput": {"additionalContext": " c "}}
    verdict = says(found, event)
    assert (verdict.outcome, verdict.additional_context, verdict.warnings) == ("allow", " c ", ())


@pytest.mark.parametrize("text", ["", "  \n", None])
@pytest.mark.parametrize("event", ALL)
def test_r31_a_blank_context_is_none(event, text):
    verdict = says({"hookSpecificOutput": {"additionalContext": text}}, event)
    assert (verdict.additional_context, verdict.warnings) == (None, ())


@pytest.mark.parametrize("decision", ["allow", "block"])
def test_r28_context_on_stop_is_not_delivered(decision):
    verdict = says({"decision": decision, "reason": "r", "hookSpecificOutput": {"additionalContext": "c"}}, "Stop")
    assert (verdict.outcome, verdict.additional_context) == (decision, None)
    assert verdict.warnings == ("additionalContext is not delivered on Stop.",)


@pytest.mark.parametrize("event", ALL)
def test_r28_a_top_level_context_is_not_delivered(event):
    verdict = says({"ok": True, "additionalContext": "c"}, event)
    assert verdict.additional_context is None
    assert "hookSpecificOutput" in verdict.warnings[0]
    assert len(verdict.warnings) == 1


def test_r24_a_top_level_context_that_is_null_counts_as_absent():
    assert says({"ok": True, "additionalContext": None}).warnings == ()


@pytest.mark.parametrize("event", TOOL_EVENTS)
def test_the_warnings_of_an_answer_stay_with_its_refusal(event):
    verdict = says({"ok": False, "zzz": 1}, event)
    assert verdict.reason == BLOCKED
    assert "zzz" in verdict.warnings[0]


def test_an_objection_can_be_made_without_an_object():
    assert refuse("PreToolUse", "r", name="gate") == Verdict(outcome="deny", reason="r")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
WORDS = st.sampled_from(["allow", "block", "deny", "ask", "", " "])
SPECIFIC = st.dictionaries(
    st.sampled_from(["additionalContext", "permissionDecision", "permissionDecisionReason", "hookEventName"])
    | st.text(),
    WORDS | JSON,
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "ok": st.booleans() | JSON,
        "decision": WORDS | JSON,
        "reason": WORDS | JSON,
        "hookSpecificOutput": SPECIFIC | JSON,
        "additionalContext": JSON,
    },
)


@given(ANSWERS | st.dictionaries(st.text(), JSON), st.sampled_from(ALL), st.sampled_from(["command", "judge"]))
def test_any_answer_is_a_verdict_of_the_event_or_an_error_never_an_exception(found, event, source):
    answer = decide(event, found, source=source, name="gate")
    if isinstance(answer, HookError):
        assert answer.code == "invalid_decision"
        return
    entry = EVENTS[event]
    assert answer.outcome in {entry.silent, *entry.verdicts.values()}
    if answer.outcome in ("block", "deny"):
        assert answer.reason
        assert answer.reason.strip()
        assert entry.can_refuse
    assert answer.additional_context is None or answer.additional_context.strip()
