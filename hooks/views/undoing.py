"""Undo, from the toast: the last change that one made in the grid is kept in one's session."""

import secrets
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from hooks import services
from hooks.services import bulk as many
from hooks.views.listing import back, grid
from portal.errors import Conflict
from portal.http import wants_fragment
from portal.pages import PageRequest, page

UNDO = "undo"  # in the session, and as the tag of a message whose toast offers it


def remember(request: PageRequest, **change: Any) -> str:
    """Keep what takes a change back; answer the key that the toast sends."""
    key = secrets.token_urlsafe(8)
    request.session[UNDO] = {"key": key, "agent": request.frame.agent.name, **change}
    return key


@page("write", post="write", methods=(), section="hooks")
def undo(request: PageRequest) -> HttpResponse:
    change = request.session.get(UNDO, {})
    if change.get("key") != request.POST.get("key") or change.get("agent") != request.frame.agent.name:
        raise Conflict(_("This cannot be undone any more: something else was changed in between."))
    said = _take_back(request, change)
    del request.session[UNDO]
    if wants_fragment(request):
        return grid(request, toast=said)
    messages.success(request, said)
    return back(request)


def _take_back(request: PageRequest, change: dict[str, Any]) -> str:
    agent, by = request.frame.agent, request.actor
    if "enabled" in change:
        services.set_enabled(agent=agent, names=change["names"], enabled=change["enabled"], by=by)
        word = _("{hooks} enabled again") if change["enabled"] else _("{hooks} disabled again")
        return word.format(hooks=counted(change["names"]))
    if "back" in change:
        name, version, expected = change["back"]
        services.restore_hook(agent=agent, name=name, version=version, expected=expected, by=by)
        return _("{hook} is as it was").format(hook=name)
    if "versions" in change:
        many.restore_hooks(agent=agent, versions=change["versions"], orders=change["orders"], by=by)
        return _("{hooks} restored").format(hooks=counted(list(change["versions"])))
    many.order_as_before(agent=agent, event=change["event"], names=change["names"], by=by)
    return _("The order of {event} is as it was").format(event=change["event"])


def counted(names: list[str]) -> str:
    """Name one, count several."""
    return (
        names[0] if len(names) == 1 else ngettext("{count} hook", "{count} hooks", len(names)).format(count=len(names))
    )
