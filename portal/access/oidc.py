"""Sign-in through the organisation's own OpenID Connect provider, which django-allauth talks to.

The provider says who somebody is. A user is known by the provider's subject, never by a name or an address, so nobody takes over
an account by choosing its name there. Roles come from a claim where `OIDC_ROLE_CLAIM` is set; else people get
`OIDC_DEFAULT_ROLE` once, and members pages are the place for the rest.
"""

from typing import Any, NoReturn, cast

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from portal.access import sessions
from portal.access.actors import Actor
from portal.access.members import set_role
from portal.access.models import Membership, Role
from portal.access.roles import default_agent
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import Refused
from portal.shown import visible

NAME_LIMIT = 150
BY = Actor.system("sign-in by OIDC")
RANKS = (Role.ADMIN, Role.EDITOR, Role.VIEWER)


class Adapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Takes over from allauth as soon as the provider has said who somebody is: its pages and e-mails are not ours."""

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> NoReturn:
        claims = claims_of(sociallogin.account)
        if refusal := refusal_of(claims):
            _refuse(request, refusal, claims)
        user = user_of(sociallogin.account, claims)
        if not user.is_active:
            _refuse(request, _("Your account here is not active. An admin can activate it."), claims)
        grant_roles(user, claims)
        sessions.sign_in(request, user)
        raise ImmediateHttpResponse(redirect(sociallogin.state.get("next") or "home"))

    def on_authentication_error(self, request: HttpRequest, provider: Any, error: Any = None, **more: Any) -> NoReturn:
        if str(error) == "cancelled":
            _refuse(request, _("The sign-in was cancelled."), {})
        _refuse(request, _("The provider could not sign you in. Try again; if it stays, tell an admin."), {})


def claims_of(account: SocialAccount) -> dict[str, Any]:
    """What the provider says of somebody: of its two answers the ID token's where both speak."""
    told = account.extra_data or {}
    return {**(told.get("userinfo") or {}), **(told.get("id_token") or {})} or told


def refusal_of(claims: dict[str, Any]) -> str:
    """Tell why somebody may not come in; "" where they may."""
    if not settings.OIDC_DOMAINS:
        return ""
    email = str(claims.get("email", ""))
    if claims.get("email_verified") is not True:
        return _("The provider has not verified your e-mail address.")
    if email.rpartition("@")[2].lower() not in {domain.lower() for domain in settings.OIDC_DOMAINS}:
        return _("Your e-mail address is of no domain that may sign in here.")
    return ""


@transaction.atomic
def user_of(account: SocialAccount, claims: dict[str, Any]) -> User:
    """Find the user of a subject, or make one."""
    known = SocialAccount.objects.select_related("user").filter(provider=account.provider, uid=account.uid).first()
    if known is not None:
        return cast(User, known.user)
    user = User(username=_free_name(claims, account.uid), email=str(claims.get("email", ""))[:254])
    user.set_unusable_password()
    user.save()
    account.user = user
    account.extra_data = {}  # what it says is read anew at each sign-in, and not ours to keep
    account.save()
    record(
        Verb.USER_CREATED,
        by=BY,
        object_type="user",
        object_key=user.pk,
        object_text=user.username,
        after={"name": user.username, "from": "oidc"},
    )
    return user


def grant_roles(user: User, claims: dict[str, Any]) -> None:
    """Give the role that the claim names on the default agent, or where there is no such claim the default one, once."""
    agent = default_agent()
    wanted = _claimed(claims) if settings.OIDC_ROLE_CLAIM else None
    if wanted is None and not Membership.objects.filter(user=user).exists():
        wanted = settings.OIDC_DEFAULT_ROLE or None
    if agent is None or wanted is None:
        return
    try:
        set_role(agent=agent, user=user, role=wanted, by=BY)
    except Refused:  # the last admin stays one, whatever the provider says
        return


def _claimed(claims: dict[str, Any]) -> str | None:
    """The highest role that the groups of somebody are given."""
    groups = claims.get(settings.OIDC_ROLE_CLAIM) or []
    held = {str(group) for group in (groups if isinstance(groups, list) else [groups])}
    named = {Role.ADMIN: settings.OIDC_ADMINS, Role.EDITOR: settings.OIDC_EDITORS, Role.VIEWER: settings.OIDC_VIEWERS}
    return next((role for role in RANKS if held & set(named[role])), None)


def _free_name(claims: dict[str, Any], subject: str) -> str:
    """A name that no account has: one that is there may be somebody else's."""
    wanted = claims.get("preferred_username") or claims.get("email") or subject
    name = visible(str(wanted))[: NAME_LIMIT - 10].strip() or "user"
    free, number = name, 1
    while User.objects.filter(username__iexact=free).exists():
        number += 1
        free = f"{name}-{number}"
    return free


def _refuse(request: HttpRequest, why: str, claims: dict[str, Any]) -> NoReturn:
    sessions.note_failure(request, str(claims.get("email") or claims.get("preferred_username") or "oidc"))
    messages.error(request, why)
    raise ImmediateHttpResponse(redirect("sign_in"))
