"""Tests of hooks that workers carry out."""

from typing import Any

from django.db import models

from hooks.models.records import new_id
from portal.fields import JSONTextField


class TestRun(models.Model):
    """One request to test a hook on one or more contexts; its results are its evaluations.

    target       {"hook": name} | {"customAgent": name, "event", "index"} | {} (all hooks)
                 | {"definition": {"event", ...options}}, of a custom agent with "customAgent" and "index" beside
    input        {"samples": [name]} | {"evaluation": id} | {"context", "transcript"}
    hook         what is stored of what was tested, which a definition may differ from
    name         what people call it; "" for all hooks
    custom_agent the name of the one whose hook it is; "" on the agent level
    """

    __test__ = False  # not a test case, whatever pytest makes of the name

    class Status(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        SUCCEEDED = "succeeded", "Succeeded"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    id = models.CharField(primary_key=True, max_length=26, default=new_id)
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="test_runs")
    hook = models.ForeignKey("hooks.Hook", models.SET_NULL, null=True, related_name="test_runs")
    name = models.CharField(max_length=100, blank=True)
    custom_agent = models.CharField(max_length=64, blank=True)
    target: Any = JSONTextField()
    input: Any = JSONTextField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    warnings: Any = JSONTextField(default=list)
    cancel_requested = models.BooleanField(default=False)
    created_by = models.CharField(max_length=200, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    claimed_by = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    enqueued_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    heartbeat = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=["status", "heartbeat"], name="test_runs_by_status"),
            models.Index(fields=["agent", "-id"], name="test_runs_list"),
            models.Index(fields=["hook", "-id"], name="test_runs_of_a_hook"),
            models.Index(fields=["agent", "custom_agent", "name", "-id"], name="test_runs_by_name"),
        )

    def __str__(self) -> str:
        return self.id

    @property
    def queued_ms(self) -> float | None:
        """How long it waited for a worker; None where none took it."""
        return (self.started_at - self.created_at).total_seconds() * 1000 if self.started_at else None

    @property
    def ended(self) -> bool:
        return self.status not in {self.Status.QUEUED, self.Status.RUNNING}
