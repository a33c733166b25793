"""The log of configuration changes: rows that are only ever added, each chained to the one before by its hash."""

from typing import Any

from django.db import models

from portal.audit.verbs import Verb
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
    that the event reads the same when they are gone.
    """

    sequence = models.PositiveBigIntegerField(unique=True)
    at = models.DateTimeField(db_index=True)
    verb = models.CharField(max_length=40, choices=Verb.choices)
    actor_kind = models.CharField(max_length=10)
    actor_key = models.CharField(max_length=64, blank=True)
    actor_text = models.CharField(max_length=200)
    address = models.CharField(max_length=64, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    agent_name = models.CharField(max_length=64, blank=True, db_index=True)
    object_type = models.CharField(max_length=40)
    object_key = models.CharField(max_length=64, blank=True)
    object_text = models.CharField(max_length=300, blank=True)
    before: Any = JSONTextField(null=True)
    after: Any = JSONTextField(null=True)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ("-sequence",)

    def __str__(self) -> str:
        return f"{self.sequence} {self.verb} {self.object_text}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly("Audit events are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        raise AppendOnly("Audit events are never deleted.")


class AuditHead(models.Model):
    """The end of the chain: the one row that every writer locks, so that the chain cannot fork."""

    sequence = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, default="")

    def __str__(self) -> str:
        return f"{self.sequence} {self.hash}"
