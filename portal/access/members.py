"""Members of an agent: roles given, changed and taken."""

from typing import Any

from django.db import transaction

from portal.access.actors import Actor
from portal.access.models import Membership, Role
from portal.audit.chain import record
from portal.audit.verbs import Verb


@transaction.atomic
def set_role(*, agent: Any, user: Any, role: str | None, by: Actor) -> Membership | None:
    """Give `user` this role on `agent` in place of any other; None takes it away."""
    found = Membership.objects.select_for_update().filter(agent=agent, user=user).first()
    before = found.role if found else None
    if before == role:
        return found
    member: Membership | None = None
    if role is None:
        assert found is not None  # noqa: S101 - before is not None here
        found.delete()
        verb = Verb.MEMBER_REMOVED
    else:
        member, _ = Membership.objects.update_or_create(agent=agent, user=user, defaults={"role": Role(role)})
        verb = Verb.MEMBER_ADDED if before is None else Verb.MEMBER_CHANGED
    record(
        verb,
        by=by,
        object_type="member",
        object_key=user.pk,
        object_text=user.get_username(),
        agent_name=agent.name,
        before={"role": before} if before else None,
        after={"role": role} if role else None,
    )
    return member
