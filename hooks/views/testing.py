"""A hook tested: chosen what with, then watched until there is a result."""

from typing import Any

from django.db.models import Prefetch
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from hooks import services
from hooks.engine.errors import Invalid
from hooks.models import Evaluation, HookResult, TestRun
from hooks.sampleforms import TestForm
from hooks.words import RUNS, Story, badge_for, story_of
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

STOP_POLLING = 286
SHOWN = 100


@page("read", post="evaluate", section="hooks")
def test(request: PageRequest, name: str) -> HttpResponse:
    agent = request.frame.agent
    hook = services.find_hook(agent=agent, name=name)
    samples = list(agent.samples.filter(event=hook.event).only("name", "event"))
    form = TestForm(request.POST if request.method == "POST" else None, samples=samples, hook=hook)
    if request.method == "POST" and (run := _begin(request, form)):
        return _watched(request, run) if wants_fragment(request) else go(request, address(request, "hooks:run", run.pk))
    template = "hooks/_test.html" if wants_fragment(request) else "hooks/test.html"
    return render(request, template, {"form": form, "hook": hook}, status=422 if form.is_bound else 200)


@page("read", section="hooks")
def run(request: PageRequest, run_id: str) -> HttpResponse:
    found = services.find_test_run(agent=request.frame.agent, run_id=run_id)
    if wants_fragment(request):
        response = _watched(request, found, status=STOP_POLLING if found.ended else 200, template="hooks/_run.html")
        if found.ended:
            response["HX-Trigger"] = "run-ended"
        return response
    return render(request, "hooks/run.html", _shown(request, found))


@page("read", post="evaluate", methods=(), section="hooks")
def cancel(request: PageRequest, run_id: str) -> HttpResponse:
    found = services.cancel_test_run(run=services.find_test_run(agent=request.frame.agent, run_id=run_id))
    if wants_fragment(request):
        return _watched(request, found, template="hooks/_run.html")
    return go(request, address(request, "hooks:run", found.pk))


def _begin(request: PageRequest, form: TestForm) -> TestRun | None:
    body = form.body()
    broken = set(form.errors)
    try:
        if not broken:
            return services.create_test_run(agent=request.frame.agent, body=body, by=request.actor)
    except Invalid as invalid:
        form.blame(invalid.faults)
    return None


def _watched(
    request: PageRequest, found: TestRun, *, status: int = 200, template: str = "hooks/_run_panel.html"
) -> HttpResponse:
    return render(request, template, _shown(request, found), status=status)


def _shown(request: PageRequest, found: TestRun) -> dict[str, Any]:
    # A run may have many evaluations, each with megabytes of context and output: only the chosen one is read whole.
    results = Prefetch("results", HookResult.objects.only("evaluation_id", "index", "outcome"))
    evaluations = list(
        found.evaluations.order_by("id").defer("context", "transcript").prefetch_related(results)[:SHOWN]
    )
    since = found.started_at or found.created_at
    return {
        "run": found,
        "badge": RUNS[found.status],
        "seconds": max(0, int((timezone.now() - since).total_seconds())),
        "lines": [(one, badge_for(one, list(one.results.all()))) for one in evaluations],
        "story": _story(found, _chosen(evaluations, request.GET.get("evaluation", ""))) if evaluations else None,
        "as_expected": sum(one.passed is True for one in evaluations),
        "compared": sum(one.passed is not None for one in evaluations),
    }


def _chosen(evaluations: list[Evaluation], wanted: str) -> str:
    """The one that was asked for, else the first that is not as expected, else the first."""
    named = [one.pk for one in evaluations if one.pk == wanted]
    wrong = [one.pk for one in evaluations if one.passed is False]
    return (named + wrong + [evaluations[0].pk])[0]


def _story(found: TestRun, key: str) -> Story:
    evaluation = found.evaluations.get(pk=key)
    return story_of(evaluation, list(evaluation.results.order_by("index")))
