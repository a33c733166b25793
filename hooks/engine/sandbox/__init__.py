"""The sandbox for command hooks, behind one Protocol."""

from hooks.engine.sandbox.protocol import Completed, Job, Language, Sandbox, Status

__all__ = ["Completed", "Job", "Language", "Sandbox", "Status"]
