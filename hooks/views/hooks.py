"""A hook created, edited and deleted."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks import runtime, services
from hooks.engine.errors import Fault, Invalid
from hooks.forms import NEW, HookForm, filled, values_of
from hooks.gallery import find_template
from hooks.models import Hook
from hooks.services import Saved
from hooks.services import bulk as many
from hooks.views.conflicts import conflict_of
from hooks.views.gallery import add_samples, free_name, hook_of
from hooks.views.preview import preview_of
from hooks.views.undoing import UNDO, remember
from portal.errors import Conflict, PreconditionFailed
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address


@page("write", post="write", section="hooks")
def create(request: PageRequest) -> HttpResponse:
    """Make a hook from nothing, or from a template of the gallery (`?template=`), with its samples if they are wanted."""
    template = find_template(request.GET["template"]) if request.GET.get("template") else None
    initial = values_of(hook_of(template.spec)) if template else NEW
    form = HookForm(request.POST if request.method == "POST" else None, initial={**initial, "version": None})
    if request.method == "POST" and (saved := _save(request, form)):
        if template and request.POST.get("samples"):
            add_samples(request, template)
        return _saved(request, saved)
    return _form(request, "hooks/create.html", form, template=template)


@page("write", post="write", section="hooks")
def clone(request: PageRequest, name: str) -> HttpResponse:
    """Make a hook that begins as a copy of another."""
    source = services.find_hook(agent=request.frame.agent, name=name)
    initial = {**values_of(source), "name": free_name(request.frame.agent, source.name), "version": None}
    form = HookForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and (saved := _save(request, form, labels_of=source)):
        return _saved(request, saved)
    return _form(request, "hooks/clone.html", form, source=source)


@page("read", post="write", section="hooks")
def edit(request: PageRequest, name: str) -> HttpResponse:
    hook = services.find_hook(agent=request.frame.agent, name=name)
    form = HookForm(request.POST if request.method == "POST" else None, initial=values_of(hook))
    if request.method == "POST" and (saved := _save(request, form, hook)):
        return _saved(request, saved)
    return _form(request, "hooks/edit.html", form, hook=hook)


@page("write", post="write", section="hooks")
def delete(request: PageRequest, name: str) -> HttpResponse:
    hook = services.find_hook(agent=request.frame.agent, name=name)
    changed = ""
    if request.method == "POST":
        try:
            tags = {hook.name: request.POST.get("etag", "")}
            gone = many.delete_hooks(agent=request.frame.agent, expected=tags, by=request.actor)
        except PreconditionFailed:
            changed = _("It was changed in between. Look at it again before you delete it.")
        else:
            remember(request, versions=gone.versions, orders=gone.orders)
            messages.success(request, _("{hook} deleted").format(hook=hook.name), extra_tags=UNDO)
            return go(request, address(request, "hooks:index"))
    shown = {"hook": hook, "etag": services.etag(hook), "changed": changed}
    shown["custom_agents"] = request.frame.agent.custom_agents.count()
    return render(request, "hooks/delete.html", shown, status=409 if changed else 200)


def _save(
    request: PageRequest, form: HookForm, hook: Hook | None = None, *, labels_of: Hook | None = None
) -> Saved | None:
    agent = request.frame.agent
    parsed = form.read(syntax=runtime.syntax(), known_tools=services.known_tools(agent))
    if parsed.spec is None:
        return None
    source = labels_of or hook
    labels: dict[str, Any] = {"tags": source.tags, "owner": source.owner} if source else {}
    try:
        saved = services.save_hook(
            agent=agent, spec=parsed.spec, hook=hook, expected_version=form.version(), by=request.actor, **labels
        )
    except Invalid as invalid:
        form.blame(invalid.faults)
    except Conflict as conflict:
        form.blame([Fault(conflict.target, "conflict", conflict.message)])
    except PreconditionFailed as changed:
        form.conflict = conflict_of(form, changed.current)
    else:
        for notice in parsed.warnings:
            messages.warning(
                request,
                _("{hook} is saved, with a warning. {warning}").format(hook=saved.hook.name, warning=notice.message),
            )
        return saved
    return None


def _saved(request: PageRequest, saved: Saved) -> HttpResponse:
    unchanged = _("{hook} is as it was: nothing was changed")
    said = _("{hook} created") if saved.created else _("{hook} saved") if saved.changed else unchanged
    messages.success(request, said.format(hook=saved.hook.name))
    return go(request, address(request, "hooks:index"))


def _form(
    request: PageRequest, page_template: str, form: HookForm, hook: Hook | None = None, **shown: Any
) -> HttpResponse:
    status = 409 if form.conflict else 422 if form.is_bound else 200
    shown |= {"form": form, "hook": hook}
    shown["preview"] = preview_of(request, form if form.is_bound else filled(form.initial), hook)
    return render(request, "hooks/_form.html" if wants_fragment(request) else page_template, shown, status=status)
