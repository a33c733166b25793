"""The log of configuration changes: rows that are only ever added, each chained to the one before by its hash."""

from typing import Any

from django.db import models

from portal.audit.verbs import choices
from portal.fields import JSONTextField


class AppendOnly(Exception):
    """An audit event was to be changed or deleted."""


class AppendOnlyQuerySet(models.QuerySet["AuditEvent"]):
    def update(self, **kwargs: Any) -> int:
        raise AppendOnly("Audit events are never changed.")

    def delete(self) -> Any:
        raise AppendOnly("Audit events are never deleted.")


class AuditEvent(models.Model):
    """One change: who, what, to what, from where. Written by `portal.audit.record` alone.

    `before` and `after` are the object as its API shows it, None where it did not exist. Object and actor are kept as text, so
    that the event reads the same when they are gone. `summary` says in one line what changed. Triggers of the database refuse
    UPDATE and DELETE (migration 0003); a migration that has SQLite make this table anew must make them anew.
    """

    sequence = models.PositiveBigIntegerField(unique=True)
    at = models.DateTimeField(db_index=True)
    verb = models.CharField(max_length=40, choices=choices)
    actor_kind = models.CharField(max_length=10)
    actor_key = models.CharField(max_length=64, blank=True)
    actor_text = models.CharField(max_length=200)
    address = models.CharField(max_length=64, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    agent_name = models.CharField(max_length=64, blank=True)
    object_type = models.CharField(max_length=40)
    object_key = models.CharField(max_length=64, blank=True)
    object_text = models.CharField(max_length=300, blank=True)
    summary = models.CharField(max_length=300, blank=True, default="")
    before: Any = JSONTextField(null=True)
    after: Any = JSONTextField(null=True)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ("-sequence",)
        # Each filter of the log has one, in the order of the log. The time is in it, since what a filter by time leaves
        # out is then passed over without a look at the row.
        indexes = (
            models.Index(fields=["agent_name", "-sequence", "at"], name="audit_of_an_agent"),
            models.Index(fields=["agent_name", "verb", "-sequence", "at"], name="audit_by_verb"),
            models.Index(fields=["agent_name", "actor_text", "-sequence", "at"], name="audit_by_actor"),
            models.Index(fields=["agent_name", "object_text", "-sequence", "at"], name="audit_by_object"),
            models.Index(fields=["agent_name", "object_type", "object_key", "-sequence"], name="audit_of_an_object"),
            models.Index(fields=["at", "sequence"], name="audit_by_time"),
        )

    def __str__(self) -> str:
        return f"{self.sequence} {self.verb} {self.object_text}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly("Audit events are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        raise AppendOnly("Audit events are never deleted.")


class AuditHead(models.Model):
    """The end of the chain: the one row that every writer locks, so that the chain cannot fork.

    `purge_through` is what the triggers ask: a purge sets it, within its transaction, to the last event that it may delete.
    """

    sequence = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, default="")
    purge_through = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.sequence} {self.hash}"


class AuditCheck(models.Model):
    """What the last walk along the whole chain found: the one row behind the badge. `broken_at` is 0 where it holds."""

    at = models.DateTimeField()
    count = models.PositiveBigIntegerField()
    last = models.PositiveBigIntegerField()
    broken_at = models.PositiveBigIntegerField(default=0)
    message = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.at} {self.message or 'holds'}"
