"""What of the audit log somebody asks for, read from a query string, and the rows that it selects."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from hooks.engine.errors import Fault, Invalid
from portal.access.models import ApiToken
from portal.audit.models import AuditEvent
from portal.audit.verbs import Verb

NAMES = ("actor", "action", "target", "since", "until", "q")
LENGTH = 300
FAMILIES = sorted({verb.value.partition(".")[0] for verb in Verb})
SEARCHED = ("actor_text", "object_text", "summary", "request_id", "address")
NO_TIME = "must be a date or a time such as 2026-01-31T12:00:00Z."


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """`given` is what was asked, to be written into links again. Where nothing can match, `nothing`.

    `first` and `last` are the numbers between which the time lies, where `reading` has looked them up; else 0.
    """

    given: dict[str, str]
    verbs: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    target: str = ""
    since: datetime | None = None
    until: datetime | None = None
    search: str = ""
    nothing: bool = False
    first: int = 0
    last: int = 0


def read(given: Mapping[str, str], *, agent: Any, whole_days: bool = False) -> Filters:
    """Read the filters. `until` is the moment before which. Raises Invalid.

    Of `whole_days` a date includes that day, as the clock of the page's reader has it; else a time without a zone is UTC.
    """
    asked = {name: given[name].strip() for name in NAMES if given.get(name, "").strip()}
    faults = [
        Fault(name, "too_long", f"must have at most {LENGTH} characters.")
        for name, value in asked.items()
        if len(value) > LENGTH
    ]
    action = asked.get("action", "")
    verbs = tuple(verb.value for verb in Verb if action in (verb.value, verb.value.partition(".")[0]))
    if action and not verbs:
        known = f"an action such as {Verb.HOOK_UPDATED.value}, or all of one kind: {', '.join(FAMILIES)}."
        faults.append(Fault("action", "invalid_choice", f"must be {known}"))
    zone = timezone.get_current_timezone() if whole_days else UTC
    moments = {name: moment(asked[name], zone) for name in ("since", "until") if name in asked}
    faults += [Fault(name, "invalid_type", NO_TIME) for name, found in moments.items() if found is None]
    if faults:
        raise Invalid(faults)
    until = moments.get("until")
    if until is not None and whole_days and parse_date(asked["until"]):
        until += timedelta(days=1)
    return Filters(
        given=asked,
        verbs=verbs,
        actors=_names_of(agent, asked["actor"]) if "actor" in asked else (),
        target=asked.get("target", ""),
        since=moments.get("since"),
        until=until,
        search=asked.get("q", ""),
        nothing=any("\x00" in value for value in asked.values()),
    )


def moment(value: str, zone: tzinfo = UTC) -> datetime | None:
    """Read a time; one without a zone is of `zone`. None where it is none, or so far away that no database holds it."""
    try:
        # A plus sign that was not escaped arrives as a blank.
        found = parse_datetime(value.replace(" ", "+") if "T" in value else f"{value}T00:00:00")
        if found is None or not 1 < found.year < 9999:
            return None
        return found.replace(tzinfo=zone) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def narrow(rows: QuerySet[AuditEvent], wanted: Filters) -> QuerySet[AuditEvent]:
    """Leave the rows that the filters select; of the actions, whoever calls takes one after the other."""
    if wanted.nothing:
        return rows.none()
    if wanted.actors:
        one = len(wanted.actors) == 1
        rows = rows.filter(actor_text=wanted.actors[0]) if one else rows.filter(actor_text__in=wanted.actors)
    if wanted.target:
        rows = rows.filter(object_text=wanted.target)
    if wanted.since:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until:
        rows = rows.filter(at__lt=wanted.until)
    if wanted.search:
        anywhere = Q()
        for column in SEARCHED:
            anywhere |= Q(**{f"{column}__icontains": wanted.search})
        rows = rows.filter(anywhere)
    return rows


def _names_of(agent: Any, name: str) -> tuple[str, ...]:
    """A user's name, or a token's with or without the beginning of its secret, as the log has them."""
    tokens = [] if "\x00" in name else ApiToken.objects.filter(agent=agent, name=name)[:100]
    return (name, *(str(token) for token in tokens))
