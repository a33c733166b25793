"""How a test run is shown: what state it is in, what its scripts print, and what came of it."""

from datetime import timedelta
from typing import Any
from zlib import crc32

from django.db.models import Prefetch, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from hooks import services
from hooks.engine.events import EVENTS
from hooks.models import Evaluation, HookResult, TestRun
from hooks.services.samples import decisions_of
from hooks.words import OUTCOMES, RUNS, Badge, Story, badge_for, badge_of, story_of
from portal.pages import PageRequest

SHOWN = 100
# How often to ask again, in milliseconds, by the age of the run: most are over at once, and a long one has time.
PACES = ((timedelta(seconds=1.5), 100), (timedelta(seconds=6), 250), (timedelta(seconds=60), 500))
SLOW = 1000
AT_ONCE = 0.4  # seconds


def panel(request: PageRequest, found: TestRun, **more: Any) -> HttpResponse:
    """Show in the drawer a run that was just begun; with its result, where that is there at once."""
    found = services.wait_for(found, seconds=AT_ONCE)
    response = render(
        request, "hooks/_run_panel.html", {**shown(request, found), "panel": "1", "opener": opener_of(found), **more}
    )
    if found.ended:
        response["HX-Trigger"] = "run-ended"
    return response


def opener_of(found: TestRun) -> str:
    """The id of the button that the drawer was opened with."""
    definition = found.target.get("definition")
    if found.custom_agent:
        return f"test-{(definition or found.target)['event']}-{found.target['index']}"
    return "test-form" if definition else f"test-{found.hook_id}"


def shown(request: PageRequest, found: TestRun, wanted: str = "") -> dict[str, Any]:
    """`wanted` is the evaluation to tell of, else that of the address, else the first that is not as expected."""
    # A run may have many evaluations, each with megabytes of context and output: only the chosen one is read whole.
    results = Prefetch("results", HookResult.objects.only("evaluation_id", "index", "outcome"))
    whole = ("context", "transcript", "reason", "additional_context")
    evaluations = list(found.evaluations.order_by("id").defer(*whole).prefetch_related(results)[:SHOWN])
    told = {} if found.ended else watched(found)
    story = _story(found, _chosen(evaluations, wanted or request.GET.get("evaluation", ""))) if evaluations else None
    return {
        "run": found,
        "badge": RUNS[found.status],
        "lines": [(one, badge_for(one, list(one.results.all()))) for one in evaluations],
        "story": story,
        "order": order_of(found, story.evaluation.event) if story and found.ended else "",
        "before": before(found) if found.ended else None,
        "choices": decisions(story.evaluation) if story and found.ended else [],
        "as_expected": sum(one.passed is True for one in evaluations),
        "compared": sum(one.passed is not None for one in evaluations),
        "unlisted": max(0, found.done - SHOWN),
        "panel": "1" if request.GET.get("panel") else "",
        **told,
    }


def watched(found: TestRun) -> dict[str, Any]:
    """What there is to say of a run that has not ended, when to ask again, and `seen`, which changes with any of it."""
    now = timezone.now()
    age, printed = now - found.created_at, services.printed(found.pk)
    pace = next((wait for bound, wait in PACES if age < bound), SLOW)
    size = f"{printed.item}.{printed.size}.{crc32((printed.stdout + printed.stderr).encode())}" if printed else ""
    return {
        "printed": printed,
        "pace": pace,
        "seconds": max(0, int((now - (found.started_at or found.created_at)).total_seconds())),
        "seen": f"{found.status}-{found.done}-{int(found.cancel_requested)}-{pace}-{size}",
    }


def _chosen(evaluations: list[Evaluation], wanted: str) -> str:
    """The one that was asked for, else the first that is not as expected, else the first."""
    named = [one.pk for one in evaluations if one.pk == wanted]
    wrong = [one.pk for one in evaluations if one.passed is False]
    return (named + wrong + [evaluations[0].pk])[0]


def _story(found: TestRun, key: str) -> Story:
    evaluation = found.evaluations.get(pk=key)
    return story_of(evaluation, list(evaluation.results.order_by("index")))


def before(found: TestRun) -> TestRun | None:
    """The run of the same hook before this one, to compare it with."""
    same = Q(hook=found.hook_id) if found.hook_id else Q(hook=None)
    if not found.hook_id or found.custom_agent:
        same = Q(custom_agent=found.custom_agent, name=found.name)
    earlier: TestRun | None = (
        found.agent.test_runs.filter(same, pk__lt=found.pk, status=TestRun.Status.SUCCEEDED)
        .only("pk", "agent_id", "created_at")
        .order_by("-id")
        .first()
    )
    return earlier


def decisions(evaluation: Evaluation) -> list[tuple[str, Badge, bool]]:
    """The decisions that one may expect, each with whether it is what came of this evaluation."""
    return [
        (word, badge_of(word, evaluation.event), word == evaluation.decision)
        for word in decisions_of(evaluation.event)
        if word in OUTCOMES
    ]


def order_of(found: TestRun, event: str) -> str:
    """Say when in the running order the hook has its turn."""
    if not found.target or event not in EVENTS:
        return ""
    ahead = list(
        found.agent.hooks.filter(custom_agent=None, event=event, enabled=True)
        .order_by("position", "pk")
        .values_list("pk", flat=True)
    )
    if found.custom_agent:
        index = found.target.get("index", 0)
        place = {"count": len(ahead), "event": event, "place": index + 1, "name": found.custom_agent}
        return (
            ngettext(
                "Runs after the %(count)d agent-level hook on %(event)s, as number %(place)d of the own hooks of %(name)s.",
                "Runs after the %(count)d agent-level hooks on %(event)s, as number %(place)d of the own hooks of %(name)s.",
                len(ahead),
            )
            % place
        )
    if found.hook_id in ahead:
        place = {"place": ahead.index(found.hook_id) + 1, "count": len(ahead), "event": event}
        return (
            _("Runs as number %(place)d of %(count)d agent-level hooks on %(event)s, before those of custom agents.")
            % place
        )
    place = {"place": len(ahead) + 1, "event": event}
    return _("It has no turn yet: saved and enabled, it would run as number %(place)d on %(event)s.") % place
