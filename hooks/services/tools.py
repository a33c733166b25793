"""The tool names of an agent: what its custom agents list and what its events carried (R6)."""

import threading
import time
from typing import Any

from django.utils import timezone

from hooks.models import SeenTool

KEPT = 500
NAME_LIMIT = 200
NOTED_EVERY = 3600.0


def known_tools(agent: Any) -> list[str]:
    """All of them, sorted; what a matcher that is saved is compared with."""
    names = set(agent.seen_tools.values_list("name", flat=True))
    for spec in agent.custom_agents.values_list("spec", flat=True):
        tools = spec.get("tools") if isinstance(spec, dict) else None
        if isinstance(tools, list):
            names.update(tool for tool in tools if isinstance(tool, str))
    return sorted(names)


class _Noted:
    """What this process has noted of late, so that an evaluation seldom writes here."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at: dict[tuple[Any, str], float] = {}

    def is_due(self, key: tuple[Any, str]) -> bool:
        now = time.monotonic()
        with self._lock:
            if now - self._at.get(key, -NOTED_EVERY) < NOTED_EVERY:
                return False
            if len(self._at) > 10 * KEPT:
                self._at.clear()
            self._at[key] = now
            return True


_noted = _Noted()


def note_tool(agent: Any, name: object) -> None:
    """Remember a tool's name; the ones seen longest ago make room."""
    if not isinstance(name, str) or not name or len(name) > NAME_LIMIT or "\x00" in name:
        return
    if not _noted.is_due((agent.pk, name)):
        return
    SeenTool.objects.update_or_create(agent=agent, name=name, defaults={"last_seen": timezone.now()})
    surplus = agent.seen_tools.order_by("-last_seen", "-pk").values_list("pk", flat=True)[KEPT : KEPT + 100]
    if stale := list(surplus):
        SeenTool.objects.filter(pk__in=stale).delete()
