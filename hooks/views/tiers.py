"""Settings → Model tiers: which model judges, where, at what price."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks.engine.errors import Fault, Invalid
from hooks.forms import TIERS
from hooks.models import ModelTier
from hooks.services import tiers as service
from hooks.tierforms import TierForm, values_of
from portal.errors import PreconditionFailed
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

CHANGED = "Somebody changed this tier in between. What you typed is below; save once more to put it in place of theirs."


@page("admin", section="tiers")
def tiers(request: PageRequest) -> HttpResponse:
    rows = [(row, service.describe(row), TIERS[row.tier]) for row in service.tiers_of(request.frame.agent)]
    return render(request, "hooks/tiers.html", {"rows": rows})


@page("admin", post="admin", section="tiers")
def tier_edit(request: PageRequest, tier: str) -> HttpResponse:
    row = service.find_tier(agent=request.frame.agent, tier=tier)
    form = TierForm(request.POST if request.method == "POST" else None, initial=values_of(row))
    if request.method == "POST" and _save(request, row, form):
        return go(request, address(request, "hooks:tiers"))
    return _shown(request, row, form, status=422 if form.is_bound else 200)


@page("admin", post="admin", section="tiers", methods=())
def tier_try(request: PageRequest, tier: str) -> HttpResponse:
    """Ask the model for one word, with what is typed, saved or not."""
    row = service.find_tier(agent=request.frame.agent, tier=tier)
    form, tried = TierForm(request.POST), None
    try:
        values = service.read_tier(form.document())
        tried = service.try_tier(agent=request.frame.agent, tier=row.tier, values=values)
    except Invalid as invalid:
        form.blame(invalid.faults)
    return _shown(request, row, form, tried=tried, status=200 if tried else 422)


def _save(request: PageRequest, row: ModelTier, form: TierForm) -> bool:
    document = form.document()
    try:
        values = service.read_tier(document)
        expected = form.cleaned_data["etag"]
        service.save_tier(agent=request.frame.agent, tier=row.tier, values=values, expected=expected, by=request.actor)
    except Invalid as invalid:
        form.blame(invalid.faults)
        return False
    except PreconditionFailed:
        form.blame([Fault("", "conflict", CHANGED)])
        return False
    messages.success(request, _("%(name)s saved: in force for the next evaluation") % {"name": row.tier})
    return True


def _shown(
    request: PageRequest, row: ModelTier, form: TierForm, *, tried: service.Tried | None = None, status: int
) -> HttpResponse:
    template = "hooks/_tier_form.html" if wants_fragment(request) else "hooks/tier_edit.html"
    # Only who was told that somebody changed it in between may save over that.
    seen = form.cleaned_data["etag"] if form.is_bound and CHANGED not in form.general else service.etag(row)
    shown = {"form": form, "row": row, "state": service.describe(row), "etag": seen, "tried": tried}
    return render(request, template, {**shown, "use": TIERS[row.tier].use}, status=status)
