"""Who may do what: members of an agent, and the tokens that programs use."""

from typing import Any, Literal

from django.conf import settings
from django.db import models
from django.utils import timezone

from portal.fields import JSONTextField

SCOPES = ("read", "evaluate", "write", "admin")


class Role(models.TextChoices):
    VIEWER = "viewer", "Viewer"
    EDITOR = "editor", "Editor"
    ADMIN = "admin", "Admin"


ROLE_SCOPES: dict[str, frozenset[str]] = {
    Role.VIEWER: frozenset({"read"}),
    Role.EDITOR: frozenset({"read", "evaluate", "write"}),
    Role.ADMIN: frozenset(SCOPES),
}


class Membership(models.Model):
    """The role of a user on an agent. Superusers are admins everywhere without one."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VIEWER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["user", "agent"], name="one_role_per_user_and_agent"),)

    def __str__(self) -> str:
        return f"{self.user} on {self.agent}: {self.role}"


class Invite(models.Model):
    """A way in that is used once. Only the SHA-256 of what its link holds is kept."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="invites")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VIEWER)
    note = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_by = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.note} ({self.role})"

    @property
    def state(self) -> Literal["open", "used", "withdrawn", "expired"]:
        if self.used_at is not None:
            return "used"
        if self.withdrawn_at is not None:
            return "withdrawn"
        return "expired" if self.expires_at <= timezone.now() else "open"


class Seat(models.Model):
    """A browser in which a user is signed in. Its key is the session's."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="seats")
    session_key = models.CharField(max_length=40, unique=True)
    address = models.CharField(max_length=64, blank=True)
    device = models.CharField(max_length=300, blank=True)
    signed_in_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("-seen_at", "-pk")

    def __str__(self) -> str:
        return f"{self.user} at {self.address}"


class SecondFactor(models.Model):
    """An authenticator application of a user, in force once confirmed; see `portal.access.totp`.

    `secret` is encrypted, `codes` are hashes of the recovery codes left, `last_step` the last step of time a code was of.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="second_factor")
    secret = models.CharField(max_length=300)
    codes: Any = JSONTextField(default=list)
    last_step = models.PositiveBigIntegerField(default=0)
    confirmed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"second factor of {self.user}"


class Attempts(models.Model):
    """How often signing in failed lately, under one name or from one address. The name is kept as a hash."""

    key = models.CharField(primary_key=True, max_length=80)
    failures = models.PositiveIntegerField(default=0)
    since = models.DateTimeField()
    locked_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.key}: {self.failures}"


class ApiToken(models.Model):
    """A program's way in. Only the SHA-256 of the token is kept; `prefix` is what people recognise it by."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    scopes: Any = JSONTextField(default=list)
    created_by = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def state(self) -> Literal["active", "expired", "revoked"]:
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= timezone.now() else "active"
