"""Inviting somebody, and the page that the link of an invite leads to."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from portal.access import invites, sessions
from portal.access.actors import actor_of
from portal.access.joinform import InviteForm, JoinForm
from portal.access.models import Invite
from portal.errors import Refused
from portal.pages import PageRequest, go, page, refuse
from portal.templatetags.pages import address


@page("admin", post="admin", section="members")
@sensitive_variables("secret", "link")
def invite(request: PageRequest) -> HttpResponse:
    """Make an invite. The answer itself shows its link: a redirect could do so only by storing it somewhere."""
    form = InviteForm(request.POST if request.method == "POST" else None)
    made, link = None, ""
    if request.method == "POST" and form.is_valid():
        values = form.values()
        made, secret = invites.create_invite(agent=request.frame.agent, admin=request.user, by=request.actor, **values)
        link = request.build_absolute_uri(reverse("access:join", args=[secret]))
    shown = {"form": form, "invite": made, "link": link}
    return render(request, "access/invite.html", shown, status=422 if form.errors else 200)


@page("admin", post="admin", section="members", methods=())
def invite_withdraw(request: PageRequest, number: int) -> HttpResponse:
    invites.withdraw_invite(agent=request.frame.agent, number=number, by=request.actor)
    return go(request, address(request, "access:members"))


@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, secret: str) -> HttpResponse:
    """Take up an invite: with the account that is signed in, else with a new one."""
    try:
        found = invites.find_invite(secret)
        if request.method == "POST":
            return _take_up(request, found, secret)
        return _show(request, found, secret, JoinForm())
    except Refused as refused:
        return refuse(request, refused.status, refused.message)


def _take_up(request: HttpRequest, invite: Invite, secret: str) -> HttpResponse:
    onward = f"{reverse('hooks:index')}?{urlencode({'agent': invite.agent.name})}"
    if request.user.is_authenticated:
        # What the page showed is what is accepted, also if somebody else has signed in since.
        if request.POST.get("as") != str(request.user.pk):
            return _show(request, invite, secret, JoinForm(), status=409)
        invites.accept(invite=invite, user=request.user, by=actor_of(request))
        return redirect(onward)
    form = JoinForm(request.POST)
    if not form.is_valid() or not _joined(request, invite, form):
        return _show(request, invite, secret, form, status=422)
    return redirect(onward)


def _joined(request: HttpRequest, invite: Invite, form: JoinForm) -> bool:
    try:
        with transaction.atomic():
            user = User.objects.create_user(form.cleaned_data["username"], password=form.cleaned_data["password"])
            user.backend = "django.contrib.auth.backends.ModelBackend"
            sessions.sign_in(request, user)
            invites.accept(invite=invite, user=user, by=actor_of(request))
    except IntegrityError:
        form.add_error("username", _("Somebody has this user name already."))
        return False
    except Refused:
        # Somebody else was first: the session went with the account, and is not to be written again.
        request.session.flush()
        request.user = AnonymousUser()
        raise
    return True


def _show(request: HttpRequest, invite: Invite, secret: str, form: Any, status: int = 200) -> HttpResponse:
    shown = {"invite": invite, "form": form, "here": reverse("access:join", args=[secret])}
    return render(request, "access/join.html", shown, status=status)
