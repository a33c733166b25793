"""Tags and filters of threads."""

from django import template

from agents.models import ThreadEntry
from agents.playground import shown
from agents.playground.entries import PREVIEW
from portal.redaction import redact

register = template.Library()
register.filter("sentence_of", shown.sentence_of)
register.filter("is_trouble", shown.is_trouble)
register.filter("lines_of", shown.lines_of)
register.filter("attempt_of", shown.attempt_of)
register.filter("masked", redact)


@register.filter
def left_out(entry: ThreadEntry) -> int:
    """How many characters of an entry's text its preview lacks."""
    return max(0, entry.size - PREVIEW)


@register.filter
def first_line(text: str, limit: int = 120) -> str:
    """The start of a text on one line."""
    line = " ".join(str(text)[: 4 * limit].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
