"""The form that invites somebody, and the one in which the invited choose their name and password."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from portal.access.invites import NOTE_LIMIT
from portal.access.models import Role
from portal.specforms import BlamedForm

DAYS = [("1", _("In a day")), ("7", _("In 7 days")), ("30", _("In 30 days"))]
ROLE_WORDS = [
    (Role.VIEWER.value, _("Viewer: sees hooks, samples and evaluations")),
    (Role.EDITOR.value, _("Editor: also changes and tests them")),
    (Role.ADMIN.value, _("Admin: also members, tokens, model tiers, audit log")),
]


def password_rules() -> str:
    return " ".join(password_validators_help_texts())


def username_field(**more: Any) -> forms.CharField:
    return forms.CharField(
        label=_("User name"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(
            {"class": "form-control", "autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
        help_text=_("Up to 150 letters, digits and @ . + - _"),
        **more,
    )


def password_field(label: Any, kind: str = "new-password", **more: Any) -> forms.CharField:
    widget = forms.PasswordInput({"class": "form-control", "autocomplete": kind})
    return forms.CharField(label=label, strip=False, max_length=1024, widget=widget, **more)


class InviteForm(BlamedForm):
    note = forms.CharField(
        label=_("For whom"),
        max_length=NOTE_LIMIT,
        widget=forms.TextInput({"class": "form-control", "autocomplete": "off"}),
        help_text=_("To recognise the invite by, in this list and in the audit log."),
    )
    role = forms.ChoiceField(
        label=_("Role"), choices=ROLE_WORDS, initial="viewer", widget=forms.Select({"class": "form-select"})
    )
    days = forms.ChoiceField(
        label=_("Expires"), choices=DAYS, initial="7", widget=forms.Select({"class": "form-select"})
    )

    def clean_note(self) -> str:
        note = str(self.cleaned_data["note"])
        if not note.isprintable():
            raise ValidationError(_("Use printable characters only."))
        return note

    def values(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {"note": given["note"], "role": given["role"], "days": int(given["days"])}


class NewPassword(BlamedForm):
    """A new password, typed twice and held against the rules. `user` is whose it will be."""

    password = password_field(_("Password"), help_text=lazy(password_rules, str)())
    again = password_field(_("The password again"))
    user: User | None = None

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        first, second = given.get("password"), given.get("again")
        if first and second and first != second:
            self.add_error("again", _("The two passwords differ."))
        if first:
            try:
                validate_password(first, self.user or User(username=given.get("username", "")))
            except ValidationError as invalid:
                self.add_error("password", invalid)
        return given


class JoinForm(NewPassword):
    username = username_field()
    field_order = ("username", "password", "again")

    def clean_username(self) -> str:
        name: str = User.normalize_username(self.cleaned_data["username"])
        if User.objects.filter(username__iexact=name).exists():
            raise ValidationError(_("Somebody has this user name already."))
        return name


class PasswordForm(NewPassword):
    current = password_field(_("Current password"), "current-password")
    field_order = ("current", "password", "again")

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_current(self) -> str:
        current = str(self.cleaned_data["current"])
        if self.user is None or not self.user.check_password(current):
            raise ValidationError(_("This is not your current password."))
        return current
