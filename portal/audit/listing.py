"""The rows of the list, made ready for a template that has only to write them: there are fifty on a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from portal.audit.models import AuditEvent
from portal.shown import clamped
from portal.templatetags.audit_tags import action_icon, action_word, actor_icon

TEXT = 200


@dataclass(frozen=True, slots=True)
class Row:
    number: int
    iso: str
    time: str
    actor: str
    actor_icon: str
    action: str
    action_icon: str
    target: str
    summary: str
    address: str


def rows_of(events: Sequence[AuditEvent]) -> list[Row]:
    return [_row(event) for event in events]


def _row(event: AuditEvent) -> Row:
    at = timezone.localtime(event.at)
    return Row(
        number=event.sequence,
        iso=at.isoformat(),
        time=f"{at:%Y-%m-%d %H:%M:%S}",
        actor=clamped(event.actor_text, TEXT),
        actor_icon=actor_icon(event.actor_kind),
        action=str(action_word(event.verb)),
        action_icon=action_icon(event.verb),
        target=clamped(event.object_text, TEXT),
        summary=clamped(event.summary, TEXT) or "–",
        address=clamped(event.address) or "–",
    )
