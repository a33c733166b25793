"""Threads as hooks see them: rejections counted (R35), hooks activated and paused (R10)."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from hooks.models import Hook, ThreadHook
from hooks.services.configuration import find_hook
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb


def rejections(*, agent: Any, key: str) -> int:
    """Count the rejections of a thread since its last allowed Stop."""
    found: int | None = agent.threads.filter(key=key).values_list("stop_rejections", flat=True).first()
    return found or 0


def note_event(*, agent: Any, key: str, custom_agent: str, event: str, decision: str) -> None:
    """Remember that a thread had an event, and count a rejected Stop; in the caller's transaction."""
    now, changes = timezone.now(), {}
    if event == "Stop":
        changes["stop_rejections"] = F("stop_rejections") + 1 if decision == "block" else 0
    values = {"last_event_at": now, "custom_agent": custom_agent, **changes}
    if agent.threads.filter(key=key).update(**values):
        return
    first = {**values, "stop_rejections": 1 if event == "Stop" and decision == "block" else 0}
    try:
        with transaction.atomic():
            agent.threads.create(key=key, **first)
    except IntegrityError:
        agent.threads.filter(key=key).update(**values)


def hooks_of_thread(*, agent: Any, key: str) -> list[tuple[Hook, bool]]:
    """List the agent-level hooks in running order, each with whether it is active in the thread."""
    states = dict(ThreadHook.objects.filter(thread__agent=agent, thread__key=key).values_list("hook_id", "active"))
    return [
        (hook, hook.enabled and states.get(hook.pk, hook.activation_mode == "always"))
        for hook in agent.hooks.filter(custom_agent=None).order_by("event", "position", "pk")
    ]


@transaction.atomic
def set_active(*, agent: Any, key: str, name: str, active: bool, by: Actor) -> Hook:
    """Activate or pause an agent-level hook in one thread, which need not have been heard of yet. Raises NotFound."""
    hook = find_hook(agent=agent, name=name)
    thread, _ = agent.threads.get_or_create(key=key)
    before = ThreadHook.objects.filter(thread=thread, hook=hook).values_list("active", flat=True).first()
    if before is active:
        return hook
    ThreadHook.objects.update_or_create(thread=thread, hook=hook, defaults={"active": active})
    record(
        Verb.HOOK_ACTIVATED if active else Verb.HOOK_DEACTIVATED,
        by=by,
        object_type="hook",
        object_key=hook.pk,
        object_text=f"{hook.name} in thread {key}",
        agent_name=agent.name,
        before=None if before is None else {"active": before},
        after={"active": active},
    )
    return hook
