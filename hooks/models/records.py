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


class Source(models.TextChoices):
    """What made a decision what it is."""

    HOOK = "hook", "A hook decided"
    FAIL_MODE = "fail_mode", "A hook failed, and its fail mode decided"
    NO_OBJECTION = "no_objection", "No hook objected"
    LIMIT = "limit", "The limit of rejections was reached"
    NO_HOOK = "no_hook", "No hook matched"
    HOOKS_OFF = "hooks_off", "All hooks were off"


PLAIN = ("allow", "none")


class Evaluation(models.Model):
    """One event put through all hooks that apply. Texts that hooks or callers wrote are JSON text, since they may hold U+0000.

    `transcript` is the rendered text. `stages`: milliseconds by what they went into; None where nobody measured.
    `sample`, `expected`, `passed` are of test runs; `custom_agent` is "" on the agent level. `source` and the rest
    of it: what made the decision, the hook in question, and the code of its error. `errors`: how many hooks had no verdict.
    """

    id = models.CharField(primary_key=True, max_length=26, default=new_id)
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="evaluations", db_index=False)
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
    source = models.CharField(max_length=12, choices=Source.choices, blank=True, default="", db_default="")
    source_hook = models.CharField(max_length=100, blank=True, default="", db_default="")
    source_error = models.CharField(max_length=30, blank=True, default="", db_default="")
    errors = models.PositiveSmallIntegerField(default=0, db_default=0)
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
        # One for each filter, in the order of the list. Where a filter finds little, its index holds little: what is common is
        # found soon without one, and costs a live evaluation nothing. SQLite takes such an index only where a query repeats the
        # condition in the same form, and without lists.
        indexes = (
            models.Index(fields=["agent", "-id"], name="evaluations_list"),
            models.Index(fields=["agent", "thread_key", "-id"], name="evaluations_of_a_thread"),
            models.Index(fields=["agent", "event", "-id", "kind", "decision"], name="evaluations_of_an_event"),
            models.Index(
                fields=["agent", "custom_agent", "-id", "event", "decision"], name="evaluations_of_custom_agent"
            ),
            models.Index(
                fields=["agent", "decision", "-id", "event", "custom_agent", "kind"],
                condition=~models.Q(decision="allow") & ~models.Q(decision="none"),
                name="evaluations_refused",
            ),
            models.Index(
                fields=["agent", "-id", "event", "decision", "kind", "custom_agent"],
                condition=models.Q(errors__gt=0),
                name="evaluations_with_errors",
            ),
            models.Index(
                fields=["agent", "kind", "-id", "event", "decision"],
                condition=~models.Q(kind="runtime"),
                name="evaluations_not_live",
            ),
            models.Index(fields=["created_at"], name="evaluations_by_age"),
        )

    def __str__(self) -> str:
        return self.id


class HookResult(models.Model):
    """What one hook did in an evaluation. `hook` is the stored hook, None when it came with the request or is deleted.

    `agent`, `kind` and `created_at` are the evaluation's, so that what looks for results needs no join.
    """

    agent = models.ForeignKey("agents.Agent", models.CASCADE, null=True, db_index=False, related_name="+")
    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="results")
    index = models.PositiveIntegerField()
    hook = models.ForeignKey("hooks.Hook", models.SET_NULL, null=True, db_index=False, related_name="results")
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
    kind = models.CharField(max_length=12, choices=Kind.choices)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("evaluation", "index")
        indexes = (
            models.Index(fields=["hook", "kind", "-created_at"], name="results_of_a_hook"),
            models.Index(fields=["hook", "kind", "outcome", "-created_at"], name="results_by_outcome"),
            models.Index(fields=["agent", "name", "-evaluation", "outcome"], name="results_of_a_name"),
            models.Index(
                fields=["agent", "outcome", "-evaluation"],
                condition=~models.Q(outcome="allow") & ~models.Q(outcome="none"),
                name="results_not_plain",
            ),
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
