"""The one evaluator: runtime, check, test run, replay and doors all come through here (R7 to R9, R33, R34)."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from hooks.engine import command, matcher, strictjson
from hooks.engine.errors import HookError
from hooks.engine.events import EVENTS, Event
from hooks.engine.judge import Judge
from hooks.engine.merge import merge
from hooks.engine.results import Candidate, Evaluation, HookResult
from hooks.engine.sandbox.protocol import Job, Sandbox, Stream
from hooks.engine.spec import HookSpec
from hooks.engine.verdict import Answer, Verdict

OnOutput = Callable[[Candidate, Stream, bytes], None]
Call = Callable[[], HookResult]
LIMIT_REACHED = "max_rejections"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all hooks of one evaluation share. `transcript` is the text of the file; "" where there is none."""

    event: Event
    context: Mapping[str, Any]
    document: str
    transcript: str
    sandbox: Sandbox
    judge: Judge
    on_output: OnOutput | None
    cancelled: Callable[[], bool] | None


def evaluate(
    *,
    event: str,
    context: Mapping[str, Any],
    agent: Sequence[Candidate],
    custom_agent: Sequence[Candidate],
    sandbox: Sandbox,
    judge: Judge,
    transcript: str = "",
    on_output: OnOutput | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Evaluation:
    """Put one event through the hooks that match it.

    `context` is what `events.prepare` made; the lists are in running order. `on_output` gets output as it comes, from
    several threads; what it raises is raised here, once all hooks of the level have ended. Once `cancelled` says so, what
    still runs is stopped.
    """
    start = time.perf_counter()
    setting = Setting(
        event=EVENTS[event],
        context=context,
        document=strictjson.dumps(context),
        transcript=transcript,
        sandbox=sandbox,
        judge=judge,
        on_output=on_output,
        cancelled=cancelled,
    )
    at_limit = _limit_reached(setting, [*agent, *custom_agent])
    levels = [_matching(setting, level, at_limit) for level in (agent, custom_agent)]
    match_ms = _since(start)
    results = [result for calls in levels for result in _run_level(calls)]
    merged = merge(setting.event, results)
    return Evaluation(
        event=event,
        decision=merged.decision,
        reason=merged.reason,
        additional_context=merged.additional_context,
        truncated=merged.truncated,
        forced_stop=merged.decision == "allow" and any(result.outcome == "skipped" for result in results),
        duration_ms=_since(start),
        match_ms=match_ms,
        hooks=results,
        context=context,
        cancelled=cancelled is not None and cancelled(),
    )


def _limit_reached(setting: Setting, candidates: Sequence[Candidate]) -> bool:
    """Tell whether prompt-type Stop hooks may no longer reject: the highest limit among them counts (R33, R34)."""
    if setting.event.name != "Stop":
        return False
    limit = rejection_limit(candidates)
    return limit is not None and setting.context.get("stop_rejection_count", 0) >= limit


def rejection_limit(candidates: Sequence[Candidate]) -> int | None:
    """Return how many rejections a thread may have before its prompt-type Stop hooks are skipped; None without any."""
    limits = [one.spec.max_rejections for one in candidates if one.spec is not None and one.spec.type == "prompt"]
    return max(limits, default=None)


def fires(one: Candidate, event: str, tool: str) -> bool:
    """Tell whether an active hook takes part (R1); one that is no valid hook any more does, as an error (R9).

    Raises InvalidMatcher, which makes it an error too (R4).
    """
    return one.spec is None or not EVENTS[event].tool or matcher.matches(one.spec.matcher, tool)


def _matching(setting: Setting, candidates: Sequence[Candidate], at_limit: bool) -> list[Call]:
    return [call for one in candidates if (call := _call(setting, one, at_limit)) is not None]


def _run_level(calls: Sequence[Call]) -> list[HookResult]:
    """Run the matching hooks of one level concurrently; answer in list order, whichever ends first (R8)."""
    if len(calls) < 2:
        return [call() for call in calls]
    with ThreadPoolExecutor(max_workers=len(calls), thread_name_prefix="hook") as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def _call(setting: Setting, one: Candidate, at_limit: bool) -> Call | None:
    """Decide what to do with one hook; None where it does not match."""
    spec = one.spec
    if spec is None:
        error = HookError("invalid_hook", one.fault or "What is stored is not a valid hook.")
        return lambda: _failed(setting, one, error)
    try:
        if not fires(one, setting.event.name, setting.context.get("tool_name", "")):
            return None
    except matcher.InvalidMatcher as invalid:
        unusable = HookError("invalid_matcher", str(invalid))
        return lambda: _failed(setting, one, unusable)
    if at_limit and spec.type == "prompt":
        return lambda: _result(one, outcome="skipped", reason=LIMIT_REACHED)
    return lambda: _run(setting, one, spec)


def _run(setting: Setting, one: Candidate, spec: HookSpec) -> HookResult:
    started_at, start = datetime.now(UTC), time.perf_counter()
    result = _ask(setting, one, spec) if spec.type == "prompt" else _execute(setting, one, spec)
    result.started_at, result.duration_ms = started_at, _since(start)
    return result


def _ask(setting: Setting, one: Candidate, spec: HookSpec) -> HookResult:
    answer, call = setting.judge.ask(
        event=setting.event.name,
        name=one.name,
        prompt=spec.prompt or "",
        model=spec.model,
        # A model reads other scripts better as themselves than as escapes.
        context_json=strictjson.dumps(setting.context, ascii_only=False),
        transcript=setting.transcript or None,
        deadline=time.monotonic() + spec.timeout,
        cancelled=setting.cancelled,
    )
    result = _answered(setting, one, answer)
    result.model_call = call
    return result


def _execute(setting: Setting, one: Candidate, spec: HookSpec) -> HookResult:
    on_output = setting.on_output
    done = setting.sandbox.run(
        Job(
            language=spec.language or "bash",
            source=spec.source or "",
            stdin=setting.document.encode(),
            transcript=setting.transcript.encode("utf-8", "replace"),
            timeout=spec.timeout,
        ),
        on_output=None if on_output is None else lambda stream, data: on_output(one, stream, data),
        cancelled=setting.cancelled,
    )
    reply = command.read(setting.event.name, done, name=one.name, timeout=spec.timeout)
    result = _answered(setting, one, reply.answer)
    result.exit_code, result.signal = reply.exit_code, reply.signal
    result.stdout, result.stderr = reply.stdout, reply.stderr
    return result


def _answered(setting: Setting, one: Candidate, answer: Answer) -> HookResult:
    if isinstance(answer, Verdict):
        return _result(
            one,
            outcome=answer.outcome,
            reason=answer.reason,
            additional_context=answer.additional_context,
            warnings=list(answer.warnings),
        )
    return _failed(setting, one, answer)


def _failed(setting: Setting, one: Candidate, error: HookError) -> HookResult:
    ignored = _fail_mode(one) == "block" and not setting.event.can_refuse
    warnings = [f"failMode block is ignored: {setting.event.name} cannot block."] if ignored else []
    return _result(one, outcome="error", error=error, fail_mode_applied=not ignored, warnings=warnings)


def _fail_mode(one: Candidate) -> Literal["allow", "block"]:
    return one.spec.fail_mode if one.spec is not None else one.fail_mode


def _result(one: Candidate, **values: Any) -> HookResult:
    return HookResult(
        name=one.name,
        level=one.level,
        position=one.position,
        type=one.spec.type if one.spec is not None else None,
        version=one.version,
        content_hash=one.content_hash,
        fail_mode=_fail_mode(one),
        key=one.key,
        **values,
    )


def _since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 3)
