"""Builder → Hooks: the grid. What it shows is in the query string; a switch in it acts at once."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from hooks import services
from hooks.gridquery import GridQuery
from hooks.services.grid import read_grid
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page


@page("read", section="hooks")
def index(request: PageRequest) -> HttpResponse:
    return grid(request, query=read_query(request, request.GET))


@page("write", post="write", methods=(), section="hooks")
def switch(request: PageRequest, name: str) -> HttpResponse:
    """Enable or disable at once; what was wanted is in the form, so that a second click elsewhere does no harm."""
    enabled = request.POST.get("enabled") == "on"
    hook = services.find_hook(agent=request.frame.agent, name=name)
    services.set_enabled(agent=request.frame.agent, names=[hook.name], enabled=enabled, by=request.actor)
    said = (_("{hook} enabled") if enabled else _("{hook} disabled")).format(hook=hook.name)
    if not wants_fragment(request):
        messages.success(request, said)
        return back(request)
    return grid(request, toast=said, undo=f"switch-{hook.pk}")


def grid(
    request: PageRequest, *, query: GridQuery | None = None, toast: str = "", undo: str = "", **more: Any
) -> HttpResponse:
    """Show the grid, after an action as it was; say in a toast what was done."""
    query = query or came_from(request)
    shown = {"grid": read_grid(agent=request.frame.agent, wanted=query.wanted), "query": query, **more}
    shown["focus"] = more.get("focus") or query.focus_after(request.htmx.trigger or "")
    response = render(request, "hooks/_index.html" if wants_fragment(request) else "hooks/index.html", shown)
    if toast:
        response["HX-Trigger"] = json.dumps({"toast": {"text": toast, "undo": undo}})
    return response


def back(request: PageRequest) -> HttpResponse:
    """Go back to the grid as it was."""
    return go(request, came_from(request).address)


def came_from(request: PageRequest) -> GridQuery:
    """Read what the grid showed from the address of the page that posted; elsewhere it is the whole grid."""
    url = urlsplit(request.headers.get("HX-Current-URL") or request.headers.get("Referer", ""))
    return read_query(request, QueryDict(url.query if url.path == reverse("hooks:index") else ""))


def asked_for(request: PageRequest) -> GridQuery:
    """Read what the grid showed from what a form says of it."""
    return read_query(request, QueryDict(request.POST.get("query", "")[:4000]))


def read_query(request: PageRequest, given: QueryDict) -> GridQuery:
    agent = request.frame.agent
    return GridQuery(given, "" if agent.is_default else agent.name)
