"""Evaluations of the log, found to be tested with."""

from typing import Any

from django.db.models import Q

from hooks.models import Evaluation, Kind

REAL = (Kind.RUNTIME, Kind.CHECK, Kind.PLAYGROUND)
LISTED = 12
ID_LENGTH = 26


def find_to_replay(*, agent: Any, event: str, text: str = "", also: str = "") -> list[Evaluation]:
    """The newest evaluations of an event, of any where it is "", whose id, tool, thread, custom agent or decision bears `text`.

    `also` is the id of one that is listed in any case, first.
    """
    text, also = text.strip().replace("\x00", ""), also.replace("\x00", "")[:ID_LENGTH]
    found = agent.evaluations.filter(event=event) if event else agent.evaluations.all()
    found = found.defer("context", "transcript", "reason", "additional_context").order_by("-id")
    matching = found.filter(kind__in=REAL)
    if text:
        places = ("tool_name", "custom_agent", "thread_key", "decision")
        wanted = Q(id__istartswith=text[:ID_LENGTH])
        for place in places:
            wanted |= Q(**{f"{place}__icontains": text})
        matching = matching.filter(wanted)
    first = list(found.filter(pk=also)) if also else []
    return [*first, *(one for one in matching[:LISTED] if one.pk != also)]
