"""A hook tested: a stored one, or what is typed in its form now."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks import runtime, services
from hooks.engine.errors import Fault
from hooks.engine.parsing import parse
from hooks.forms import HookForm
from hooks.models import Hook
from hooks.views.subjects import Subject, carried, choose_and_begin, recent, refused
from portal.errors import NotFound
from portal.pages import PageRequest, page
from portal.templatetags.pages import address

FORM = "#hook-form"
LONGEST_SEARCH = 100


@page("read", post="evaluate", section="hooks")
def test(request: PageRequest, name: str) -> HttpResponse:
    """Test a hook as it is stored."""
    hook = services.find_hook(agent=request.frame.agent, name=name)
    on_demand = hook.activation_mode == "onDemand"
    subject = Subject(
        title=hook.name,
        event=hook.event,
        body={"hook": hook.name},
        definition=definition_of(hook),
        action=address(request, "hooks:test", hook.name),
        back=address(request, "hooks:index"),
        opener=f"test-{hook.pk}",
        tag=_("Version %d") % hook.version,
        of=hook,
        enabled=hook.enabled,
        on_demand=on_demand,
    )
    return choose_and_begin(request, subject)


@page("evaluate", post="evaluate", methods=(), section="hooks")
def test_draft(request: PageRequest) -> HttpResponse:
    """Test what is typed in the form of a hook, saved or not."""
    form, stored = HookForm(request.POST), _stored(request)
    definition = form.given()
    parsed = parse(
        definition, path="definition", syntax=runtime.syntax(), known_tools=services.known_tools(request.frame.agent)
    )
    where = ("hooks:edit", stored.name) if stored else ("hooks:create",)
    back = address(request, *where)
    title = str(definition.get("name") or _("New hook"))[:64]
    if parsed.spec is None:
        form.blame(
            Fault(fault.target.removeprefix("definition."), fault.code, fault.message) for fault in parsed.faults
        )
        return refused(request, title=title, faults=form.summary(), back=back, opener="test-form")
    subject = Subject(
        title=title,
        event=parsed.spec.event,
        body={"definition": definition},
        definition=definition,
        action=address(request, "hooks:test_draft"),
        back=back,
        opener="test-form",
        tag=_("Unsaved form"),
        fields=FORM,
        carried=carried(request),
        of=stored,
        enabled=parsed.spec.enabled,
        on_demand=parsed.spec.activation_mode == "onDemand",
    )
    return choose_and_begin(request, subject)


@page("read", post="read", methods=(), section="hooks")
def test_evaluations(request: PageRequest) -> HttpResponse:
    """List evaluations to test with, as one searches for them."""
    asked = request.POST
    found = recent(
        request.frame.agent,
        request.GET.get("event", "")[:30],
        asked.get("evaluation", "")[:26],
        asked.get("find", "")[:LONGEST_SEARCH],
    )
    return render(request, "hooks/_test_evaluations.html", {"evaluations": found})


def definition_of(hook: Hook) -> dict[str, Any]:
    """Write a stored hook as the definition of a test run."""
    own = {"name": hook.name, "activationMode": hook.activation_mode, "enabled": hook.enabled}
    return {"event": hook.event, **own, **hook.options}


def _stored(request: PageRequest) -> Hook | None:
    try:
        return services.find_hook(agent=request.frame.agent, name=request.POST.get("was", ""))
    except NotFound:
        return None
