"""Agents that the portal governs, the custom agents under them, and their conversations."""

from typing import Any

from django.db import models
from django.db.models.functions import Lower

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
    """One conversation, known by the caller's own key. `stop_rejections` counts since the last allowed Stop (R35)."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="threads")
    key = models.CharField(max_length=200)
    custom_agent = models.CharField(max_length=200, blank=True)
    stop_rejections = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    last_event_at = models.DateTimeField(null=True, db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["agent", "key"], name="thread_key_per_agent"),)

    def __str__(self) -> str:
        return self.key
