"""Agents that the portal governs, the custom agents under them, and their conversations."""

from typing import Any

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from portal.fields import JSONTextField


class Agent(models.Model):
    """One deployed AI agent. The default one serves sessions that name no other.

    `hooks_off_…` is the kill switch: since when all its hooks are off (None: they are on), until when, why and by whom. It is
    read by `hooks.services.killswitch` alone, and stands here so that an evaluation needs no query for it.
    """

    name = models.CharField(max_length=64, unique=True)
    is_default = models.BooleanField(default=False)
    hooks_off_since = models.DateTimeField(null=True)
    hooks_off_until = models.DateTimeField(null=True)
    hooks_off_reason = models.CharField(max_length=500, blank=True, default="")
    hooks_off_by = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=["is_default"], condition=models.Q(is_default=True), name="one_default_agent"
            ),
        )

    def __str__(self) -> str:
        return self.name


class CustomAgent(models.Model):
    """A specialised agent under an agent.

    `spec` is the document's, unknown fields included, in its order; in it `hooks` is a skeleton `{event: []}` that keeps the
    place and the order of the events, while the hooks themselves are rows of `hooks.Hook`. `metadata` is what the document's
    metadata has beyond the name.
    """

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="custom_agents")
    name = models.CharField(max_length=64)
    api_version = models.CharField(max_length=40, default="azuresre.ai/v2")
    tags: Any = JSONTextField(default=list)
    owner = models.CharField(max_length=200, blank=True)
    metadata: Any = JSONTextField(default=dict)
    spec: Any = JSONTextField(default=dict)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint("agent", Lower("name"), name="custom_agent_name_per_agent"),)

    def __str__(self) -> str:
        return self.name


class Thread(models.Model):
    """One conversation, known by the caller's own key. `stop_rejections` counts since the last allowed Stop (R35).

    Threads of live agents have no `mode`: the portal knows their events alone. Those of the playground have entries, and are
    worked on by one worker at a time: `queued` and `running` as test runs are, `asking` while a person decides about a tool.

    `length` and `revision` count entries and changes of them. `turn` is the agent's turn since the last message of a person.
    `draft` is what a model has written of an answer so far. `unfinished`: work stopped before the agent had answered.
    """

    class Mode(models.TextChoices):
        LIVE = "", _("Live agent")
        HAND = "hand", _("By hand")
        MODEL = "model", _("Model")

    class State(models.TextChoices):
        IDLE = "idle", _("Idle")
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Working")
        ASKING = "asking", _("Waiting for a person")

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="threads")
    key = models.CharField(max_length=200)
    title = models.CharField(max_length=200, blank=True)
    custom_agent = models.CharField(max_length=200, blank=True)
    mode = models.CharField(max_length=5, blank=True, choices=Mode.choices)
    model = models.CharField(max_length=200, blank=True)
    example = models.CharField(max_length=40, blank=True)
    step = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=7, choices=State.choices, default=State.IDLE)
    unfinished = models.BooleanField(default=False)
    started = models.BooleanField(default=False)
    turn = models.PositiveIntegerField(default=0)
    max_turns = models.PositiveSmallIntegerField(default=20)
    stop_rejections = models.PositiveIntegerField(default=0)
    length = models.PositiveIntegerField(default=0)
    revision = models.PositiveIntegerField(default=0)
    draft: Any = JSONTextField(default=str)
    created_by = models.CharField(max_length=200, blank=True)
    asked_until = models.DateTimeField(null=True)
    cancel_requested = models.BooleanField(default=False)
    claimed_by = models.CharField(max_length=100, blank=True)
    queued_at = models.DateTimeField(null=True)
    heartbeat = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_event_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["agent", "key"], name="thread_key_per_agent"),)
        indexes = (
            models.Index(fields=["agent", "-last_event_at", "-id"], name="threads_list"),
            models.Index(fields=["state"], condition=~models.Q(state="idle"), name="threads_at_work"),
        )

    def __str__(self) -> str:
        return self.key

    @property
    def busy(self) -> bool:
        return self.state in (self.State.QUEUED, self.State.RUNNING)

    @property
    def who(self) -> str:
        """The name that its events carry: the custom agent's, else the agent's."""
        return self.custom_agent or self.agent.name


class ThreadEntry(models.Model):
    """One thing that happened in a thread of the playground, in order.

    `text` is whole and true: a message, the arguments of a call as JSON, a result. `preview` is the start of it, made fit to be
    looked at, so that a page need not read megabytes. `revision` is the thread's when the entry last changed. `evaluation` is
    the id of one, which may be deleted before the thread is. What `state` and `data` hold is in `agents/playground/entries.py`.
    """

    class Kind(models.TextChoices):
        USER = "user", _("Message")
        INJECTED = "injected", _("Injected message")
        ASSISTANT = "assistant", _("Answer")
        CALL = "call", _("Tool call")
        RESULT = "result", _("Tool result")
        EVALUATION = "evaluation", _("Evaluation")
        ASK = "ask", _("Question to a person")
        NOTICE = "notice", _("Notice")
        STEP = "step", _("Explanation")

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, blank=True)
    by = models.CharField(max_length=200, blank=True)
    text: Any = JSONTextField(default=str)
    preview = models.TextField(blank=True)
    size = models.PositiveIntegerField(default=0)
    data: Any = JSONTextField(default=dict)
    evaluation = models.CharField(max_length=26, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("thread", "number")
        constraints = (models.UniqueConstraint(fields=["thread", "number"], name="entry_number_per_thread"),)
        indexes = (models.Index(fields=["thread", "revision"], name="entries_that_changed"),)

    def __str__(self) -> str:
        return f"{self.thread_id}/{self.number} {self.kind}"
