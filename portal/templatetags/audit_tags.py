"""Tags and filters of the audit log's pages."""

from typing import Any

from django import template

from portal.audit.verbs import Verb

register = template.Library()
# By the last word of the action, else by the first.
ICONS = {
    "created": "plus-lg",
    "added": "plus-lg",
    "updated": "pencil",
    "changed": "pencil",
    "deleted": "trash",
    "removed": "trash",
    "purged": "trash",
    "enabled": "toggle-off",
    "disabled": "toggle-off",
    "activated": "toggle-off",
    "deactivated": "toggle-off",
    "restored": "clock-history",
    "reordered": "grip-vertical",
    "turned_off": "slash-circle-fill",
    "turned_on": "check-circle-fill",
    "made": "download",
    "exported": "download",
    "token": "key",
    "session": "person",
}
ACTORS = {"user": "person", "token": "key", "system": "cpu"}


@register.filter
def action_icon(verb: str) -> str:
    kind, _, done = verb.rpartition(".")
    return ICONS.get(done) or ICONS.get(kind, "journal-text")


@register.filter
def actor_icon(kind: str) -> str:
    return ACTORS.get(kind, "person")


@register.filter
def action_word(verb: str) -> Any:
    return Verb(verb).label if verb in Verb.values else verb
