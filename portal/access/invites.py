"""Invites: links that give one person one role on one agent, once. The link itself is shown once and never stored."""

import hashlib
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from portal.access.actors import Actor
from portal.access.members import set_role
from portal.access.models import Invite, Membership, Role
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import Conflict, NotFound, Refused

NOTE_LIMIT = 100
RANKS: Mapping[str, int] = {Role.VIEWER: 0, Role.EDITOR: 1, Role.ADMIN: 2}


class Gone(Refused):
    """The link was good once."""

    status, code = 410, "Gone"


@transaction.atomic
def create_invite(*, agent: Any, role: str, note: str, days: int, admin: User, by: Actor) -> tuple[Invite, str]:
    """Make an invite for `days` days; return its row and what its link ends in."""
    secret = secrets.token_urlsafe(32)
    invite = Invite.objects.create(
        agent=agent,
        role=Role(role),
        note=note,
        digest=digest(secret),
        invited_by=admin,
        created_by=by.text[:200],
        expires_at=timezone.now() + timedelta(days=days),
    )
    after = {"role": role, "for": note, "expiresAt": invite.expires_at.isoformat()}
    _record(Verb.INVITE_CREATED, invite, by, after=after)
    return invite, secret


@transaction.atomic
def withdraw_invite(*, agent: Any, number: int, by: Actor) -> Invite:
    """Make a link that was not used yet useless. Raises NotFound; withdrawing it again changes nothing."""
    rows = agent.invites.select_for_update()
    found = rows.filter(pk=number).first() if number < 2**63 else None
    if found is None:
        raise NotFound(f"There is no invite {number} on the agent {agent.name!r}.")
    invite: Invite = found
    if invite.state in ("open", "expired"):
        invite.withdrawn_at = timezone.now()
        invite.save(update_fields=["withdrawn_at"])
        _record(Verb.INVITE_WITHDRAWN, invite, by, before={"role": invite.role, "for": invite.note})
    return invite


def find_invite(secret: str) -> Invite:
    """Find the invite of a link that still opens. Raises NotFound, Gone."""
    found = Invite.objects.select_related("agent").filter(digest=digest(secret)).first()
    if found is None:
        raise NotFound(_("No invite has this link. It may have been cut short: copy it whole, or ask for a new one."))
    said = {
        "used": _("This invite was used already: each works once. Sign in, or ask for a new one."),
        "withdrawn": _("This invite was withdrawn. Ask an admin of the portal for a new one."),
        "expired": _("This invite has expired. Ask an admin of the portal for a new one."),
    }
    if found.state in said:
        raise Gone(said[found.state])
    return found


@transaction.atomic
def accept(*, invite: Invite, user: User, by: Actor) -> Membership | None:
    """Give `user` the role of the invite, and use it up. Raises Gone, Conflict (has that role, or a higher one)."""
    held = Membership.objects.filter(agent=invite.agent, user=user).first()
    if user.is_superuser or (held and RANKS[held.role] >= RANKS[invite.role]):
        raise Conflict(_("You have this role already, or a higher one. The invite can still be used by somebody else."))
    now = timezone.now()
    fresh = Invite.objects.filter(pk=invite.pk, used_at=None, withdrawn_at=None, expires_at__gt=now)
    if not fresh.update(used_at=now):
        raise Gone(_("This invite was used already: each works once. Sign in, or ask for a new one."))
    return set_role(agent=invite.agent, user=user, role=invite.role, by=by)


def waiting(agent: Any) -> QuerySet[Invite]:
    """The links that still open, the newest first."""
    rows: QuerySet[Invite] = agent.invites.filter(used_at=None, withdrawn_at=None, expires_at__gt=timezone.now())
    return rows


def digest(secret: str) -> str:
    # 256 random bits: there is nothing to guess, so a plain hash is enough.
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _record(verb: Verb, invite: Invite, by: Actor, *, before: Any = None, after: Any = None) -> None:
    record(
        verb,
        by=by,
        object_type="invite",
        object_key=invite.pk,
        object_text=str(invite),
        agent_name=invite.agent.name,
        before=before,
        after=after,
    )
