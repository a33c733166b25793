"""What evaluations add up to, kept so that an overview of a quarter does not read a million rows."""

from typing import Any

from django.db import models

from portal.fields import JSONTextField

ALL = "*"  # no custom agent can have this name


class Rollup(models.Model):
    """Live evaluations of one stretch of time, added up: all of an event (`hook` ""), or the runs of one hook.

    `span` is the length in minutes from `start`: 5, 60 or 1,440. `custom_agent` is whom the events were of: a name, "" for the
    agent itself, ALL for everyone together. `owner` is the custom agent whose hook it is, "" on the agent level. Hooks are known
    by their name, so that what they did stays counted when they are replaced. `histogram` is `figures.Histogram.counts`.
    """

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="rollups")
    span = models.PositiveSmallIntegerField()
    start = models.DateTimeField()
    custom_agent = models.CharField(max_length=64)
    event = models.CharField(max_length=30)
    owner = models.CharField(max_length=64, blank=True)
    hook = models.CharField(max_length=100, blank=True)
    total = models.PositiveIntegerField(default=0)
    blocked = models.PositiveIntegerField(default=0)
    errors = models.PositiveIntegerField(default=0)
    blocked_errors = models.PositiveIntegerField(default=0)  # both blocked and with an error
    skipped = models.PositiveIntegerField(default=0)  # not run, since the limit of rejections was reached (R34)
    tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = models.FloatField(default=0.0)
    slowest_ms = models.FloatField(default=0.0)
    histogram: Any = JSONTextField(default=dict)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["agent", "span", "custom_agent", "start", "owner", "hook", "event"], name="one_rollup_of_each"
            ),
        )
        indexes = (models.Index(fields=["span", "start"], name="rollups_by_age"),)

    def __str__(self) -> str:
        return f"{self.hook or self.event}, {self.span} min from {self.start:%Y-%m-%d %H:%M}"


class RollupMark(models.Model):
    """How far evaluations are added up: all that were stored before `until` are. There is one row at most."""

    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.until:%Y-%m-%d %H:%M}"
