"""The judge gives no verdict: every way that ends in an error (R22, R23)."""

import time

import pytest

from tests.judging import KEY, ask
from tests.scripted_model import Reply, call, failure, said


def test_a_report_instead_of_a_verdict_is_shown():
    asked = ask("## Report\nAll fine.")
    assert asked.answer.code == "output_not_json"
    assert "## Report" in asked.answer.message
    assert asked.call.raw == "## Report\nAll fine."


def test_a_long_reply_is_cut_in_message_and_record():
    asked = ask("word " * 10_000)
    assert len(asked.answer.message) < 500
    assert len(asked.call.raw) == 20_000


@pytest.mark.parametrize(
    ("finish", "why"),
    [
        ("length", "cut off at the token limit"),
        ("content_filter", "content filter"),
        ("function_call", "'function_call'"),
    ],
)
def test_an_answer_that_is_not_whole_is_no_verdict(finish, why):
    asked = ask(said('{"ok": true}', finish=finish))
    assert asked.answer.code == "output_not_json"
    assert why in asked.answer.message
    assert '{"ok": true}' in asked.answer.message


def test_an_answer_cut_off_before_its_first_word_says_so():
    assert ask(said(None, finish="length")).answer.message.endswith("token limit")


def test_an_answer_that_is_not_whole_is_not_asked_again():
    assert len(ask(said("Let me th", finish="length"), transcript="user: hello").requests) == 1


def test_a_server_that_names_no_finish_reason_is_believed():
    assert ask(said('{"ok": true}', finish=None)).answer.outcome == "allow"


def test_a_refusal_is_an_error_that_shows_it():
    asked = ask(said(None, message={"refusal": "I cannot help with that."}))
    assert asked.answer.code == "model_error"
    assert asked.answer.message == "the model refused: I cannot help with that."
    assert asked.call.raw == "I cannot help with that."


def test_a_blank_refusal_is_none():
    assert ask(said('{"ok": true}', message={"refusal": " "})).answer.outcome == "allow"


def test_the_providers_message_is_shown():
    asked = ask(failure(400, "context length exceeded"))
    assert asked.answer.code == "model_error"
    assert asked.answer.message == "the model server answered 400: context length exceeded"


def test_the_key_is_shown_nowhere():
    asked = ask(failure(401, f"Incorrect API key: {KEY} (Authorization: Bearer {KEY})"))
    assert asked.answer.message.count("[redacted]") == 2
    assert KEY not in repr(asked)


def test_a_slow_model_runs_into_the_timeout():
    asked = ask(said('{"ok": true}', sleep=5), timeout=0.2)
    assert asked.answer.code == "timeout"
    assert asked.answer.message == "the judge gave no verdict within 0.2 s"


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_server_that_sends_a_byte_now_and_then_does_not_hold_the_verdict_up(part):
    start = time.monotonic()
    assert ask(Reply(drip=part), timeout=0.3).answer.code == "timeout"
    assert time.monotonic() - start < 5


def test_the_timeout_bounds_all_requests_together():
    slow = [Reply(body=call("GrepSearch", pattern="x").body, sleep=0.15)] * 40
    start = time.monotonic()
    assert ask(*slow, transcript="user: hello", timeout=0.4).answer.code == "timeout"
    assert time.monotonic() - start < 4


def test_with_no_time_left_nothing_is_asked():
    asked = ask('{"ok": true}', timeout=-1)
    assert asked.answer.code == "timeout"
    assert asked.requests == []


def test_a_cancelled_run_asks_nothing():
    asked = ask('{"ok": true}', cancelled=lambda: True)
    assert asked.answer.message == "the run was cancelled"
    assert asked.requests == []


def test_a_run_can_be_cancelled_while_it_waits():
    start = time.monotonic()
    asked = ask(said('{"ok": true}', sleep=5), cancelled=lambda: time.monotonic() - start > 0.3)
    assert asked.answer.message == "the run was cancelled"
    assert time.monotonic() - start < 4


def test_a_run_that_is_not_cancelled_goes_its_way():
    assert ask('{"ok": true}', cancelled=lambda: False).answer.outcome == "allow"


def test_the_provider_fails_where_cancelling_was_possible():
    assert ask(failure(400, "no"), cancelled=lambda: False).answer.message == "the model server answered 400: no"
