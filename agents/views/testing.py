"""Hooks of a custom agent tested as they stand in the draft, saved or not; and the test runs that there were."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from agents.drafts import Place
from agents.views.managing import Desk
from agents.views.pages import find
from hooks.services import runs_of
from hooks.views.running import listed
from hooks.views.subjects import Subject, carried, choose_and_begin, refused
from portal.errors import NotFound
from portal.pages import PageRequest, page
from portal.templatetags.pages import address

FORM = "#manage"


@page("evaluate", post="evaluate", methods=(), section="custom_agents")
def test(request: PageRequest, name: str) -> HttpResponse:
    """Test one hook of the draft, with what is typed where it is open."""
    desk = Desk(request, find(request, name))
    desk.load()
    place = Place.read(request.POST.get("place", ""))
    back = address(request, "agents:hooks", desk.found.name)
    if place is None:
        raise NotFound(_("The page did not say which hook to test. Load it again."))
    edited, form = desk.editing, desk.form
    if not desk.apply() and form is not None:
        return refused(request, title=str(place), faults=form.summary(), back=back, opener="test-item")
    if edited == place and place.index is None:  # a new one stands last now
        place = Place(place.event, len(desk.draft.of(place.event)) - 1)
    item = desk.draft.at(place)
    if item is None or place.index is None:
        raise NotFound(_("There is no such hook in the draft any more."))
    definition = {"event": place.event, **item}
    subject = Subject(
        title=str(item.get("name") or f"{place.event}[{place.index}]")[:64],
        event=place.event,
        body={"definition": definition, "customAgent": desk.found.name, "index": place.index},
        definition=definition,
        action=address(request, "agents:test", desk.found.name),
        back=back,
        opener="test-item" if str(edited) == request.POST["place"] else f"test-{place.event}-{place.index}",
        tag=_("Draft of %s") % desk.found.name,
        fields=FORM,
        carried=carried(request),
        place=request.POST["place"],
        enabled=item.get("enabled", True) is not False,
    )
    return choose_and_begin(request, subject)


@page("read", section="custom_agents")
def runs(request: PageRequest, name: str) -> HttpResponse:
    """List the test runs of all hooks of a custom agent, the newest first."""
    found = find(request, name)
    all_runs = runs_of(agent=request.frame.agent, hook=None, custom_agent=found.name)
    shown = {"custom_agent": found, "show_names": True, **listed(request, all_runs)}
    return render(request, "agents/runs.html", shown)
