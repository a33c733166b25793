"""A custom agent created, edited as a form or as its document, and deleted."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render

from agents import services
from agents.canvas import handoffs_of
from agents.documents import ParsedAgent
from agents.forms import NEW, AgentForm, DocumentForm, written
from agents.linediff import compare
from agents.models import CustomAgent
from agents.views.pages import find, tab
from hooks import runtime
from hooks.engine import yamldoc
from hooks.engine.errors import Fault, Invalid
from hooks.services import etag, known_tools
from portal.errors import Conflict, PreconditionFailed
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.specforms import BlamedForm
from portal.templatetags.pages import address
from portal.translated import _

CHANGED = _(
    "It was changed in between by somebody else. What you typed is kept; save once more to put it in place of theirs."
)
TAKEN = _("A custom agent of this name exists. Choose another name, or edit that one.")


@page("write", post="write", section="custom_agents")
def create(request: PageRequest) -> HttpResponse:
    form = AgentForm(request.POST if request.method == "POST" else None, custom_agent=None)
    if request.method == "POST" and _save(request, form, form.read()):
        return go(request, address(request, "agents:index"))
    return _shown(request, "create", "_edit", form)


@page("read", post="write", section="custom_agents")
def edit(request: PageRequest, name: str) -> HttpResponse:
    found = find(request, name)
    form = AgentForm(request.POST if request.method == "POST" else None, custom_agent=found)
    if request.method == "POST" and _save(request, form, form.read(services.document_of(found)), found):
        return go(request, address(request, "agents:edit", found.name))
    return _shown(request, "edit", "_edit", form, found)


@page("write", post="write", section="custom_agents")
def create_document(request: PageRequest) -> HttpResponse:
    form = DocumentForm(request.POST if request.method == "POST" else None, initial={"document": NEW})
    parsed = _read(request, form)
    if _checked(request):
        return _check(request, form, parsed)
    if request.method == "POST" and _save(request, form, parsed):
        return go(request, address(request, "agents:index"))
    return _shown(request, "create_document", "_document", form)


@page("read", post="write", section="custom_agents")
def document(request: PageRequest, name: str) -> HttpResponse:
    found = find(request, name)
    initial = {"document": yamldoc.dump(services.document_of(found))}
    form = DocumentForm(request.POST if request.method == "POST" else None, initial=initial)
    parsed = _read(request, form)
    if _checked(request):
        return _check(request, form, parsed, found)
    if request.method == "POST" and _save(request, form, parsed, found):
        return go(request, address(request, "agents:document", found.name))
    return _shown(request, "document", "_document", form, found)


@page("write", post="write", section="custom_agents")
def delete(request: PageRequest, name: str) -> HttpResponse:
    found = find(request, name)
    if request.method == "POST":
        services.delete_custom_agent(custom_agent=found, by=request.actor)
        messages.success(request, _("{name} deleted").format(name=found.name))
        return go(request, address(request, "agents:index"))
    others = request.frame.agent.custom_agents.exclude(pk=found.pk).values_list("name", "spec")
    pointing = [other for other, spec in others if found.name.lower() in map(str.lower, handoffs_of(spec))]
    return render(request, "agents/delete.html", {"custom_agent": found, "pointing": pointing})


def _read(request: PageRequest, form: DocumentForm) -> ParsedAgent | None:
    if request.method != "POST":
        return None
    return form.read(syntax=runtime.syntax(), known_tools=known_tools(request.frame.agent))


def _checked(request: PageRequest) -> bool:
    return request.method == "POST" and request.POST.get("do") == "check"


def _check(
    request: PageRequest, form: DocumentForm, parsed: ParsedAgent | None, found: CustomAgent | None = None
) -> HttpResponse:
    """Say what saving would say and change, and save nothing."""
    lines, whole = [], found and parsed and not parsed.faults
    if found and parsed and whole:
        lines = compare(yamldoc.dump(services.document_of(found)), yamldoc.dump(written(parsed, found)))
    shown = {"checked": True, "lines": lines, "warnings": parsed.warnings if parsed else []}
    if wants_fragment(request):
        return render(request, "agents/_check.html", {**shown, "form": form, "custom_agent": found})
    name = "document" if found else "create_document"
    return _shown(request, name, "_document", form, found, status=200, **shown)


def _save(request: PageRequest, form: BlamedForm, parsed: ParsedAgent | None, found: CustomAgent | None = None) -> bool:
    if parsed is None or parsed.faults:
        return False
    name = found.name if found else parsed.name or ""
    expected = str(form.cleaned_data["etag"] or "") if found else None
    try:
        services.save_custom_agent(
            agent=request.frame.agent,
            name=name,
            parsed=parsed,
            expected=expected,
            create_only=found is None,
            by=request.actor,
        )
    except Invalid as invalid:
        form.blame(invalid.faults)
    except Conflict as conflict:
        form.blame([Fault("", "conflict", conflict.message)])
    except PreconditionFailed:
        form.blame([Fault("", "conflict", CHANGED if found else TAKEN)])
    else:
        for notice in parsed.warnings:
            messages.warning(
                request,
                _("{name} is saved, with a warning. {warning}").format(
                    name=name, warning=f"{notice.target}: {notice.message}"
                ),
            )
        messages.success(request, _("{name} saved").format(name=name))
        return True
    return False


def _shown(
    request: PageRequest,
    name: str,
    fragment: str,
    form: BlamedForm,
    found: CustomAgent | None = None,
    *,
    status: int = 0,
    **more: Any,
) -> HttpResponse:
    status = status or (422 if form.is_bound else 200)
    shown = {"form": form, "custom_agent": found, "etag": etag(found) if found else "", **more}
    if wants_fragment(request):
        return render(request, f"agents/{fragment}.html", shown, status=status)
    if found:
        return tab(request, name, found, shown, status=status)
    return render(request, f"agents/{name}.html", shown, status=status)
