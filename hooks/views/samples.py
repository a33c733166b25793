"""Builder → Sample contexts: what hooks are tested with."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render

from hooks import services
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS
from hooks.models import SampleContext
from hooks.samplefields import FIELDS, JSON, EventForm, shown
from hooks.sampleforms import pretty, values_of
from portal.errors import NotFound, PreconditionFailed, TooLarge
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address
from portal.translated import _

CHANGED = _(
    "Somebody changed this sample in between. What you typed is below; save once more to put it in place of theirs."
)
FILLED_LIMIT = 100_000
TOO_LARGE = _("This event is too large for a form. PUT /api/v2/sampleContexts/{name} takes it.")
SHAPES = ((FIELDS, _("Form")), (JSON, "JSON"))
TURNS = (FIELDS, JSON, "event")
TAKEN = _("is taken by another sample.")


@page("read", section="samples")
def samples(request: PageRequest) -> HttpResponse:
    found = request.frame.agent.samples.defer("context", "transcript").order_by("event", "name")
    return render(request, "hooks/samples.html", {"samples": found})


@page("write", post="write", section="samples")
def sample_create(request: PageRequest) -> HttpResponse:
    form = EventForm(request.POST if request.method == "POST" else None, initial=_of_evaluation(request))
    if request.POST.get("do") in TURNS:
        return _turn(request, "hooks/sample_create.html", form)
    if request.method == "POST" and _save(request, form):
        return go(request, address(request, "hooks:samples"))
    return _form(request, "hooks/sample_create.html", form)


def _of_evaluation(request: PageRequest) -> dict[str, Any]:
    """Fill the form with a recorded event and what was decided about it, where one is named."""
    key = request.GET.get("evaluation", "")
    if request.method == "POST" or not key:
        return {}
    found = None if "\x00" in key else request.frame.agent.evaluations.filter(pk=key[:26]).first()
    if found is None:
        raise NotFound(f"There is no evaluation {key[:26]!r} on the agent {request.frame.agent.name!r} any more.")
    context, transcript = pretty(found.context), found.transcript
    if len(context) + len(transcript or "") > FILLED_LIMIT:
        raise TooLarge(TOO_LARGE)
    filled = {"event": found.event, "transcript": transcript, "decision": found.decision}
    return {**filled, **shown(found.context, found.event)}


@page("read", post="write", section="samples")
def sample_edit(request: PageRequest, name: str) -> HttpResponse:
    sample = services.find_sample(agent=request.frame.agent, name=name)
    initial = {**values_of(sample, services.etag(sample)), **shown(sample.context, sample.event)}
    form = EventForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.POST.get("do") in TURNS:
        return _turn(request, "hooks/sample_edit.html", form, sample)
    if request.method == "POST" and _save(request, form, sample):
        return go(request, address(request, "hooks:samples"))
    return _form(request, "hooks/sample_edit.html", form, sample)


@page("write", post="write", section="samples")
def sample_delete(request: PageRequest, name: str) -> HttpResponse:
    sample = services.find_sample(agent=request.frame.agent, name=name)
    if request.method == "POST":
        services.delete_sample(sample=sample, by=request.actor)
        messages.success(request, _("{name} deleted").format(name=sample.name))
        return go(request, address(request, "hooks:samples"))
    return render(request, "hooks/sample_delete.html", {"sample": sample})


def _turn(
    request: PageRequest, page_template: str, form: EventForm, sample: SampleContext | None = None
) -> HttpResponse:
    """Show the same sample as fields, as JSON, or with the fields of another event. Nothing is saved."""
    do, event = request.POST["do"], request.POST.get("event", "")
    shape = do if do in (FIELDS, JSON) else FIELDS if form.as_fields else JSON
    turned = form.turned(shape=shape, event=event if event in EVENTS else form.of_event)
    return _form(request, page_template, turned or form, sample)


def _save(request: PageRequest, form: EventForm, sample: SampleContext | None = None) -> bool:
    agent, document = request.frame.agent, form.document()
    # A field that is no JSON has its fault already; what the rest says of it would only repeat that.
    broken = set(form.errors)
    try:
        values = services.read_sample(document, agent_name=agent.name)
        if broken:
            return False
        name = sample.name if sample else str(form.cleaned_data.get("name") or "")
        expected = form.cleaned_data["etag"] if sample else None
        services.save_sample(
            agent=agent, name=name, values=values, expected=expected, create_only=sample is None, by=request.actor
        )
    except Invalid as invalid:
        form.blame(fault for fault in invalid.faults if form.field_of(fault.target) not in broken)
        return False
    except PreconditionFailed:
        form.blame([Fault("", "conflict", CHANGED) if sample else Fault("name", "conflict", TAKEN)])
        return False
    messages.success(request, _("{name} saved").format(name=name))
    return True


def _form(
    request: PageRequest, page_template: str, form: EventForm, sample: SampleContext | None = None
) -> HttpResponse:
    template = "hooks/_sample_form.html" if wants_fragment(request) else page_template
    parts: dict[str, Any] = {"form": form, "sample": sample, "etag": services.etag(sample) if sample else ""}
    parts |= {"shapes": SHAPES, "shape": FIELDS if form.as_fields else JSON}
    return render(request, template, parts, status=422 if form.is_bound else 200)
