"""What came of a test kept: its context as a sample, or a decision as the one that a sample is to come to."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks import services
from hooks.engine.errors import Invalid
from hooks.models import Evaluation, SampleContext
from hooks.views.telling import shown
from portal.errors import NotFound, PreconditionFailed
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address


@page("read", post="write", methods=(), section="hooks")
def keep(request: PageRequest, run_id: str) -> HttpResponse:
    """Store a new sample `name`; without a name set what the sample of this test is expected to come to."""
    found = services.find_test_run(agent=request.frame.agent, run_id=run_id)
    evaluation = found.evaluations.filter(pk=request.POST.get("evaluation", "")[:26].replace("\x00", "")).first()
    if evaluation is None:
        raise NotFound(_("There is no such result in this test run."))
    name = request.POST.get("name", "").strip()
    said, faults = "", []
    try:
        sample = _kept(request, evaluation, name)
        said = _("%s is saved as a sample.") if name else _("%s has a new expected decision. Test again to compare.")
        said %= sample.name
    except Invalid as invalid:
        faults = [f"{fault.target}: {fault.message}" for fault in invalid.faults]
    except PreconditionFailed:
        faults = [_("There is a sample of this name already. Choose another name.")]
    if not wants_fragment(request) and said:
        messages.success(request, said)
        return go(request, address(request, "hooks:run", found.pk))
    told = {
        **shown(request, found, evaluation.pk),
        "panel": request.POST.get("panel", "")[:1],
        "kept": said,
        "faults": faults,
        "named": name,
    }
    template = "hooks/_run.html" if wants_fragment(request) else "hooks/run.html"
    return render(request, template, told, status=422 if faults else 200)


def _kept(request: PageRequest, evaluation: Evaluation, name: str) -> SampleContext:
    decision, agent = request.POST.get("decision", ""), request.frame.agent
    expected = {"decision": decision} if decision else None
    if decision and (contains := request.POST.get("reason", "").strip()):
        expected = {"decision": decision, "reasonContains": contains}
    if name:
        raw = {"context": evaluation.context, "transcript": evaluation.transcript, "expected": expected}
        values = services.read_sample({"event": evaluation.event, **raw}, agent_name=agent.name)
        return services.save_sample(agent=agent, name=name, values=values, create_only=True, by=request.actor)[0]
    sample = services.find_sample(agent=agent, name=evaluation.sample)
    own = {"event": sample.event, "context": sample.context, "transcript": sample.transcript}
    raw = {**own, "description": sample.description, "expected": expected}
    values = services.read_sample(raw, agent_name=agent.name)
    return services.save_sample(agent=agent, name=sample.name, values=values, by=request.actor)[0]
