"""One's own account: the password, and where one is signed in."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from portal.access import lockout, seats, sessions
from portal.access.joinform import PasswordForm
from portal.errors import NotFound, Refused
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address


class TooMany(Refused):
    status, code = 429, "TooManyRequests"


@page("read", section="account")
def account(request: PageRequest) -> HttpResponse:
    found = seats.of(request.user)
    rows = [(seat, seats.device_of(seat.device), seat.session_key == request.session.session_key) for seat in found]
    return render(request, "access/account.html", {"seats": rows})


@sensitive_post_parameters("current", "password", "again")
@page("read", post="read", section="account")
def password(request: PageRequest) -> HttpResponse:
    form = PasswordForm(request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        # Somebody at an unlocked screen must not try passwords without end either.
        attempt = lockout.begin(request, request.user.get_username(), of="own password")
        if attempt.wait:
            raise TooMany(
                _("Too many attempts. Try again in %(minutes)s minutes.") % {"minutes": -(-attempt.wait // 60)}
            )
        if form.is_valid():
            lockout.succeeded(attempt)
            sessions.set_password(request, form.cleaned_data["password"])
            messages.success(request, _("Password changed. You were signed out everywhere else."))
            return go(request, address(request, "access:account"))
        if "current" not in form.errors:
            lockout.succeeded(attempt)
    return render(request, "access/password.html", {"form": form}, status=422 if form.errors else 200)


@page("read", post="read", section="account", methods=())
def session_end(request: PageRequest, number: int) -> HttpResponse:
    seat = request.user.seats.filter(pk=number).first() if number < 2**63 else None
    if seat is None:
        raise NotFound(_("This session has ended already."))
    if seat.session_key == request.session.session_key:
        sessions.sign_out(request)
        return redirect("sign_in")
    sessions.end_one(request, seat)
    messages.success(request, _("Signed out there"))
    return go(request, address(request, "access:account"))


@page("read", post="read", section="account", methods=())
def sign_out_everywhere(request: PageRequest) -> HttpResponse:
    sessions.end_everywhere(request)
    return redirect("sign_in")
