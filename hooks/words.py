"""What pages say of outcomes: icon, word and sentence for each. Colour only repeats them."""

from dataclasses import dataclass, field
from typing import Any

from hooks.models import Evaluation, HookResult
from portal.translated import _

EVENT_ICONS = {
    "Start": "play-circle",
    "PreToolUse": "box-arrow-in-right",
    "PostToolUse": "box-arrow-right",
    "Stop": "sign-stop",
}
TYPE_ICONS = {"prompt": "stars", "command": "terminal"}
LANGUAGES = {"python": "Python", "bash": "Bash"}


@dataclass(frozen=True, slots=True)
class Badge:
    look: str
    icon: str
    word: str


OUTCOMES = {
    "allow": Badge("is-allow", "check-circle-fill", _("Allowed")),
    "block": Badge("is-block", "slash-circle-fill", _("Blocked")),
    "deny": Badge("is-deny", "x-octagon-fill", _("Denied")),
    "ask": Badge("is-ask", "person-raised-hand", _("Ask a person")),
    "none": Badge("is-none", "dash-circle", _("No opinion")),
    "error": Badge("is-error", "exclamation-triangle-fill", _("Error")),
    "skipped": Badge("is-skipped", "skip-forward-fill", _("Skipped")),
}
REJECTED = Badge("is-block", "slash-circle-fill", _("Rejected"))
SILENT = Badge("is-none", "circle", _("Did not fire"))
NOT_RUN = Badge("is-none", "circle", _("Not run yet"))
LET_PASS = Badge("is-error", "exclamation-triangle-fill", _("Error, let pass"))
ERROR_BLOCKED = Badge("is-error", "exclamation-triangle-fill", _("Error, blocked"))
RUNS = {
    "queued": Badge("is-mute", "hourglass-split", _("Queued")),
    "running": Badge("is-run", "arrow-repeat", _("Running")),
    "succeeded": Badge("is-allow", "check-circle-fill", _("Done")),
    "failed": Badge("is-error", "exclamation-triangle-fill", _("Failed")),
    "cancelled": Badge("is-mute", "x-circle", _("Cancelled")),
}

# What a decision means: {tool} is the tool's name.
SENTENCES = {
    ("Start", "allow"): _("The thread would begin."),
    ("PreToolUse", "allow"): _("{tool} would be called, whatever the agent’s own tool policy says."),
    ("PreToolUse", "deny"): _("{tool} would not be called."),
    ("PreToolUse", "ask"): _("A person would be asked before {tool} is called."),
    ("PreToolUse", "none"): _("The agent’s own tool policy would decide about {tool}."),
    ("PostToolUse", "allow"): _("The agent would get the result of {tool} as it is."),
    ("PostToolUse", "block"): _("The result of {tool} would be withheld from the agent."),
    ("Stop", "allow"): _("This answer would go out."),
    ("Stop", "block"): _("This answer would be rejected, and the agent would go on."),
}
# Where the reason of a refusal goes.
SEEN = {
    ("PreToolUse", "deny"): _("in place of a result of {tool}"),
    ("PreToolUse", "ask"): _("shown to the person who is asked about {tool}"),
    ("PostToolUse", "block"): _("in place of the result of {tool}"),
    ("Stop", "block"): _("as a message of the user"),
}
CANNOT_BE_UNDONE = _("The tool has already run.")


@dataclass(slots=True)
class Story:
    """One evaluation of one hook, told: the decision in words, then why, then what the agent sees, then the evidence."""

    evaluation: Evaluation
    result: HookResult | None
    badge: Badge
    sentence: str
    warning: str = ""
    why: list[str] = field(default_factory=list)
    seen: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def badge_of(decision: str, event: str = "") -> Badge:
    return REJECTED if (event, decision) == ("Stop", "block") else OUTCOMES.get(decision, NOT_RUN)


def badge_for(evaluation: Evaluation, results: list[HookResult]) -> Badge:
    """The badge of a test of one hook. An error is never shown as what its fail mode made of it alone."""
    if not results:
        return SILENT
    if results[0].outcome == "error":
        return ERROR_BLOCKED if evaluation.decision in ("block", "deny") else LET_PASS
    if results[0].outcome == "skipped":
        return OUTCOMES["skipped"]
    return badge_of(evaluation.decision, evaluation.event)


def story_of(evaluation: Evaluation, results: list[HookResult]) -> Story:
    """Tell what came of a test of one hook."""
    key, tool = (evaluation.event, evaluation.decision), evaluation.tool_name or _("the tool")
    notes = [notice["message"] for notice in evaluation.warnings]
    if not results:
        return Story(evaluation, None, SILENT, notes[0] if notes else _("The hook does not fire on this event."))
    result = results[0]
    story = Story(evaluation, result, badge_for(evaluation, results), SENTENCES.get(key, "").format(tool=tool))
    if key == ("PostToolUse", "block"):
        story.warning = CANNOT_BE_UNDONE
    story.why = [str(text) for text in reasons_of(evaluation, result)]  # now, in the language of this request
    story.notes = notes + [str(text) for text in result.warnings]
    if key in SEEN and evaluation.reason:
        story.seen.append((SEEN[key].format(tool=tool), evaluation.reason))
    if evaluation.additional_context:
        story.seen.append((_("as added context"), evaluation.additional_context))
    return story


def reasons_of(evaluation: Evaluation, result: HookResult) -> list[str]:
    """Say, step by step, how the hook came to its outcome."""
    why = [_("Matcher hits {tool}").format(tool=evaluation.tool_name)] if evaluation.tool_name else []
    if result.outcome == "skipped":
        return [*why, _("The thread has reached the limit of rejections, so prompt hooks no longer run")]
    if result.outcome == "error":
        blocked = evaluation.decision in ("block", "deny")
        mode = _("If the hook itself fails: Block") if blocked else _("If the hook itself fails: Let it pass")
        return [*why, _("The hook has no verdict: {error}").format(error=result.error_message), mode]
    if result.type == "command":
        why.append(_by_exit_code(result))
    elif result.model_call:
        why.append(_("The model {model} answered with a verdict").format(model=result.model_call["deployment"]))
    return why


def _by_exit_code(result: HookResult) -> str:
    if result.exit_code == 2 and result.outcome == "allow":
        return _("Exit code 2 rejects, and yet nothing was rejected: see the warning below")
    if result.exit_code == 2:
        return (
            _("Exit code 2 always blocks; stderr is the reason")
            if result.stderr.strip()
            else _("Exit code 2 always blocks")
        )
    return (
        _("Exit code 0, and the JSON on stdout decides")
        if result.stdout.strip()
        else _("Exit code 0 and nothing on stdout allow")
    )


def type_of(options: dict[str, Any], kind: str) -> str:
    """The second line of a hook's type: its model, or its language."""
    if kind == "prompt":
        return str(options.get("model", "ReasoningFast"))
    script = str(options.get("script") or "")
    return LANGUAGES["python" if "python" in script.split("\n", 1)[0] else "bash"]
