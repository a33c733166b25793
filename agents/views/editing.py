"""Builder → Custom agents: the list, and the document of each. `agents:edit` is `templates/agents/edit.html`."""

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render

from agents import services
from agents.forms import NEW, DocumentForm
from agents.models import CustomAgent
from agents.views.pages import find, tab
from hooks import runtime
from hooks.engine import yamldoc
from hooks.engine.errors import Fault, Invalid
from hooks.services import etag, known_tools
from portal.errors import Conflict, PreconditionFailed
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

CHANGED = (
    "It was changed in between by somebody else. What you typed is kept; save once more to put it in place of theirs."
)
TAKEN = "A custom agent of this name exists. Choose another name under metadata, or edit that one."


@page("read", section="custom_agents")
def index(request: PageRequest) -> HttpResponse:
    found = request.frame.agent.custom_agents.annotate(hook_count=Count("hooks")).order_by("name")
    return render(request, "agents/index.html", {"custom_agents": found})


@page("write", post="write", section="custom_agents")
def create(request: PageRequest) -> HttpResponse:
    form = DocumentForm(request.POST if request.method == "POST" else None, initial={"document": NEW})
    if request.method == "POST" and _save(request, form):
        return go(request, address(request, "agents:index"))
    return _form(request, "agents/create.html", form)


@page("read", post="write", section="custom_agents")
def edit(request: PageRequest, name: str) -> HttpResponse:
    found = find(request, name)
    initial = {"document": yamldoc.dump(services.document_of(found))}
    form = DocumentForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and _save(request, form, found):
        return go(request, address(request, "agents:index"))
    return _form(request, "agents/edit.html", form, found)


@page("write", post="write", section="custom_agents")
def delete(request: PageRequest, name: str) -> HttpResponse:
    found = services.find_custom_agent(agent=request.frame.agent, name=name)
    if request.method == "POST":
        services.delete_custom_agent(custom_agent=found, by=request.actor)
        messages.success(request, f"{found.name} deleted")
        return go(request, address(request, "agents:index"))
    return render(request, "agents/delete.html", {"custom_agent": found, "hook_count": found.hooks.count()})


def _save(request: PageRequest, form: DocumentForm, found: CustomAgent | None = None) -> bool:
    agent = request.frame.agent
    parsed = form.read(syntax=runtime.syntax(), known_tools=known_tools(agent))
    if parsed is None or parsed.faults:
        return False
    name = found.name if found else parsed.name or ""
    expected = str(form.cleaned_data["etag"] or "") if found else None
    try:
        services.save_custom_agent(
            agent=agent, name=name, parsed=parsed, expected=expected, create_only=found is None, by=request.actor
        )
    except Invalid as invalid:
        form.blame(invalid.faults)
    except Conflict as conflict:
        form.blame([Fault("", "conflict", conflict.message)])
    except PreconditionFailed:
        form.blame([Fault("", "conflict", CHANGED if found else TAKEN)])
    else:
        for notice in parsed.warnings:
            messages.warning(request, f"{name} is saved, with a warning. {notice.target}: {notice.message}")
        messages.success(request, f"{name} saved")
        return True
    return False


def _form(request: PageRequest, whole: str, form: DocumentForm, found: CustomAgent | None = None) -> HttpResponse:
    template = "agents/_form.html" if wants_fragment(request) else whole
    shown = {"form": form, "custom_agent": found, "etag": etag(found) if found else ""}
    status = 422 if form.is_bound else 200
    if found and not wants_fragment(request):
        return tab(request, "edit", found, shown, status=status)
    return render(request, template, shown, status=status)
