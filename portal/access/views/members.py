"""Settings → Members: who has which role on the agent."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from portal.access import invites
from portal.access.members import deactivate, find_member, reactivate, set_role
from portal.access.models import Membership, Role
from portal.errors import Refused
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

PER_PAGE = 50


@page("admin", section="members")
def members(request: PageRequest) -> HttpResponse:
    agent = request.frame.agent
    rows = Membership.objects.filter(agent=agent).select_related("user__second_factor").order_by("user__username")
    shown = {
        "found": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "above": list(User.objects.filter(is_superuser=True).order_by("username")[:20]),
        "invites": list(invites.waiting(agent)[:PER_PAGE]),
        "roles": Role.choices,
    }
    return render(request, "access/members.html", shown)


@page("admin", post="admin", section="members", methods=())
def member_role(request: PageRequest, number: int) -> HttpResponse:
    member, role = find_member(agent=request.frame.agent, number=number), request.POST.get("role", "")
    if role not in Role.values:
        raise Refused(_("Choose one of the roles Viewer, Editor and Admin."))
    set_role(agent=request.frame.agent, user=member.user, role=role, by=request.actor)
    return _done(request, member, _("%(name)s is now %(role)s") % {"name": member.user, "role": Role(role).label})


@page("admin", post="admin", section="members")
def member_remove(request: PageRequest, number: int) -> HttpResponse:
    member = find_member(agent=request.frame.agent, number=number)
    if request.method == "POST":
        set_role(agent=request.frame.agent, user=member.user, role=None, by=request.actor)
        return _done(request, member, _("%(name)s removed") % {"name": member.user})
    return render(request, "access/member_remove.html", {"member": member})


@page("admin", post="admin", section="members")
def member_deactivate(request: PageRequest, number: int) -> HttpResponse:
    member = find_member(agent=request.frame.agent, number=number)
    if request.method == "POST":
        deactivate(agent=request.frame.agent, user=member.user, admin=request.user, by=request.actor)
        return _done(request, member, _("%(name)s deactivated") % {"name": member.user})
    return render(request, "access/member_deactivate.html", {"member": member})


@page("admin", post="admin", section="members", methods=())
def member_reactivate(request: PageRequest, number: int) -> HttpResponse:
    member = find_member(agent=request.frame.agent, number=number)
    reactivate(agent=request.frame.agent, user=member.user, admin=request.user, by=request.actor)
    return _done(request, member, _("%(name)s is active again") % {"name": member.user})


def _done(request: PageRequest, member: Membership, said: Any) -> HttpResponse:
    messages.success(request, said)
    # Whoever has just stepped down may not see the list any more.
    own = member.user_id == request.user.pk
    return go(request, "/" if own else address(request, "access:members"))
