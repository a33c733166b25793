"""Test runs watched, cancelled, begun again and listed."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks import services
from hooks.engine.errors import Invalid
from hooks.models import Evaluation, Hook, TestRun
from hooks.views.telling import panel, shown, watched
from hooks.words import RUNS, badge_of
from portal.errors import NotFound
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

STOP_POLLING = 286
A_PAGE = 25


@page("read", section="hooks")
def run(request: PageRequest, run_id: str) -> HttpResponse:
    """Show a run. Who watches it gets 204 while nothing is new, and 286 with the result."""
    found = services.find_test_run(agent=request.frame.agent, run_id=run_id)
    if not wants_fragment(request):
        return render(request, "hooks/run.html", shown(request, found))
    seen = request.GET.get("seen")
    if seen and not found.ended and seen == watched(found)["seen"]:
        return HttpResponse(status=204)
    response = render(request, "hooks/_run.html", shown(request, found), status=STOP_POLLING if found.ended else 200)
    if found.ended and seen:
        response["HX-Trigger"] = "run-ended"
    return response


@page("read", post="evaluate", methods=(), section="hooks")
def cancel(request: PageRequest, run_id: str) -> HttpResponse:
    found = services.cancel_test_run(run=services.find_test_run(agent=request.frame.agent, run_id=run_id))
    if wants_fragment(request):
        return render(request, "hooks/_run.html", shown(request, found))
    return go(request, address(request, "hooks:run", found.pk))


@page("read", post="evaluate", methods=(), section="hooks")
def again(request: PageRequest, run_id: str) -> HttpResponse:
    """Test the same thing with the same: a stored hook as it is now, a definition as it was."""
    agent = request.frame.agent
    found = services.find_test_run(agent=agent, run_id=run_id)
    try:
        new = services.create_test_run(agent=agent, body=services.body_of(found), of=found.hook, by=request.actor)
    except Invalid as invalid:
        told = {**shown(request, found), "faults": [fault.message for fault in invalid.faults]}
        told["panel"] = request.POST.get("panel", "")[:1]
        template = "hooks/_run.html" if wants_fragment(request) else "hooks/run.html"
        return render(request, template, told, status=422)
    if wants_fragment(request):
        return panel(request, new)
    return go(request, address(request, "hooks:run", new.pk))


@page("read", section="hooks")
def runs(request: PageRequest, name: str) -> HttpResponse:
    """List the test runs of a hook, the newest first."""
    hook = _hook(request, name)
    found = services.runs_of(agent=request.frame.agent, hook=hook, name=name.replace("\x00", ""))
    title = hook.name if hook else name[:64]
    if hook is None and not found.exists():
        raise NotFound(_("There is no agent-level hook %(name)r, and no test run of one.") % {"name": title})
    return render(request, "hooks/runs.html", {"hook": hook, "name": title, **listed(request, found)})


def listed(request: PageRequest, found: Any) -> dict[str, Any]:
    """One page of runs, each with its badge and, where it had one context, what was decided."""
    shown_page: Any = Paginator(found, A_PAGE).get_page(request.GET.get("page"))
    rows = list(shown_page.object_list)
    counts: dict[str, Any] = {
        row["test_run"]: row
        for row in Evaluation.objects.filter(test_run__in=[one.pk for one in rows])
        .order_by()
        .values("test_run")
        .annotate(compared=Count("pk", filter=Q(passed__isnull=False)), passed=Count("pk", filter=Q(passed=True)))
    }
    single = Evaluation.objects.filter(test_run__in=[one.pk for one in rows if one.total == 1])
    decided = {one.test_run_id: one for one in single.only("test_run_id", "event", "decision", "duration_ms")}
    return {"page": shown_page, "lines": [_line(one, counts.get(one.pk, {}), decided.get(one.pk)) for one in rows]}


def _line(one: TestRun, counts: dict[str, int], decided: Evaluation | None) -> dict[str, object]:
    return {
        "run": one,
        "badge": RUNS[one.status],
        "decided": badge_of(decided.decision, decided.event) if decided else None,
        "compared": counts.get("compared", 0),
        "passed": counts.get("passed", 0),
        "with": _with(one),
        "seconds": (one.ended_at - one.started_at).total_seconds() * 1000 if one.ended_at and one.started_at else None,
    }


def _with(one: TestRun) -> str:
    names = one.input.get("samples")
    if names:
        return str(names[0]) if len(names) == 1 else _("%d samples") % len(names)
    return _("an evaluation of the log") if "evaluation" in one.input else _("a context")


def _hook(request: PageRequest, name: str) -> Hook | None:
    try:
        return services.find_hook(agent=request.frame.agent, name=name)
    except NotFound:
        return None
