"""What an agent's model tiers are, where they are not those of the environment."""

from django.db import models

from hooks.engine.fields import TIERS


class ModelTier(models.Model):
    """A tier of one agent. What is blank here is as the environment has it; prices are US dollars per million tokens."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="model_tiers")
    tier = models.CharField(max_length=20, choices=[(name, name) for name in TIERS])
    deployment = models.CharField(max_length=200, blank=True)
    base_url = models.CharField(max_length=500, blank=True)
    price_in = models.FloatField(null=True, blank=True)
    price_out = models.FloatField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["agent", "tier"], name="one_row_per_agent_and_tier"),)

    def __str__(self) -> str:
        return self.tier
