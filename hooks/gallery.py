"""The gallery «Start from a template»: hooks to begin with, each with samples that show what it decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hooks.engine import yamldoc
from hooks.engine.envelope import parse_agent_hook
from hooks.engine.spec import HookSpec
from portal.errors import NotFound

PLACE = Path(__file__).parent / "templates_gallery"
# In the order of the page; a file that is not named here is not shown.
ORDER = (
    "block-dangerous-commands",
    "production-change-gate",
    "cost-guard",
    "audit-all-tools",
    "secrets-in-tool-output",
    "pii-redaction-notice",
    "completion-marker",
    "answer-completeness",
    "root-cause-present",
    "evidence-citation",
    "ground-rules",
)


@dataclass(frozen=True, slots=True)
class HookTemplate:
    key: str
    title: str
    about: str
    spec: HookSpec
    samples: Mapping[str, Mapping[str, Any]]


@cache
def templates() -> dict[str, HookTemplate]:
    return {key: _read(key) for key in ORDER}


def find_template(key: str) -> HookTemplate:
    """Find one by its key. Raises NotFound."""
    found = templates().get(key)
    if found is None:
        raise NotFound(f"There is no template {key[:64]!r}.")
    return found


def _read(key: str) -> HookTemplate:
    raw = yamldoc.load((PLACE / f"{key}.yaml").read_text(encoding="utf-8"))
    parsed = parse_agent_hook(raw["hook"])
    if parsed.spec is None:
        raise ValueError(f"The template {key} is no valid hook: {parsed.faults}")
    return HookTemplate(key, raw["title"], raw["about"], parsed.spec, raw["samples"])
