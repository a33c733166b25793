"""What is stored about hooks: their configuration, what came of them, and test runs."""

from hooks.models.configuration import Hook, HookVersion, SampleContext, SeenTool, ThreadHook
from hooks.models.records import Evaluation, HookResult, Kind, Lease, Source
from hooks.models.rollups import Rollup, RollupMark
from hooks.models.testruns import TestRun
from hooks.models.tiers import ModelTier

__all__ = [
    "Evaluation",
    "Hook",
    "HookResult",
    "HookVersion",
    "Kind",
    "Lease",
    "ModelTier",
    "Rollup",
    "RollupMark",
    "SampleContext",
    "SeenTool",
    "Source",
    "TestRun",
    "ThreadHook",
]
