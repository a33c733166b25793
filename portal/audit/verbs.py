"""What can stand in the audit log, each with the words that people read."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Verb(TextChoices):
    AGENT_CREATED = "agent.created", _("Agent created")
    CUSTOM_AGENT_CREATED = "custom_agent.created", _("Custom agent created")
    CUSTOM_AGENT_UPDATED = "custom_agent.updated", _("Custom agent changed")
    CUSTOM_AGENT_DELETED = "custom_agent.deleted", _("Custom agent deleted")
    HOOK_CREATED = "hook.created", _("Hook created")
    HOOK_UPDATED = "hook.updated", _("Hook changed")
    HOOK_DELETED = "hook.deleted", _("Hook deleted")
    HOOK_ENABLED = "hook.enabled", _("Hook enabled")
    HOOK_DISABLED = "hook.disabled", _("Hook disabled")
    HOOK_RESTORED = "hook.restored", _("Earlier version of a hook restored")
    HOOKS_REORDERED = "hooks.reordered", _("Hooks reordered")
    HOOKS_OFF = "hooks.turned_off", _("All hooks turned off")
    HOOKS_ON = "hooks.turned_on", _("Hooks turned on again")
    HOOK_ACTIVATED = "thread_hook.activated", _("Hook activated in a thread")
    HOOK_DEACTIVATED = "thread_hook.deactivated", _("Hook paused in a thread")
    SAMPLE_CREATED = "sample.created", _("Sample context created")
    SAMPLE_UPDATED = "sample.updated", _("Sample context changed")
    SAMPLE_DELETED = "sample.deleted", _("Sample context deleted")
    TOKEN_CREATED = "token.created", _("API token created")
    TOKEN_REVOKED = "token.revoked", _("API token revoked")
    MODEL_TIER_UPDATED = "model_tier.updated", "Model tier changed"
    USER_CREATED = "user.created", _("User created")
    MEMBER_ADDED = "member.added", _("Member added")
    MEMBER_CHANGED = "member.changed", _("Role of a member changed")
    MEMBER_REMOVED = "member.removed", _("Member removed")
    MEMBER_DEACTIVATED = "member.deactivated", _("Member deactivated")
    MEMBER_REACTIVATED = "member.reactivated", _("Member reactivated")
    INVITE_CREATED = "invite.created", _("Invite created")
    INVITE_WITHDRAWN = "invite.withdrawn", _("Invite withdrawn")
    PASSWORD_CHANGED = "password.changed", _("Password changed")
    LOCKED_OUT = "session.locked_out", _("Sign-in locked after failures")
    SESSION_ENDED = "session.ended", _("Another session signed out")
    SIGNED_OUT_EVERYWHERE = "session.signed_out_everywhere", _("Signed out everywhere")
    SECOND_FACTOR_ON = "user.second_factor_on", _("Second factor turned on")
    SECOND_FACTOR_OFF = "user.second_factor_off", _("Second factor turned off")
    SIGNED_IN = "session.signed_in", _("Signed in")
    SIGN_IN_FAILED = "session.sign_in_failed", _("Sign-in failed")
    SIGNED_OUT = "session.signed_out", _("Signed out")
    EXPORTED = "export.made", _("Configuration exported")
    AUDIT_EXPORTED = "audit.exported", _("Audit log exported")
    AUDIT_PURGED = "audit.purged", _("Old audit events deleted")
    EVALUATIONS_EXPORTED = "evaluations.exported", _("Evaluations exported")
    PURGED = "evaluations.purged", _("Old evaluations deleted")


def choices() -> list[tuple[str, str]]:
    """What a column of verbs may hold; a function, so that a new verb needs no migration."""
    return [(verb.value, str(verb.label)) for verb in Verb]
