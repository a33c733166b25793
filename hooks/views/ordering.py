"""A hook moved within the running order of its event."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _

from hooks import services
from hooks.services.bulk import names_of
from hooks.views.listing import back, grid
from hooks.views.undoing import UNDO, remember
from portal.http import wants_fragment
from portal.pages import PageRequest, page

STEPS = {"up": -1, "down": 1}


@page("write", post="write", methods=(), section="hooks")
def move(request: PageRequest, name: str) -> HttpResponse:
    """Move a hook: `by` one place up or down, or `to` a place, counted from 1."""
    agent = request.frame.agent
    hook = services.find_hook(agent=agent, name=name)
    before = names_of(agent, hook.event)
    place = _place(request, before.index(hook.name), len(before))
    after = [one for one in before if one != hook.name]
    after.insert(place, hook.name)
    said, key = _("{hook} is number {place} of {count} on {event}"), ""
    said = said.format(hook=hook.name, place=place + 1, count=len(after), event=hook.event)
    if after != before:
        services.reorder_hooks(agent=agent, event=hook.event, names=after, by=request.actor)
        key = remember(request, event=hook.event, names=before)
    if not wants_fragment(request):
        messages.success(request, said, extra_tags=UNDO if key else "")
        return back(request)
    focus = f"handle-{hook.pk}" if "to" in request.POST else f"more-{hook.pk}"
    return grid(request, toast=said if key else "", undo="undo-last" if key else "", undo_key=key, focus=focus)


def _place(request: PageRequest, now: int, count: int) -> int:
    """The place wanted, from 0, within what there is."""
    to, by = request.POST.get("to", ""), STEPS.get(request.POST.get("by", ""), 0)
    given = to.isascii() and to.isdecimal() and len(to) <= 6
    return min(max(int(to) - 1 if given else now + by, 0), count - 1)
