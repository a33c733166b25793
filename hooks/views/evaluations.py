"""Monitor → Evaluations: the list of them, and one: what was decided, what each hook did, and what they had to go by."""

from typing import Any

from django.conf import settings
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from hooks import services
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS
from hooks.models import Evaluation, HookResult, Kind
from hooks.services import evaluationlog
from hooks.services.evaluationlog import NAMES, WORDS, Wanted
from hooks.sources import source_of, told
from hooks.timeline import draw
from hooks.words import OUTCOMES, SEEN, SENTENCES, badge_of, reasons_of
from portal import paging
from portal.errors import Malformed, NotFound
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

ID_LENGTH = 26
ROWS, COUNTED, REPLAYS = 50, 1000, 5
LABELS = {
    "event": gettext_lazy("Event"),
    "decision": gettext_lazy("Decision"),
    "outcome": gettext_lazy("A hook said"),
    "kind": gettext_lazy("Origin"),
    "error": gettext_lazy("Errors"),
    "hook": gettext_lazy("Hook"),
    "customAgent": gettext_lazy("Custom agent"),
    "threadId": gettext_lazy("Thread"),
    "since": gettext_lazy("From"),
    "until": gettext_lazy("To"),
}
# What came of an event of a running agent; a test says what would come of it.
CAME = {
    ("Start", "allow"): gettext_lazy("The thread began."),
    ("PreToolUse", "allow"): gettext_lazy("{tool} was to be called, whatever the agent’s own tool policy says."),
    ("PreToolUse", "deny"): gettext_lazy("{tool} was not to be called."),
    ("PreToolUse", "ask"): gettext_lazy("A person was to be asked before {tool} is called."),
    ("PreToolUse", "none"): gettext_lazy("The agent’s own tool policy decided about {tool}."),
    ("PostToolUse", "allow"): gettext_lazy("The agent got the result of {tool} as it was."),
    ("PostToolUse", "block"): gettext_lazy(
        "The result of {tool} was withheld from the agent. The tool had already run."
    ),
    ("Stop", "allow"): gettext_lazy("The answer went out."),
    ("Stop", "block"): gettext_lazy("The answer was rejected, and the agent went on."),
}


@page("read", section="evaluations")
def evaluations(request: PageRequest) -> HttpResponse:
    given = {name: request.GET.get(name, "").strip() for name in NAMES}
    shown: dict[str, Any] = {"given": given, "facets": _facets(given), "retention": settings.EVALUATION_RETENTION_DAYS}
    try:
        wanted = evaluationlog.read_wanted(given)
        before, after = _place(request.GET, "cursor"), _place(request.GET, "after")
    except Invalid as invalid:
        faults = [(LABELS.get(fault.target, fault.target), fault.message) for fault in invalid.faults]
        return render(request, "hooks/evaluations.html", shown | {"faults": faults}, status=400)
    if after and wants_fragment(request):
        return _what_is_new(request, wanted, after)
    ids = evaluationlog.find_ids(agent=request.frame.agent, wanted=wanted, top=COUNTED + 1, before=before)
    rows = evaluationlog.rows_of(ids[:ROWS])
    shown |= {
        "rows": [
            (one, badge_of(one.decision, one.event), source_of(one), _one(request, one.pk, given)) for one in rows
        ],
        "count": len(ids),
        "many": len(ids) > COUNTED,
        "counted": COUNTED,
        "active": _active(request, given),
        "beyond": bool(before),
        "first": _list(request, given),
        "older": _list(request, given, cursor=paging.written([ids[ROWS - 1]])) if len(ids) > ROWS else "",
        "watch": "" if before else _list(request, given, after=paging.written([ids[0] if ids else "0"])),
    }
    return render(request, "hooks/evaluations.html", shown)


@page("read", post="read", methods=(), section="evaluations")
def evaluations_export(request: PageRequest) -> HttpResponse:
    """Download exactly what the filters select."""
    try:
        wanted = evaluationlog.read_wanted(request.POST)
    except Invalid as invalid:
        raise Malformed(f"{invalid.faults[0].target} {invalid.faults[0].message}") from None
    return evaluationlog.export(agent=request.frame.agent, wanted=wanted, by=request.actor)  # type: ignore[return-value]


@page("read", section="evaluations")
def evaluation(request: PageRequest, evaluation_id: str) -> HttpResponse:
    found = _find(request, evaluation_id)
    key, tool = (found.event, found.decision), found.tool_name or _("the tool")
    seen = [(SEEN[key].format(tool=tool), found.reason)] if key in SEEN and found.reason else []
    if found.additional_context:
        seen.append((_("as added context"), found.additional_context))
    live = found.kind in (Kind.RUNTIME, Kind.PLAYGROUND)
    results = list(found.results.order_by("index"))
    shown = {
        "evaluation": found,
        "badge": badge_of(found.decision, found.event),
        "sentence": (CAME if live else SENTENCES).get(key, "").format(tool=tool),
        "told": told(found),
        "seen": seen,
        "lines": [_line(found, result) for result in results],
        "timeline": (drawn := draw(results)),
        "bars": [(bar, badge_of(bar.result.outcome, found.event)) for bar in drawn.bars] if drawn else [],
        "tokens": _tokens(results),
        "notes": [notice["message"] for notice in found.warnings],
        "retention": settings.EVALUATION_RETENTION_DAYS,
        **_replays(request, found),
        **_beside(request, found),
    }
    return render(request, "hooks/evaluation.html", shown)


@page("read", post="evaluate", methods=(), section="evaluations")
def evaluation_replay(request: PageRequest, evaluation_id: str) -> HttpResponse:
    """Put the same event through the hooks as they are now, on a worker; no thread is touched."""
    found = _find(request, evaluation_id)
    run = services.create_test_run(agent=request.frame.agent, body={"evaluation": found.pk}, by=request.actor)
    return go(request, address(request, "hooks:run", run.pk))


def _tokens(results: list[HookResult]) -> dict[str, Any] | None:
    """Add up what the models took; None where none was asked. The cost is unknown where that of any is."""
    calls = [one.model_call for one in results if one.model_call]
    if not calls:
        return None
    costs = [call.get("costUsd") for call in calls]
    total = sum((call.get("promptTokens") or 0) + (call.get("completionTokens") or 0) for call in calls)
    return {"count": total, "cost": None if None in costs else sum(costs)}


def _beside(request: PageRequest, found: Evaluation) -> dict[str, str]:
    """Where the next newer and the next older one of the list are that somebody came from."""
    given = {name: request.GET.get(name, "").strip() for name in NAMES}
    try:
        wanted = evaluationlog.read_wanted(given)
    except Invalid:
        given, wanted = {}, Wanted()
    agent = request.frame.agent
    newer = evaluationlog.find_ids(agent=agent, wanted=wanted, top=1, after=found.pk, oldest_first=True)
    older = evaluationlog.find_ids(agent=agent, wanted=wanted, top=1, before=found.pk)
    sides = {"newer": newer, "older": older}
    return {side: _one(request, ids[0], given) for side, ids in sides.items() if ids} | {"list": _list(request, given)}


def _what_is_new(request: PageRequest, wanted: Wanted, after: str) -> HttpResponse:
    """Answer how many came since, which the page offers to show: nothing moves while somebody reads."""
    ids = evaluationlog.find_ids(agent=request.frame.agent, wanted=wanted, top=ROWS + 1, after=after)
    given = {name: request.GET.get(name, "").strip() for name in NAMES}
    shown = {"new": len(ids), "top": ROWS, "first": _list(request, given), "watch": request.get_full_path()}
    return render(request, "hooks/_evaluations_new.html", shown)


def _replays(request: PageRequest, found: Evaluation) -> dict[str, Any]:
    """The original of a replay, to compare it with, and the last replays of an original."""
    agent = request.frame.agent
    shown: dict[str, Any] = {"original": None, "replays": []}
    if found.replay_of:
        light = agent.evaluations.defer("context", "transcript")
        shown["original"] = original = light.filter(pk=found.replay_of).first()
        if original:
            shown["was"] = badge_of(original.decision, original.event)
            shown["was_said"] = [_line(original, one) for one in original.results.order_by("index")]
            shown["same"] = (original.decision, original.reason) == (found.decision, found.reason)
    replays = agent.evaluations.filter(kind=Kind.REPLAY, replay_of=found.pk).exclude(kind=Kind.RUNTIME)
    for one in replays.defer("context", "transcript").order_by("-id")[:REPLAYS]:
        shown["replays"].append((one, badge_of(one.decision, one.event)))
    return shown


def _find(request: PageRequest, key: str) -> Evaluation:
    kept = request.frame.agent.evaluations
    found: Evaluation | None = None if "\x00" in key else kept.filter(pk=key[:ID_LENGTH]).first()
    if found is None:
        raise NotFound(
            _("There is no evaluation '%(id)s' on the agent '%(agent)s'. Evaluations are kept for %(days)s days.")
            % {"id": key[:ID_LENGTH], "agent": request.frame.agent.name, "days": settings.EVALUATION_RETENTION_DAYS}
        )
    return found


def _line(of: Evaluation, result: HookResult) -> dict[str, Any]:
    return {"result": result, "badge": badge_of(result.outcome, of.event), "why": reasons_of(of, result)}


def _place(query: QueryDict, name: str) -> str | None:
    """Read the id that a link goes on from. Raises Invalid."""
    given = query.get(name)
    if not given:
        return None
    try:
        return str(paging.read_cursor(given, Evaluation, ["-id"])[0])
    except Invalid:
        said = _("is no place in the list: follow the links from page to page.")
        raise Invalid([Fault(name, "invalid", said)]) from None


def _facets(given: dict[str, str]) -> list[tuple[str, Any, list[tuple[str, Any]], str]]:
    """The filters that one chooses from a list: name, label, the choices, and the chosen one."""
    words: dict[str, dict[str, Any]] = {
        "event": {name: name for name in EVENTS},
        "decision": {name: OUTCOMES[name].word for name in WORDS["decision"]},
        "outcome": {name: OUTCOMES[name].word for name in WORDS["outcome"]},
        "kind": dict(Kind.choices),
        "error": {"yes": _("With errors"), "no": _("Without")},
    }
    return [(name, LABELS[name], list(choices.items()), given[name]) for name, choices in words.items()]


def _active(request: PageRequest, given: dict[str, str]) -> list[tuple[Any, str, str]]:
    """The filters that are set: label, value, and the address without each."""
    words = {name: dict(choices) for name, _label, choices, _chosen in _facets(given)}
    return [
        (LABELS[name], str(words.get(name, {}).get(value, value)), _list(request, given | {name: ""}))
        for name, value in given.items()
        if value
    ]


def _one(request: PageRequest, key: str, given: dict[str, str]) -> str:
    return address(request, "hooks:evaluation", key, query={name: value for name, value in given.items() if value})


def _list(request: PageRequest, given: dict[str, str], **more: str) -> str:
    kept = {name: value for name, value in (given | more).items() if value}
    return address(request, "hooks:evaluations", query=kept)
