"""One event put through all hooks: which run, in which order, what their failure means."""

import threading

import pytest

from hooks.engine.errors import HookError
from hooks.engine.events import prepare
from hooks.engine.model import ModelFailed
from hooks.engine.sandbox.protocol import Completed
from hooks.engine.testing import ScriptedModel, ScriptedSandbox, exited
from tests.engine.cast import EVENTS, TOOL_EVENTS, broken, hook, raw_context, run

WAIT = 20  # seconds until a test that would hang fails


def names(evaluation):
    return [one.name for one in evaluation.hooks]


def outcomes(evaluation):
    return [one.outcome for one in evaluation.hooks]


def test_it_works():
    sandbox = ScriptedSandbox({"check": exited(2, stderr="No evidence.\n")})
    evaluation = run(hook("check"), sandbox=sandbox)
    assert (evaluation.event, evaluation.decision, evaluation.reason) == ("Stop", "block", "No evidence.")
    assert evaluation.hooks[0].exit_code == 2
    assert evaluation.hooks[0].stderr == "No evidence.\n"
    assert evaluation.hooks[0].started_at is not None
    assert evaluation.duration_ms >= evaluation.hooks[0].duration_ms >= 0
    assert not evaluation.cancelled


@pytest.mark.parametrize("event", EVENTS)
def test_without_hooks_every_event_passes(event):
    evaluation = run(event=event)
    assert evaluation.decision == ("none" if event == "PreToolUse" else "allow")
    assert (evaluation.reason, evaluation.additional_context, evaluation.forced_stop) == (None, None, False)


def test_r7_the_agent_level_comes_first_and_both_levels_run_whatever_the_first_says():
    order = []

    def notes(job):
        order.append(job.source)
        return exited(2, stderr=job.source)

    sandbox = ScriptedSandbox({"agent": notes, "custom": notes})
    evaluation = run(hook("agent"), custom=(hook("custom", level="customAgent"),), sandbox=sandbox)
    assert order == ["agent", "custom"]
    assert [(one.name, one.level) for one in evaluation.hooks] == [("agent", "agent"), ("custom", "customAgent")]
    assert evaluation.reason == "agent\ncustom"


def test_r8_hooks_of_one_level_run_concurrently():
    barrier = threading.Barrier(3, timeout=WAIT)  # lets nobody go before all three are there

    def meets(job):
        barrier.wait()
        return exited()

    sandbox = ScriptedSandbox(dict.fromkeys("abc", meets))
    assert outcomes(run(*map(hook, "abc"), sandbox=sandbox)) == ["allow"] * 3


def test_r8_results_are_merged_in_list_order_not_in_completion_order():
    second_is_done = threading.Event()

    def slow(job):
        assert second_is_done.wait(WAIT)
        return exited(2, stderr="slow first")

    def quick(job):
        second_is_done.set()
        return exited(2, stderr="quick second")

    evaluation = run(hook("slow"), hook("quick"), sandbox=ScriptedSandbox({"slow": slow, "quick": quick}))
    assert names(evaluation) == ["slow", "quick"]
    assert evaluation.reason == "slow first\nquick second"


def test_r8_the_agent_level_ends_before_the_custom_agents_level_starts():
    ended = []

    def ends(job):
        ended.append(job.source)
        return exited()

    def last(job):
        return exited(2, stderr=",".join(sorted(ended)))

    sandbox = ScriptedSandbox({"a": ends, "b": ends, "last": last})
    assert run(hook("a"), hook("b"), custom=(hook("last"),), sandbox=sandbox).reason == "a,b"


def test_r9_each_matching_hook_runs_exactly_once():
    sandbox = ScriptedSandbox()
    run(hook("a"), hook("b"), custom=(hook("a"), hook("c")), sandbox=sandbox)
    assert sorted(job.source for job in sandbox.jobs) == ["a", "a", "b", "c"]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (Completed(status="timeout"), "timeout"),
        (Completed(status="unavailable", message="no runner"), "sandbox_unavailable"),
        (exited(7), "exit_code"),
        (exited(stdout="no json"), "output_not_json"),
        (exited(stdout='{"ok": 1}'), "invalid_decision"),
    ],
)
def test_r9_an_error_affects_its_own_hook_only(bad, code):
    sandbox = ScriptedSandbox({"bad": bad, "good": exited(2, stderr="still here")})
    evaluation = run(hook("bad"), hook("good"), sandbox=sandbox)
    assert outcomes(evaluation) == ["error", "block"]
    assert evaluation.hooks[0].error.code == code
    assert evaluation.reason == "still here"


def test_r9_an_invalid_stored_hook_is_an_error_of_its_own():
    evaluation = run(
        broken("old", fault="timeout must be from 1 to 300", fail_mode="block"), hook("good"), broken("older")
    )
    assert outcomes(evaluation) == ["error", "allow", "error"]
    first, _, last = evaluation.hooks
    assert (first.type, first.error) == (None, HookError("invalid_hook", "timeout must be from 1 to 300"))
    assert last.error == HookError("invalid_hook", "What is stored is not a valid hook.")
    assert evaluation.reason == "Hook 'old' failed: timeout must be from 1 to 300"


def test_r10_only_hooks_that_are_handed_over_run_whatever_ran_before():
    sandbox = ScriptedSandbox()
    run(hook("paused"), hook("active"), sandbox=sandbox)
    sandbox.jobs.clear()
    run(hook("active"), sandbox=sandbox)
    assert [job.source for job in sandbox.jobs] == ["active"]


def test_r11_nothing_of_a_hook_is_remembered_between_evaluations():
    sandbox = ScriptedSandbox({"old": exited(2, stderr="old"), "new": exited(2, stderr="new")})
    assert run(hook("old", "PostToolUse"), event="PostToolUse", sandbox=sandbox).reason == "old"
    edited = hook("old", "PostToolUse", command="new")
    assert run(edited, event="PostToolUse", sandbox=sandbox).reason == "new"
    elsewhere = hook("old", "PostToolUse", matcher="Read")
    assert run(elsewhere, event="PostToolUse", sandbox=sandbox).hooks == []


@pytest.mark.parametrize("event", TOOL_EVENTS)
def test_r1_a_hook_runs_only_for_the_tools_that_its_matcher_names(event):
    evaluation = run(
        hook("a", event, matcher="Bash"), hook("b", event, matcher="Read"), hook("c", event, matcher="*"), event=event
    )
    assert names(evaluation) == ["a", "c"]


@pytest.mark.parametrize("event", ["Start", "Stop"])
def test_a_matcher_on_an_event_without_tool_keeps_nobody_from_running(event):
    assert names(run(hook("a", event, matcher="Read"), event=event)) == ["a"]


def test_r4_r5_a_matcher_that_takes_too_long_is_an_error_and_the_others_run():
    evaluation = run(
        hook("slow", "PostToolUse", matcher="(a|a)*[bc]", failMode="block"),
        hook("good", "PostToolUse"),
        event="PostToolUse",
        fields={"tool_name": "a" * 60},
    )
    assert outcomes(evaluation) == ["error", "allow"]
    assert evaluation.hooks[0].error.code == "invalid_matcher"
    assert evaluation.decision == "block"


def test_r4_a_stored_matcher_that_does_not_compile_is_an_error():
    one = hook("old", "PostToolUse")
    object.__setattr__(one, "spec", one.spec.model_copy(update={"matcher": "("}))
    evaluation = run(one, hook("good", "PostToolUse"), event="PostToolUse")
    assert outcomes(evaluation) == ["error", "allow"]
    assert evaluation.hooks[0].error.code == "invalid_matcher"


def test_r13_r14_the_hook_gets_the_context_on_stdin_and_the_transcript_beside_it():
    sandbox = ScriptedSandbox()
    run(hook("a", timeout=7), sandbox=sandbox, transcript="user: héllo\n", fields={"final_output": "\u2028\x00é"})
    (job,) = sandbox.jobs
    assert (job.language, job.source, job.timeout) == ("bash", "a", 7)
    assert b"\\u2028\\u0000\\u00e9" in job.stdin
    assert job.stdin.isascii()
    assert job.transcript == "user: héllo\n".encode()


def test_a_script_goes_to_the_language_that_it_names():
    sandbox = ScriptedSandbox()
    run(hook("py", command=None, script="#!/usr/bin/env python3\nprint('{}')"), sandbox=sandbox)
    assert sandbox.jobs[0].language == "python"
    assert sandbox.jobs[0].source.startswith("#!/usr/bin/env python3")


def test_a_prompt_hook_asks_the_judge():
    model = ScriptedModel('{"ok": false, "reason": "No evidence."}')
    evaluation = run(hook("judge", prompt="Is it done? $ARGUMENTS", model="careful"), model=model)
    assert (evaluation.decision, evaluation.reason) == ("block", "No evidence.")
    assert evaluation.hooks[0].type == "prompt"
    assert evaluation.hooks[0].model_call.deployment == "careful"
    assert [request["deployment"] for request in model.requests] == ["careful"]
    assert model.requests[0]["tools"] == ()


def test_the_judge_reads_the_contexts_own_letters():
    model = ScriptedModel('{"ok": true}')
    run(hook("judge", prompt="$ARGUMENTS"), model=model, fields={"final_output": "完了 🚀"})
    assert "完了 🚀" in model.requests[0]["messages"][1]["content"]


def test_a_transcript_reaches_the_judge_as_tools():
    model = ScriptedModel('{"ok": true}')
    run(hook("judge", prompt="p"), model=model, transcript="user: hello\n")
    assert {tool["function"]["name"] for tool in model.requests[0]["tools"]} == {"ReadFile", "GrepSearch"}


@pytest.mark.parametrize(
    ("event", "mode", "decision", "applied"),
    [
        ("Stop", "allow", "allow", True),
        ("Stop", "block", "block", True),
        ("PostToolUse", "allow", "allow", True),
        ("PostToolUse", "block", "block", True),
        ("PreToolUse", "allow", "none", True),
        ("PreToolUse", "block", "deny", True),
        ("Start", "allow", "allow", True),
        ("Start", "block", "allow", False),
    ],
)
def test_r22_an_error_means_what_fail_mode_says(event, mode, decision, applied):
    evaluation = run(
        hook("gate", event, failMode=mode), event=event, sandbox=ScriptedSandbox({"gate": exited(3, stderr="oops")})
    )
    (one,) = evaluation.hooks
    assert evaluation.decision == decision
    assert (one.outcome, one.error.code, one.fail_mode) == ("error", "exit_code", mode)
    assert one.fail_mode_applied is applied
    blocked = decision in ("block", "deny")
    assert evaluation.reason == (
        "Hook 'gate' failed: It exited with code 3. Its stderr ends: oops" if blocked else None
    )
    assert bool(one.warnings) is not applied


def test_r22_a_failing_judge_is_an_error_with_the_providers_words():
    evaluation = run(hook("judge", prompt="p", failMode="block"), says=(ModelFailed("context length exceeded"),))
    assert evaluation.hooks[0].error == HookError("model_error", "context length exceeded")
    assert evaluation.reason == "Hook 'judge' failed: context length exceeded"


def test_the_fail_mode_is_told_of_hooks_that_did_not_fail_too():
    assert run(hook("a", failMode="block")).hooks[0].fail_mode == "block"
    assert run(hook("a", failMode="block")).hooks[0].fail_mode_applied is False


def stop(*agent, custom=(), count, says=(), sandbox=None):
    return run(*agent, custom=custom, fields={"stop_rejection_count": count}, says=says, sandbox=sandbox)


REJECTS = '{"ok": false, "reason": "again"}'


@pytest.mark.parametrize(("count", "skipped"), [(0, False), (2, False), (3, True), (4, True), (10**30, True)])
def test_r34_at_the_limit_prompt_hooks_are_skipped_and_the_stop_is_forced(count, skipped):
    evaluation = stop(hook("judge", prompt="p"), count=count, says=(REJECTS,))
    assert outcomes(evaluation) == ["skipped" if skipped else "block"]
    assert evaluation.forced_stop is skipped
    assert evaluation.decision == ("allow" if skipped else "block")
    assert evaluation.hooks[0].reason == ("max_rejections" if skipped else "again")
    assert evaluation.hooks[0].model_call is None or not skipped


@pytest.mark.parametrize(("count", "skipped"), [(4, False), (5, True)])
@pytest.mark.parametrize("custom", [False, True])
def test_r33_the_highest_limit_of_both_levels_is_in_force_for_all(count, skipped, custom):
    low, high = hook("low", prompt="p", maxRejections=1), hook("high", prompt="p", maxRejections=5)
    agent, other = ((low,), (high,)) if custom else ((high, low), ())
    evaluation = stop(*agent, custom=other, count=count, says=(REJECTS, REJECTS))
    assert outcomes(evaluation) == ["skipped" if skipped else "block"] * 2


def test_r33_a_hook_that_sets_no_limit_counts_three():
    pair = hook("low", prompt="p", maxRejections=1), hook("plain", prompt="p")
    assert outcomes(stop(*pair, count=2, says=(REJECTS, REJECTS))) == ["block", "block"]
    assert outcomes(stop(*pair, count=3)) == ["skipped", "skipped"]


def test_r33_neither_command_hooks_nor_invalid_ones_raise_the_limit():
    evaluation = stop(hook("judge", prompt="p", maxRejections=1), hook("run", maxRejections=25), broken("old"), count=1)
    assert outcomes(evaluation) == ["skipped", "allow", "error"]


def test_r34_command_hooks_have_no_limit():
    sandbox = ScriptedSandbox({"run": exited(2, stderr="never")})
    evaluation = stop(hook("run", maxRejections=1), count=1000, sandbox=sandbox)
    assert (evaluation.decision, evaluation.reason, evaluation.forced_stop) == ("block", "never", False)


def test_r34_a_stop_is_not_forced_when_another_hook_blocks_it():
    sandbox = ScriptedSandbox({"run": exited(2, stderr="never")})
    evaluation = stop(hook("judge", prompt="p"), hook("run"), count=3, sandbox=sandbox)
    assert outcomes(evaluation) == ["skipped", "block"]
    assert (evaluation.decision, evaluation.reason, evaluation.forced_stop) == ("block", "never", False)


def test_r34_other_events_know_no_limit():
    evaluation = run(
        hook("judge", "PostToolUse", prompt="p"),
        event="PostToolUse",
        fields={"stop_rejection_count": 99},
        says=('{"decision": "block", "reason": "r"}',),
    )
    assert outcomes(evaluation) == ["block"]


def test_r35_the_count_of_the_context_is_the_one_that_counts():
    given = prepare(raw_context(stop_rejection_count=3, thread_id="t")).context
    assert given["stop_rejection_count"] == 3
    assert stop(hook("judge", prompt="p"), count=given["stop_rejection_count"]).forced_stop


def test_output_is_passed_on_as_it_comes():
    seen = []
    run(
        hook("a"),
        sandbox=ScriptedSandbox({"a": exited(2, stdout="out", stderr="err")}),
        on_output=lambda one, stream, data: seen.append((one.name, stream, data)),
    )
    assert seen == [("a", "stdout", b"out"), ("a", "stderr", b"err")]


@pytest.mark.parametrize("others", [(), ("b",)])
def test_a_watcher_that_fails_is_a_bug_that_is_raised_once_all_hooks_have_ended(others):
    sandbox = ScriptedSandbox({"a": exited(2, stderr="x")})

    def watcher(one, stream, data):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(hook("a"), *map(hook, others), sandbox=sandbox, on_output=watcher)
    assert len(sandbox.jobs) == 1 + len(others)


def test_a_cancel_ends_the_hooks_of_both_levels_and_is_told():
    evaluation = run(
        hook("a"),
        hook("b"),
        custom=(hook("c", level="customAgent"),),
        sandbox=ScriptedSandbox(dict.fromkeys("abc", exited(2, stderr="no"))),
        cancelled=lambda: True,
    )
    assert evaluation.cancelled
    assert evaluation.decision == "allow"
    assert [one.error.message for one in evaluation.hooks] == ["It was cancelled."] * 3


def test_a_cancel_that_never_comes_leaves_the_evaluation_whole():
    assert run(hook("a"), cancelled=lambda: False).cancelled is False


def test_many_hooks_of_one_level_all_run():
    all_names = [f"hook{number}" for number in range(100)]
    sandbox = ScriptedSandbox({name: exited(2, stderr=name) for name in all_names})
    evaluation = run(*map(hook, all_names), sandbox=sandbox)
    assert evaluation.reason == "\n".join(all_names)


def test_the_result_carries_what_its_hook_was():
    one = hook("a")
    for field, value in (("version", 3), ("content_hash", "abc"), ("key", 17), ("position", 4)):
        object.__setattr__(one, field, value)
    (found,) = run(one).hooks
    assert (found.version, found.content_hash, found.key, found.position) == (3, "abc", 17, 4)
    assert (found.exit_code, found.signal, found.model_call, found.error) == (0, None, None, None)
