"""A bound that the kernel keeps on the memory of all sandboxes together, where a cgroup is delegated to the portal.

The runner enters it once, and what it starts is born there: moving each sandbox costs 11 ms. The bound of one sandbox is
kept by the watchdog either way (usage.py).
"""

import os
from pathlib import Path

from hooks.engine.sandbox.host import Missing
from hooks.engine.sandbox.limits import MIB, Limits

RUNNER_MB = 64


def enter(directory: Path | None, slots: int, limits: Limits) -> None:
    """Move this process into `directory`, a leaf of the cgroup v2 tree. Raises Missing."""
    if directory is None:
        return
    try:
        (directory / "memory.max").write_text(str((slots * limits.memory_mb + RUNNER_MB) * MIB))
        (directory / "memory.swap.max").write_text("0")
        (directory / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        raise Missing(
            f"the cgroup cannot be used ({error}): delegate one with the memory controller, or leave it out"
        ) from error
