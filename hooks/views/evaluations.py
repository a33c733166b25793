"""One evaluation: what was decided, what each hook did, and what they had to go by."""

from django.http import HttpResponse
from django.shortcuts import render

from hooks.models import Evaluation, HookResult, Kind
from hooks.words import SEEN, SENTENCES, badge_of, reasons_of
from portal.errors import NotFound
from portal.pages import PageRequest, page

ID_LENGTH = 26
# What came of an event of a running agent; a test says what would come of it.
CAME = {
    ("Start", "allow"): "The thread began.",
    ("PreToolUse", "allow"): "{tool} was to be called, whatever the agent’s own tool policy says.",
    ("PreToolUse", "deny"): "{tool} was not to be called.",
    ("PreToolUse", "ask"): "A person was to be asked before {tool} is called.",
    ("PreToolUse", "none"): "The agent’s own tool policy decided about {tool}.",
    ("PostToolUse", "allow"): "The agent got the result of {tool} as it was.",
    ("PostToolUse", "block"): "The result of {tool} was withheld from the agent. The tool had already run.",
    ("Stop", "allow"): "The answer went out.",
    ("Stop", "block"): "The answer was rejected, and the agent went on.",
}


@page("read", section="evaluations")
def evaluation(request: PageRequest, evaluation_id: str) -> HttpResponse:
    found = _find(request, evaluation_id)
    key, tool = (found.event, found.decision), found.tool_name or "the tool"
    seen = [(SEEN[key].format(tool=tool), found.reason)] if key in SEEN and found.reason else []
    if found.additional_context:
        seen.append(("as added context", found.additional_context))
    live = found.kind in (Kind.RUNTIME, Kind.PLAYGROUND)
    shown = {
        "evaluation": found,
        "badge": badge_of(found.decision, found.event),
        "sentence": (CAME if live else SENTENCES).get(key, "").format(tool=tool),
        "seen": seen,
        "lines": [_line(found, result) for result in found.results.order_by("index")],
        "notes": [notice["message"] for notice in found.warnings],
    }
    return render(request, "hooks/evaluation.html", shown)


def _find(request: PageRequest, key: str) -> Evaluation:
    kept = request.frame.agent.evaluations
    found: Evaluation | None = None if "\x00" in key else kept.filter(pk=key[:ID_LENGTH]).first()
    if found is None:
        raise NotFound(f"There is no evaluation {key[:ID_LENGTH]!r} on the agent {request.frame.agent.name!r}.")
    return found


def _line(of: Evaluation, result: HookResult) -> dict[str, object]:
    return {"result": result, "badge": badge_of(result.outcome, of.event), "why": reasons_of(of, result)}
