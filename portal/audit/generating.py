"""Many audit events with a chain that holds, to measure with: what some people did to some hooks over some days."""

import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from portal.audit.bounds import fit
from portal.audit.chain import digest
from portal.audit.models import AuditEvent, AuditHead
from portal.audit.summaries import summary_of
from portal.audit.verbs import Verb

BATCH = 1_000
PEOPLE, HOOKS, DAYS = 20, 200, 365
SCRIPT = "#!/usr/bin/env python3\nimport json\nimport sys\n\n" + "".join(
    f"# step {number}: what the hook looks at, and why\n" for number in range(12)
)
# How often each is done, of a hundred.
DONE = {
    Verb.HOOK_UPDATED: 45,
    Verb.HOOK_ENABLED: 12,
    Verb.HOOK_DISABLED: 12,
    Verb.HOOK_CREATED: 8,
    Verb.SIGNED_IN: 15,
    Verb.SIGN_IN_FAILED: 3,
    Verb.HOOK_DELETED: 4,
    Verb.TOKEN_CREATED: 1,
}


def generate(*, agent_name: str, count: int, seed: int = 1) -> Iterator[int]:
    """Append `count` events, and tell after each thousand how many there are."""
    chance, start = random.Random(seed), timezone.now() - timedelta(days=DAYS)  # noqa: S311 - nothing to guess
    step = timedelta(days=DAYS) / max(count, 1)
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        with transaction.atomic():
            AuditHead.objects.get_or_create(pk=1)
            head = AuditHead.objects.select_for_update().get(pk=1)
            events = [_event(head, agent_name, number, start + number * step, chance) for number in numbers]
            AuditEvent.objects.bulk_create(events)
            head.save(update_fields=["sequence", "hash"])
        yield numbers.stop


def _event(head: AuditHead, agent_name: str, number: int, at: Any, chance: random.Random) -> AuditEvent:
    (verb,) = chance.choices(list(DONE), list(DONE.values()))
    person, hook = chance.randrange(PEOPLE), chance.randrange(HOOKS)
    before, after = _sides(verb, hook, chance)
    event = AuditEvent(
        sequence=head.sequence + 1,
        at=at,
        verb=verb,
        actor_kind="user",
        actor_key=str(person),
        actor_text=f"person-{person}",
        address=f"10.0.{person}.{number % 250}",
        request_id=f"{chance.getrandbits(128):032x}",
        agent_name="" if verb.startswith("session.") else agent_name,
        object_type="session" if verb.startswith("session.") else "hook",
        object_key=str(hook),
        object_text=f"person-{person}" if verb.startswith("session.") else f"generated-{hook}",
        summary=summary_of(before, after),
        before=before,
        after=after,
        previous_hash=head.hash,
    )
    event.hash = digest(vars(event), fit(before), fit(after))
    head.sequence, head.hash = event.sequence, event.hash
    return event


def _sides(verb: Verb, hook: int, chance: random.Random) -> tuple[Any, Any]:
    if verb.startswith("session."):
        return None, None
    before, after = _hook(hook, chance), _hook(hook, chance)
    return (None if verb == Verb.HOOK_CREATED else before), (None if verb == Verb.HOOK_DELETED else after)


def _hook(hook: int, chance: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {
        "type": "command",
        "script": SCRIPT + f"print({chance.randrange(100)})\n",
        "matcher": "Bash|Shell",
    }
    options |= {"timeout": chance.randrange(1, 300), "failMode": chance.choice(["allow", "block"])}
    properties = {"eventType": "PostToolUse", "enabled": chance.random() < 0.9, "hook": options}
    return {"name": f"generated-{hook}", "type": "GlobalHook", "properties": properties}
