"""Texts of anybody's, made fit to be looked at: bounded, with what is invisible made visible. Escaping is the template's."""

import re

from django.utils.translation import gettext as _

LIMIT = 20_000
# Controls that a terminal obeys, and marks that turn the order of what is read round.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def visible(text: object) -> str:
    """Show controls as the pictures that Unicode has for them (␛), marks without one by their number."""
    return _UNSEEN.sub(_picture, "" if text is None else str(text).replace("\r\n", "\n"))


def clamped(text: object, limit: int = LIMIT) -> str:
    """Cut a text, and say how much is left out."""
    whole = "" if text is None else str(text)
    if len(whole) <= limit:
        return visible(whole)
    return _("{text}… {count} more characters").format(text=visible(whole[:limit]), count=f"{len(whole) - limit:,}")


def sentence(label: str, message: str) -> str:
    """Make a sentence of a fault: most say what the field «must be», some are sentences already."""
    return f"{label} {message}" if message[:1].islower() else message


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
