"""What exit code and output of a command hook mean."""

import pytest

from hooks.engine.command import read
from hooks.engine.errors import HookError
from hooks.engine.events import EVENTS
from hooks.engine.sandbox.protocol import Completed
from hooks.engine.testing import exited
from hooks.engine.verdict import Verdict
from tests.engine.cast import EVENTS as ALL


def reply(done, event="PostToolUse"):
    return read(event, done, name="gate", timeout=30)


def answer(done, event="PostToolUse"):
    return reply(done, event).answer


@pytest.mark.parametrize("event", ALL)
@pytest.mark.parametrize("stdout", ["", " ", "\n \t\r\n", "\u2028\u00a0\x0b\x0c"])
def test_r18_silence_is_no_objection(event, stdout):
    assert answer(exited(stdout=stdout, stderr="only a log"), event) == Verdict(outcome=EVENTS[event].silent)


@pytest.mark.parametrize(
    "stdout", ["{}", ' {"decision": "allow"}\n', '{"ok": true, "reason": null}', '\n\n{"ok":true}']
)
def test_r19_one_object_decides(stdout):
    assert answer(exited(stdout=stdout)).outcome == "allow"


@pytest.mark.parametrize(
    ("stdout", "why"),
    [
        ('Shell ready\n{"ok": true}', "Expecting value"),
        ('{"ok": true} done', "Extra data"),
        ('{"ok": true}{"ok": true}', "Extra data"),
        ('{"ok": true}\n{"ok": true}\n', "Extra data"),
        ("[]", "not an object"),
        ('"text"', "not an object"),
        ("null", "not an object"),
        ("2", "not an object"),
        ('{"ok": tru', "Expecting value"),
        ('{"ok": true, "x": NaN}', "NaN is not JSON"),
        ('{"ok": true, "x": -Infinity}', "-Infinity is not JSON"),
        ('{"ok": true, "x": 1e400}', "not finite"),
        ('{"ok": true, "ok": true}', "stands twice"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 150_000, "nested too deeply"),
        ('\ufeff{"ok": true}', "byte-order mark"),
        ("\ufeff", "byte-order mark"),
        ("'ok'", "Expecting value"),
        ("\x00", "Expecting value"),
        (b'{"ok": true, "reason": "\xff"}', "not UTF-8 at byte 24"),
        (b"\xed\xa0\x80", "not UTF-8"),
        ('{"ok": true, "x": ' + "9" * 5000 + "}", "4,000 digits"),
    ],
)
def test_r19_anything_else_on_stdout_is_an_error_that_shows_it(stdout, why):
    found = answer(exited(stdout=stdout))
    assert found.code == "output_not_json"
    assert why in found.message
    assert len(found.message) < 600


def test_the_excerpt_of_a_long_output_is_marked_as_one():
    assert answer(exited(stdout="x" * 201)).message.endswith("It wrote: " + "x" * 200 + "…")
    assert answer(exited(stdout="x" * 200 + "\n")).message.endswith("It wrote: " + "x" * 200)


def test_r24_an_object_that_cannot_be_read_is_an_invalid_decision():
    assert answer(exited(stdout='{"ok": "true"}')).code == "invalid_decision"


@pytest.mark.parametrize(
    ("stderr", "stdout", "reason"),
    [
        ("no\n", "", "no"),
        ("  two\nlines \n\n", "", "two\nlines"),
        ("no", '{"reason": "other", "decision": "allow"}', "no"),
        ("", '{"reason": "from stdout"}', "from stdout"),
        (" \n", '{"ok": true, "reason": "from stdout"}', "from stdout"),
        ("", "", "Blocked by hook 'gate'"),
        ("", '{"reason": "  "}', "Blocked by hook 'gate'"),
        ("", '{"reason": 5}', "Blocked by hook 'gate'"),
        ("", '{"reason": null}', "Blocked by hook 'gate'"),
        ("", '["reason"]', "Blocked by hook 'gate'"),
        ("", "not json", "Blocked by hook 'gate'"),
        ("", "[" * 100_000, "Blocked by hook 'gate'"),
        (b"\xff\xfe bad", "", "\ufffd\ufffd bad"),
    ],
)
@pytest.mark.parametrize(("event", "outcome"), [("PostToolUse", "block"), ("PreToolUse", "deny")])
def test_r20_exit_2_blocks_and_the_reason_is_stderr_or_else_the_objects(stderr, stdout, reason, event, outcome):
    found = answer(exited(2, stdout=stdout, stderr=stderr), event)
    assert (found.outcome, found.reason) == (outcome, reason)


def test_r20_nothing_but_the_reason_is_taken_from_stdout():
    stdout = '{"reason": "r", "hookSpecificOutput": {"additionalContext": "c"}, "zzz": 1}'
    assert answer(exited(2, stdout=stdout)) == Verdict(outcome="block", reason="r")


@pytest.mark.parametrize(("stderr", "outcome"), [("no", "block"), (" \n", "allow")])
def test_r26_exit_2_on_stop_needs_a_reason(stderr, outcome):
    found = answer(exited(2, stderr=stderr), "Stop")
    assert found.outcome == outcome
    assert bool(found.warnings) is (outcome == "allow")


def test_r27_exit_2_on_start_is_ignored_with_a_warning():
    found = answer(exited(2, stderr="no"), "Start")
    assert (found.outcome, found.warnings) == ("allow", ("Start cannot block: the block is ignored.",))


@pytest.mark.parametrize("code", [1, 3, 126, 127, 128, 193, 255])
def test_r21_any_other_exit_code_is_an_error_whatever_stands_on_stdout(code):
    found = reply(exited(code, stdout='{"decision": "block", "reason": "r"}', stderr="first\nlast line\n"))
    assert found.answer == HookError("exit_code", f"It exited with code {code}. Its stderr ends: last line")
    assert (found.exit_code, found.signal) == (code, None)
    assert found.stdout == '{"decision": "block", "reason": "r"}'


@pytest.mark.parametrize(("code", "signal"), [(129, 1), (130, 2), (137, 9), (143, 15), (192, 64)])
def test_r21_a_reported_128_and_n_is_signal_n(code, signal):
    found = reply(exited(code, stdout='{"ok": true}'))
    assert found.answer == HookError("signal", f"It was killed by signal {signal}.")
    assert (found.exit_code, found.signal) == (None, signal)


def test_r21_the_watchdogs_kill_is_signal_9_in_the_sandboxs_words():
    found = reply(Completed(status="exited", signal=9, message="It used more than 512 MiB."))
    assert found.answer == HookError("signal", "It used more than 512 MiB.")
    assert (found.exit_code, found.signal) == (None, 9)


@pytest.mark.parametrize(
    ("status", "message", "code", "told"),
    [
        ("timeout", "", "timeout", "It did not end within 30 s."),
        ("output_too_large", "", "output_too_large", "It wrote more than 1,048,576 bytes to stdout."),
        ("could_not_start", "", "could_not_start", "It could not be started."),
        ("could_not_start", "no bash", "could_not_start", "no bash"),
        ("unavailable", "", "sandbox_unavailable", "The sandbox is not available."),
        ("unavailable", "no runner", "sandbox_unavailable", "no runner"),
        ("cancelled", "", "could_not_start", "It was cancelled."),
    ],
)
@pytest.mark.parametrize("code_too", [None, 2])
def test_r21_time_out_and_long_output_come_before_the_exit_code(status, message, code, told, code_too):
    done = Completed(status=status, exit_code=code_too, message=message, stdout=b'{"ok": true}', stderr=b"log")
    found = reply(done)
    assert found.answer == HookError(code, told)
    assert (found.exit_code, found.signal) == (None, None)
    assert (found.stdout, found.stderr) == ('{"ok": true}', "log")


def test_the_last_line_of_stderr_is_told_at_bounded_length():
    found = answer(exited(1, stderr="x" * 100_000))
    assert found.message == "It exited with code 1. Its stderr ends: " + "x" * 200


def test_r14_what_a_hook_prints_is_text_whatever_bytes_it_is():
    found = reply(exited(3, stdout=b"\xff\x00a", stderr=b"\xed\xb0\x80"))
    assert found.stdout == "\ufffd\x00a"
    assert set(found.stderr) == {"\ufffd"}
