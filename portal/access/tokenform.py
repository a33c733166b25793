"""The form that makes an API token."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from portal.specforms import BlamedForm, Choice, Text

SCOPE_WORDS = {
    "read": _("See hooks, custom agents, samples and evaluations"),
    "evaluate": _("Have hooks decide: what a live agent, a door or a test run needs"),
    "write": _("Change hooks, custom agents and samples"),
    "admin": _("Read the audit log; manage tokens and model tiers"),
}
NEVER, ON_A_DAY, DAYS = "never", "day", {"7": 7, "30": 30, "90": 90, "365": 365}
EXPIRY = [
    ("7", _("In 7 days")),
    ("30", _("In 30 days")),
    ("90", _("In 90 days")),
    ("365", _("In a year")),
    (ON_A_DAY, _("At the end of a day…")),
    (NEVER, _("Never")),
]


class Words(forms.Field):
    """Any number of words. What they are is not looked at here."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, *, choices: Sequence[tuple[str, Any]], **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self.widget.choices = choices


class TokenForm(BlamedForm):
    name = Text(
        label=_("Name"),
        widget=forms.TextInput({"class": "form-control", "maxlength": 100, "autocomplete": "off"}),
        help_text=_("Where it is used: people recognise the token by it, in this list and in the audit log."),
    )
    scopes = Words(
        label=_("Scopes"),
        choices=list(SCOPE_WORDS.items()),
        widget=forms.CheckboxSelectMultiple({"class": "form-check-input"}),
    )
    expires = Choice(label=_("Expires"), choices=EXPIRY, widget=forms.Select({"class": "form-select"}), initial="90")
    day = Text(
        label=_("Last day"),
        widget=forms.DateInput({"class": "form-control", "type": "date"}),
        help_text=_("Where it expires at the end of a day, UTC"),
    )

    def field_of(self, target: str) -> str:
        return {"expiresAt": "expires"}.get(target, target)

    def values(self) -> dict[str, Any]:
        """What was filled in, as arguments of the service."""
        self.is_valid()
        given = self.cleaned_data
        return {"name": given["name"] or "", "scopes": given["scopes"] or [], "expires_at": self._moment()}

    def _moment(self) -> datetime | None:
        chosen, day = self.cleaned_data["expires"], self.cleaned_data["day"] or ""
        if chosen == NEVER:
            return None
        if chosen in DAYS:
            return timezone.now() + timedelta(days=DAYS[chosen])
        if chosen != ON_A_DAY:
            self.add_error("expires", _("Choose when it expires."))
        else:
            try:
                return datetime.fromisoformat(f"{day}T23:59:59").replace(tzinfo=UTC)
            except ValueError:
                self.add_error("day", _("Give the last day, such as 2027-01-31."))
        return timezone.now() + timedelta(days=1)
