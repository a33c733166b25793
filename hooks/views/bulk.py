"""Several hooks enabled, disabled or deleted at once. What is selected comes by name; `all` is all that the filters leave."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render

from hooks import services
from hooks.models import Hook
from hooks.services import bulk as many
from hooks.services.grid import find_hooks, own_hooks
from hooks.views.listing import asked_for, back, grid
from hooks.views.undoing import UNDO, counted, remember
from portal.errors import NotFound, PreconditionFailed
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.translated import _

CHANGED = _("One of them was changed or deleted in between. Look at them again before you delete them.")


@page("write", post="write", methods=(), section="hooks")
def bulk(request: PageRequest) -> HttpResponse:
    action, chosen = request.POST.get("action"), selected(request)
    if not chosen:
        messages.warning(request, _("No hook was selected, so nothing was done."))
        return back(request)
    if action == "delete":
        return _confirm(request, chosen)
    if action == "delete-confirmed":
        return _delete(request, chosen)
    return _switch(request, [hook.name for hook in chosen], enabled=action == "enable")


def selected(request: PageRequest) -> list[Hook]:
    """The hooks that a form has chosen, in running order; those that are gone are left out."""
    agent = request.frame.agent
    if request.POST.get("all"):
        hooks = find_hooks(agent=agent, wanted=asked_for(request).wanted)
    else:
        names = [name for name in request.POST.getlist("hook") if "\x00" not in name]
        hooks = own_hooks(agent).filter(name__in=names)
    return list(hooks.order_by("event", "position", "pk"))


def _switch(request: PageRequest, names: list[str], *, enabled: bool) -> HttpResponse:
    changed = services.set_enabled(agent=request.frame.agent, names=names, enabled=enabled, by=request.actor)
    word, key = _("{hooks} enabled") if enabled else _("{hooks} disabled"), ""
    already = _("All of them were enabled already") if enabled else _("All of them were disabled already")
    if changed:
        key = remember(request, enabled=not enabled, names=[hook.name for hook in changed])
    said = word.format(hooks=counted([hook.name for hook in changed])) if changed else str(already)
    if wants_fragment(request):
        return grid(request, toast=said, undo="undo-last" if key else "", undo_key=key, focus="select-page")
    messages.success(request, said, extra_tags=UNDO if key else "")
    return go(request, asked_for(request).address)


def _confirm(request: PageRequest, chosen: list[Hook], changed: str = "") -> HttpResponse:
    shown: dict[str, Any] = {"hooks": chosen, "changed": changed, "query": asked_for(request)}
    shown["tags"] = [(hook.name, services.etag(hook)) for hook in chosen]
    shown["enabled"] = sum(hook.enabled for hook in chosen)
    shown["custom_agents"] = request.frame.agent.custom_agents.count()
    return render(request, "hooks/bulk.html", shown, status=409 if changed else 200)


def _delete(request: PageRequest, chosen: list[Hook]) -> HttpResponse:
    expected = dict(zip(request.POST.getlist("hook"), request.POST.getlist("etag"), strict=False))
    try:
        gone = many.delete_hooks(agent=request.frame.agent, expected=expected, by=request.actor)
    except (NotFound, PreconditionFailed):
        return _confirm(request, chosen, CHANGED)
    remember(request, versions=gone.versions, orders=gone.orders)
    messages.success(request, _("{hooks} deleted").format(hooks=counted(list(gone.versions))), extra_tags=UNDO)
    return go(request, asked_for(request).address)
