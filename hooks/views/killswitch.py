"""All hooks of an agent off, and on again."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from hooks.engine.errors import Invalid
from hooks.services import killswitch
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

SPANS = {
    "15": gettext_lazy("in 15 minutes"),
    "60": gettext_lazy("in an hour"),
    "240": gettext_lazy("in 4 hours"),
    "1440": gettext_lazy("in 24 hours"),
    "": gettext_lazy("when somebody turns them on"),
}


@page("admin", post="admin", section="hooks")
def kill_switch(request: PageRequest) -> HttpResponse:
    """Ask with what it does, then turn all hooks off; `do=on` turns them on at once, from wherever the banner stands."""
    agent, name = request.frame.agent, request.frame.agent.name
    if request.POST.get("do") == "on":
        if killswitch.turn_hooks_on(agent=agent, by=request.actor):
            messages.success(request, _("The hooks of %(agent)s are on again") % {"agent": name})
        return go(request, _back(request))
    if request.method == "POST":
        try:
            killswitch.turn_hooks_off(agent=agent, reason=_reason(request), until=_until(request), by=request.actor)
        except Invalid as invalid:
            return _form(request, invalid)
        messages.success(request, _("All hooks of %(agent)s are off") % {"agent": name})
        return go(request, address(request, "hooks:index"))
    return _form(request)


def _form(request: PageRequest, invalid: Invalid | None = None) -> HttpResponse:
    enabled = request.frame.agent.hooks.filter(enabled=True)
    shown: dict[str, Any] = {
        "own": enabled.filter(custom_agent=None).count(),
        "of_custom": enabled.exclude(custom_agent=None).count(),
        "spans": list(SPANS.items()),
        "minutes": request.POST.get("minutes", "60"),
        "reason": _reason(request),
        "faults": invalid.faults if invalid else [],
    }
    shown["wrong"] = {fault.target: True for fault in shown["faults"]}
    return render(request, "hooks/kill_switch.html", shown, status=422 if invalid else 200)


def _reason(request: PageRequest) -> str:
    return request.POST.get("reason", "")


def _until(request: PageRequest) -> Any:
    chosen = request.POST.get("minutes", "")
    return timezone.now() + timedelta(minutes=int(chosen)) if chosen and chosen in SPANS else None


def _back(request: PageRequest) -> str:
    """Where the banner was, if that is a page of this site."""
    given = request.POST.get("next", "")
    own = url_has_allowed_host_and_scheme(given, {request.get_host()}, require_https=request.is_secure())
    return given if own and not any(char < " " for char in given) else address(request, "hooks:index")
