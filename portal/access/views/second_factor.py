"""The second factor: turning it on and off on one's account, its step of signing in, and taking it from somebody else."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from portal.access import lockout, sessions, totp
from portal.access.members import find_member
from portal.errors import Forbidden
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

PENDING, PATIENCE = "second_factor_of", 300  # seconds from the password to the code
WRONG = "That code is wrong or was used. Wait for the next one and try again."


@sensitive_post_parameters("code")
@page("read", post="read", section="account")
def second_factor(request: PageRequest) -> HttpResponse:
    """Show it as it is; turn it on with a code of the application that scanned the secret."""
    if totp.is_on(request.user):
        return render(request, "access/second_factor.html", {"on": True})
    fault, codes = "", []
    if request.method == "POST":
        attempt = lockout.begin(request, request.user.get_username(), of="second factor")
        if not attempt.wait:
            codes = totp.confirm(request.user, request.POST.get("code", ""), by=request.actor)
        if codes:
            lockout.succeeded(attempt)
            return render(request, "access/second_factor.html", {"on": True, "codes": codes})
        fault = _(WRONG)
    secret = totp.begin(request.user)
    shown = {"on": False, "secret": secret, "qr": totp.qr_code(request.user, secret), "fault": fault}
    return render(request, "access/second_factor.html", shown, status=422 if fault else 200)


@sensitive_post_parameters("code")
@page("read", post="read", section="account", methods=())
def second_factor_off(request: PageRequest) -> HttpResponse:
    """Turn it off. It takes a code, so that an unlocked screen is not enough."""
    attempt = lockout.begin(request, request.user.get_username(), of="second factor")
    if attempt.wait or not totp.accepts(request.user, request.POST.get("code", "")):
        return render(request, "access/second_factor.html", {"on": True, "fault": _(WRONG)}, status=422)
    lockout.succeeded(attempt)
    totp.turn_off(request.user, by=request.actor)
    messages.success(request, _("The second factor is off"))
    return go(request, address(request, "access:account"))


@page("admin", post="admin", section="members")
def member_second_factor(request: PageRequest, number: int) -> HttpResponse:
    """Take it from a member who has lost both the application and the recovery codes."""
    member = find_member(agent=request.frame.agent, number=number)
    if member.user.is_superuser and not request.user.is_superuser:
        raise Forbidden(_("A superuser's second factor can be taken away by superusers only."))
    if request.method == "POST":
        if totp.turn_off(member.user, by=request.actor):
            messages.success(request, _("%(name)s signs in with the password alone") % {"name": member.user})
        return go(request, address(request, "access:members"))
    return render(request, "access/member_second_factor.html", {"member": member, "on": totp.is_on(member.user)})


def wait_for_code(request: HttpRequest, user: User, onward: str) -> HttpResponse:
    """Remember, for five minutes, whose password was right, and ask for the code."""
    request.session.cycle_key()
    request.session[PENDING] = {"user": user.pk, "until": timezone.now().timestamp() + PATIENCE, "next": onward}
    return redirect("sign_in_code")


@never_cache
@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_code(request: HttpRequest) -> HttpResponse:
    """The second step of signing in."""
    pending = request.session.get(PENDING) or {}
    user = User.objects.filter(pk=pending.get("user", 0), is_active=True).first()
    if user is None or pending["until"] < timezone.now().timestamp():
        request.session.pop(PENDING, None)
        return redirect("sign_in")
    if request.method != "POST":
        return render(request, "portal/sign_in_code.html")
    attempt = lockout.begin(request, user.get_username(), of="second factor")
    if attempt.wait:
        minutes = -(-attempt.wait // 60)
        response = render(request, "portal/sign_in_code.html", {"minutes": minutes}, status=429)
        response["Retry-After"] = str(attempt.wait)
        return response
    if not totp.accepts(user, request.POST.get("code", "")):
        sessions.note_failure(request, user.get_username(), locks=attempt.last)
        return render(request, "portal/sign_in_code.html", {"fault": _(WRONG)}, status=422)
    lockout.succeeded(attempt)
    request.session.pop(PENDING, None)
    user.backend = settings.AUTHENTICATION_BACKENDS[0]  # what login() asks for
    sessions.sign_in(request, user)
    return redirect(pending["next"])
