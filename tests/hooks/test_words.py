"""What pages say of each decision, and how texts of anybody's are shown."""

import pytest

from hooks.engine.events import EVENTS
from hooks.models import Evaluation, HookResult
from hooks.services.samples import decisions_of
from hooks.words import EVENT_ICONS, OUTCOMES, SENTENCES, TYPE_ICONS, story_of
from portal.shown import clamped, sentence, visible
from portal.templatetags.pages import duration


def told(event: str, decision: str, *, reason: str = "because", context: str | None = None, **result: object) -> str:
    evaluation = Evaluation(
        event=event,
        decision=decision,
        tool_name="Bash" if EVENTS[event].tool else "",
        reason=reason,
        additional_context=context,
        warnings=[],
        duration_ms=1,
    )
    given = {"type": "command", "outcome": decision, "exit_code": 0, "stdout": "{}", **result}
    story = story_of(evaluation, [HookResult(evaluation=evaluation, name="x", **given)])
    seen = " ".join(f"({place}) {text}" for place, text in story.seen)
    return f"{story.badge.word}. {story.sentence} {story.warning} {'; '.join(story.why)} {seen}"


@pytest.mark.parametrize("event", EVENTS)
def test_each_decision_of_each_event_has_words(event: str) -> None:
    assert event in EVENT_ICONS
    for decision in decisions_of(event):
        assert SENTENCES[event, decision]
        assert decision in OUTCOMES


def test_only_a_block_after_a_tool_warns_that_it_has_run() -> None:
    assert "The tool has already run." in told("PostToolUse", "block")
    assert "already run" not in told("PreToolUse", "deny")
    assert "already run" not in told("PostToolUse", "allow")


def test_where_the_reason_goes() -> None:
    assert "(in place of a result of Bash) because" in told("PreToolUse", "deny")
    assert "(shown to the person who is asked about Bash) because" in told("PreToolUse", "ask")
    assert "(as a message of the user) because" in told("Stop", "block")
    assert "because" not in told("Stop", "allow")
    assert "(as added context) on call: somebody" in told("Start", "allow", context="on call: somebody")


def test_why() -> None:
    assert "Exit code 0 and nothing on stdout allow" in told("Stop", "allow", stdout=" ")
    assert "Exit code 2 always blocks; stderr" in told("Stop", "block", exit_code=2, stderr="no")
    assert "limit of rejections" in told("Stop", "allow", outcome="skipped")
    model = {"type": "prompt", "model_call": {"deployment": "small"}}
    assert "The model small answered with a verdict" in told("Stop", "allow", **model)


@pytest.mark.parametrize(
    ("event", "decision", "word"),
    [
        ("Stop", "allow", "Error, let pass"),
        ("Start", "allow", "Error, let pass"),
        ("PreToolUse", "none", "Error, let pass"),
        ("PreToolUse", "deny", "Error, blocked"),
        ("PostToolUse", "block", "Error, blocked"),
    ],
)
def test_an_error_is_called_an_error_whatever_became_of_it(event: str, decision: str, word: str) -> None:
    assert told(event, decision, outcome="error", error_message="timed out").startswith(f"{word}. ")


def test_both_types_have_icons() -> None:
    assert set(TYPE_ICONS) == {"prompt", "command"}


def test_what_is_invisible_is_made_visible() -> None:
    assert visible("a\x00\x1b[31m\x7f\u202e\u2066\ufeff\r\nb\tc") == "a␀␛[31m␡⟨U+202E⟩⟨U+2066⟩⟨U+FEFF⟩\nb\tc"
    assert visible(None) == ""
    assert clamped("x" * 30, 10) == "x" * 10 + "… 20 more characters"


def test_a_fault_becomes_a_sentence() -> None:
    assert sentence("Timeout", "must be less.") == "Timeout must be less."
    assert sentence("Tool matcher", "The matcher is wrong.") == "The matcher is wrong."


@pytest.mark.parametrize(("given", "shown"), [(None, "–"), (12.4, "12 ms"), (1500, "1.5 s"), (61_000, "61 s")])
def test_durations(given: float | None, shown: str) -> None:
    assert duration(given) == shown
