"""Members of an agent: roles given, changed and taken; accounts deactivated and back again.

An agent always keeps an active admin: the last one can neither step down nor leave. Superusers count as admins everywhere.
"""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from portal.access import seats
from portal.access.actors import Actor
from portal.access.models import Invite, Membership, Role
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import Conflict, Forbidden, NotFound


@transaction.atomic
def set_role(*, agent: Any, user: Any, role: str | None, by: Actor) -> Membership | None:
    """Give `user` this role on `agent` in place of any other; None takes it away. Raises Conflict (the last admin)."""
    _lock(agent)
    found = Membership.objects.filter(agent=agent, user=user).first()
    before = found.role if found else None
    if before == role:
        return found
    member: Membership | None = None
    withdrawn = 0
    if before == Role.ADMIN:
        _keep_an_admin(agent, user)
        withdrawn = _withdraw_invites(user, [agent])
    if role is None:
        assert found is not None  # noqa: S101 - before is not None here
        found.delete()
        verb = Verb.MEMBER_REMOVED
    else:
        member, _ = Membership.objects.update_or_create(agent=agent, user=user, defaults={"role": Role(role)})
        verb = Verb.MEMBER_ADDED if before is None else Verb.MEMBER_CHANGED
    after: dict[str, Any] | None = {"role": role} if role else None
    if withdrawn:
        after = {**(after or {}), "invitesWithdrawn": withdrawn}
    _record(verb, agent, user, by, before={"role": before} if before else None, after=after)
    return member


@transaction.atomic
def deactivate(*, agent: Any, user: User, admin: User, by: Actor) -> None:
    """Close the account of a member: it is out at its next request. Raises Forbidden, Conflict (the last admin).

    An account is the whole portal's, so `admin` must administer every agent on which the user has a role.
    """
    agents = _administered(agent, user, admin)
    fresh = User.objects.select_for_update().get(pk=user.pk)
    if not fresh.is_active:
        return
    for one in agents:
        if one.memberships.filter(user=user, role=Role.ADMIN).exists():
            _keep_an_admin(one, user)
    fresh.is_active = False
    fresh.save(update_fields=["is_active"])
    withdrawn = _withdraw_invites(user, agents)
    after = {"active": False, "invitesWithdrawn": withdrawn} if withdrawn else {"active": False}
    _record(Verb.MEMBER_DEACTIVATED, agent, user, by, before={"active": True}, after=after)


@transaction.atomic
def reactivate(*, agent: Any, user: User, admin: User, by: Actor) -> None:
    """Open an account again. Sessions from before do not come back with it. Raises Forbidden."""
    _administered(agent, user, admin)
    fresh = User.objects.select_for_update().get(pk=user.pk)
    if fresh.is_active:
        return
    seats.end_all(user=fresh)
    fresh.is_active = True
    fresh.save(update_fields=["is_active"])
    _record(Verb.MEMBER_REACTIVATED, agent, user, by, before={"active": False}, after={"active": True})


def find_member(*, agent: Any, number: int) -> Membership:
    """Find the membership of the user with this number. Raises NotFound."""
    found = agent.memberships.select_related("user").filter(user_id=number).first() if number < 2**63 else None
    if found is None:
        raise NotFound(f"There is no member {number} on the agent {agent.name!r}.")
    member: Membership = found
    return member


def _administered(agent: Any, user: User, admin: User) -> list[Any]:
    """Lock and return every agent of `user`, in one order for all, if `admin` administers each. Raises Forbidden."""
    if user.is_superuser and not admin.is_superuser:
        raise Forbidden("A superuser's account can be closed and opened by superusers only.")
    kind = type(agent)
    agents = list(kind.objects.filter(memberships__user=user).order_by("pk").select_for_update(of=("self",)))
    if not admin.is_superuser:
        own = set(admin.memberships.filter(role=Role.ADMIN).values_list("agent_id", flat=True))
        if any(one.pk not in own for one in agents):
            raise Forbidden(
                f"{user.get_username()} has roles on other agents, which you do not administer. "
                "Remove the role on this one instead, or ask a superuser."
            )
    return agents


def _lock(agent: Any) -> None:
    # Two last admins who step down at the same moment wait for each other here.
    type(agent).objects.select_for_update().get(pk=agent.pk)


def _keep_an_admin(agent: Any, user: Any) -> None:
    others = agent.memberships.filter(role=Role.ADMIN, user__is_active=True).exclude(user=user)
    above = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if not user.is_superuser and not others.exists() and not above.exists():
        raise Conflict(
            f"{user.get_username()} is the last admin of the agent {agent.name!r}. Make somebody else an admin first."
        )


def _withdraw_invites(user: Any, agents: list[Any]) -> int:
    """Close the doors that someone who is no admin any more has left open."""
    waiting = Invite.objects.filter(invited_by=user, agent__in=agents, used_at=None, withdrawn_at=None)
    return waiting.update(withdrawn_at=timezone.now())


def _record(verb: Verb, agent: Any, user: Any, by: Actor, *, before: Any, after: Any) -> None:
    record(
        verb,
        by=by,
        object_type="member",
        object_key=user.pk,
        object_text=user.get_username(),
        agent_name=agent.name,
        before=before,
        after=after,
    )
