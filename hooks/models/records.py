"""What came of events: one evaluation each, with a result for each hook that matched."""

from typing import Any

from django.db import models
from ulid import ULID

from portal.fields import JSONTextField


def new_id() -> str:
    """Make an identifier that sorts by time."""
    return str(ULID())


class Kind(models.TextChoices):
    RUNTIME = "runtime", "Live"
    CHECK = "check", "Check"
    TEST = "test", "Test"
    REPLAY = "replay", "Replay"
    PLAYGROUND = "playground", "Playground"


class Evaluation(models.Model):
    """One event put through all hooks that apply. Texts that hooks or callers wrote are JSON text, since they may hold U+0000.

    `transcript` is the rendered text. `stages`: milliseconds by what they went into; None where nobody measured.
    `sample`, `expected`, `passed` are of test runs; `custom_agent` is "" on the agent level.
    """

    id = models.CharField(primary_key=True, max_length=26, default=new_id)
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="evaluations")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    event = models.CharField(max_length=30)
    custom_agent = models.CharField(max_length=64, blank=True)
    thread_key = models.CharField(max_length=200, blank=True)
    tool_name = models.CharField(max_length=200, blank=True)
    context: Any = JSONTextField()
    transcript: Any = JSONTextField(null=True)
    decision = models.CharField(max_length=10)
    reason: Any = JSONTextField(null=True)
    additional_context: Any = JSONTextField(null=True)
    truncated = models.BooleanField(default=False)
    forced_stop = models.BooleanField(default=False)
    hooks_off = models.BooleanField(default=False, db_default=False)  # the kill switch answered, and no hook
    warnings: Any = JSONTextField(default=list)
    duration_ms = models.FloatField()
    stages: Any = JSONTextField(null=True)
    test_run = models.ForeignKey("hooks.TestRun", models.CASCADE, null=True, related_name="evaluations")
    replay_of = models.CharField(max_length=26, blank=True)
    sample = models.CharField(max_length=64, blank=True)
    expected: Any = JSONTextField(null=True)
    passed = models.BooleanField(null=True)
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - null is what unique ignores
    request_id = models.CharField(max_length=64, blank=True)
    by = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=["agent", "kind", "idempotency_key"],
                condition=models.Q(idempotency_key__isnull=False),
                name="idempotency_key_per_agent",
            ),
        )
        indexes = (
            models.Index(fields=["agent", "kind", "-id"], name="evaluations_list"),
            models.Index(fields=["agent", "thread_key", "-id"], name="evaluations_of_a_thread"),
            models.Index(fields=["agent", "kind", "event", "-created_at"], name="evaluations_of_an_event"),
            models.Index(fields=["created_at"], name="evaluations_by_age"),
        )

    def __str__(self) -> str:
        return self.id


class HookResult(models.Model):
    """What one hook did in an evaluation. `hook` is the stored hook, None when it came with the request or is deleted."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="results")
    index = models.PositiveIntegerField()
    hook = models.ForeignKey("hooks.Hook", models.SET_NULL, null=True, related_name="results")
    name = models.CharField(max_length=100)
    level = models.CharField(max_length=12)
    position = models.PositiveIntegerField()
    type = models.CharField(max_length=10, blank=True)
    version = models.PositiveIntegerField(null=True)
    content_hash = models.CharField(max_length=64, blank=True)
    outcome = models.CharField(max_length=10)
    reason: Any = JSONTextField(null=True)
    additional_context: Any = JSONTextField(null=True)
    delivered = models.BooleanField(default=False)
    error_code = models.CharField(max_length=30, blank=True)
    error_message: Any = JSONTextField(default=str)
    fail_mode_applied = models.BooleanField(default=False)
    exit_code = models.IntegerField(null=True)
    signal = models.IntegerField(null=True)
    stdout: Any = JSONTextField(default=str)
    stderr: Any = JSONTextField(default=str)
    model_call: Any = JSONTextField(null=True)
    started_at = models.DateTimeField(null=True)
    duration_ms = models.FloatField(default=0.0)
    warnings: Any = JSONTextField(default=list)
    kind = models.CharField(
        max_length=12, choices=Kind.choices
    )  # the evaluation's, so that a grid of hooks needs no join
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("evaluation", "index")
        indexes = (
            models.Index(fields=["hook", "kind", "-created_at"], name="results_of_a_hook"),
            models.Index(fields=["hook", "kind", "outcome", "-created_at"], name="results_by_outcome"),
        )

    def __str__(self) -> str:
        return f"{self.name}: {self.outcome}"


class Lease(models.Model):
    """The right to do one thing at a time across processes, until it is given back or runs out."""

    name = models.CharField(primary_key=True, max_length=300)
    holder = models.CharField(max_length=32)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
