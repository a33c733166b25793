"""Hooks as they are configured, and what people test them with."""

from typing import Any

from django.db import models
from django.db.models.functions import Lower

from hooks.engine.events import EVENTS
from portal.fields import JSONTextField


class Hook(models.Model):
    """A hook of an agent (`custom_agent` None) or of one custom agent, whose hooks may have no name.

    `options` is `HookSpec.options()`: what was set, in canonical spelling. Order within level and event is `position` (R8).
    """

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="hooks")
    custom_agent = models.ForeignKey("agents.CustomAgent", models.CASCADE, null=True, blank=True, related_name="hooks")
    name = models.CharField(max_length=64, blank=True)
    event = models.CharField(max_length=30, choices=[(name, name) for name in EVENTS])
    position = models.PositiveIntegerField(default=0)
    type = models.CharField(max_length=10)
    activation_mode = models.CharField(max_length=10, default="always")
    description = models.TextField(blank=True)
    enabled = models.BooleanField(default=True)
    options: Any = JSONTextField(default=dict)
    tags: Any = JSONTextField(default=list)
    owner = models.CharField(max_length=200, blank=True)
    version = models.PositiveIntegerField(default=1)
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("event", "position", "pk")
        constraints = (
            models.UniqueConstraint(
                "agent", Lower("name"), condition=models.Q(custom_agent=None), name="agent_hook_name_per_agent"
            ),
        )
        indexes = (models.Index(fields=["agent", "event", "position"], name="hooks_of_an_event"),)

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """What people call it: its name, or `Stop[0]`."""
        return self.name or f"{self.event}[{self.position}]"

    @property
    def level(self) -> str:
        return "agent" if self.custom_agent_id is None else "customAgent"


class HookVersion(models.Model):
    """An agent-level hook as it once was: `document` is its envelope without version and hash. Outlives the hook."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="hook_versions")
    hook = models.ForeignKey(Hook, models.SET_NULL, null=True, related_name="versions")
    name = models.CharField(max_length=64)
    version = models.PositiveIntegerField()
    verb = models.CharField(max_length=40)
    document: Any = JSONTextField()
    content_hash = models.CharField(max_length=64)
    by = models.CharField(max_length=200)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.name} version {self.version}"


class ThreadHook(models.Model):
    """That an agent-level hook was activated or paused in one thread (R10)."""

    thread = models.ForeignKey("agents.Thread", models.CASCADE, related_name="hook_states")
    hook = models.ForeignKey(Hook, models.CASCADE, related_name="thread_states")
    active = models.BooleanField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["thread", "hook"], name="one_state_per_thread_and_hook"),)

    def __str__(self) -> str:
        return f"{self.hook} {'active' if self.active else 'paused'} in {self.thread}"


class SampleContext(models.Model):
    """A context to test hooks with. `transcript` is a text, a list of turns or None; `expected` the decision, or None."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="samples")
    name = models.CharField(max_length=64)
    event = models.CharField(max_length=30)
    context: Any = JSONTextField()
    transcript: Any = JSONTextField(null=True)
    expected: Any = JSONTextField(null=True)
    description = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint("agent", Lower("name"), name="sample_name_per_agent"),)

    def __str__(self) -> str:
        return self.name


class SeenTool(models.Model):
    """A tool name that an event carried: what R6 compares new matchers with, beside the custom agents' tools."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="seen_tools")
    name = models.CharField(max_length=200)
    last_seen = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["agent", "name"], name="tool_per_agent"),)

    def __str__(self) -> str:
        return self.name
