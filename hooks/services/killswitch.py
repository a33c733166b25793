"""The kill switch: all hooks of an agent off, with a reason, until somebody turns them on again or the time is up.

Live events are then answered as if no hook applied: allow, on PreToolUse no opinion (an allow would override the agent's own
tool policy). Tests, replays and checks run their hooks all the same, since they decide nothing.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from hooks.engine.errors import Fault, Invalid, Notice
from hooks.services.configuration import lock
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb

REASON_LIMIT = 500
FIELDS = ("hooks_off_since", "hooks_off_until", "hooks_off_reason", "hooks_off_by")


@dataclass(frozen=True, slots=True)
class Off:
    """That the hooks are off. `until` is None where only a person ends it."""

    since: datetime
    until: datetime | None
    reason: str
    by: str


def hooks_off(agent: Any) -> Off | None:
    """Tell whether all hooks are off now, by what was read with the agent: no query, and no worker that would have to end it."""
    if agent.hooks_off_since is None or (agent.hooks_off_until is not None and agent.hooks_off_until <= timezone.now()):
        return None
    return Off(agent.hooks_off_since, agent.hooks_off_until, agent.hooks_off_reason, agent.hooks_off_by)


def notice(agent: Any, off: Off) -> Notice:
    """Warn whoever gets an answer that no hook had a part in."""
    until = f" until {_written(off.until)}" if off.until else ""
    told = f"All hooks of {agent.name!r} are off since {_written(off.since)}{until}, so none was run: {off.reason}"
    return Notice("", "hooks_off", told)


@transaction.atomic
def turn_hooks_off(*, agent: Any, reason: str, until: datetime | None = None, by: Actor) -> Off:
    """Turn all hooks of `agent` off, at once and in every process; where they are, change the reason and the end.

    Raises Invalid.
    """
    reason = reason.strip()
    if faults := _faults(reason, until):
        raise Invalid(faults)
    lock(agent)
    agent.refresh_from_db(fields=FIELDS)
    was = hooks_off(agent)
    if was is not None and (was.reason, was.until) == (reason, until):
        return was
    off = Off(was.since if was else timezone.now(), until, reason, by.text[:200])
    _store(agent, off)
    _record(Verb.HOOKS_OFF, agent, was, off, by, summary=_summary(off))
    return off


@transaction.atomic
def turn_hooks_on(*, agent: Any, by: Actor) -> bool:
    """Turn the hooks on again; tell whether they were off."""
    lock(agent)
    agent.refresh_from_db(fields=FIELDS)
    was = hooks_off(agent)
    if was is None:
        return False
    _store(agent, None)
    _record(Verb.HOOKS_ON, agent, was, None, by, summary=f"They were off since {_written(was.since)}")
    return True


def describe(off: Off | None) -> dict[str, Any]:
    """Show the switch as the API does."""
    return {
        "off": off is not None,
        "reason": off.reason if off else None,
        "since": _stamp(off.since) if off else None,
        "until": _stamp(off.until) if off and off.until else None,
        "by": off.by if off else None,
    }


def _faults(reason: str, until: datetime | None) -> list[Fault]:
    faults = []
    if not reason:
        faults.append(Fault("reason", "required", "is required: the log and the banner say why the hooks are off."))
    elif len(reason) > REASON_LIMIT or "\x00" in reason:
        faults.append(Fault("reason", "too_long", f"must have at most {REASON_LIMIT} characters, and no NUL."))
    if until is not None and until <= timezone.now():
        faults.append(Fault("until", "out_of_range", "must be in the future."))
    return faults


def _store(agent: Any, off: Off | None) -> None:
    agent.hooks_off_since, agent.hooks_off_until = (off.since, off.until) if off else (None, None)
    agent.hooks_off_reason, agent.hooks_off_by = (off.reason, off.by) if off else ("", "")
    agent.save(update_fields=FIELDS)


def _record(verb: Verb, agent: Any, was: Off | None, now: Off | None, by: Actor, *, summary: str) -> None:
    record(
        verb,
        by=by,
        object_type="agent",
        object_key=agent.pk,
        object_text=agent.name,
        agent_name=agent.name,
        before=describe(was),
        after=describe(now),
        summary=summary,
    )


def _summary(off: Off) -> str:
    return f"{'Until ' + _written(off.until) if off.until else 'Until turned on again'}: {off.reason}"


def _written(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
