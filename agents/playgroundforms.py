"""The forms of threads. What they say of an input, the services said."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.models import Thread
from agents.playground.threads import TITLE_LIMIT
from hooks.engine.errors import Fault
from hooks.engine.fields import TIERS

SELECT = {"class": "form-select"}
INPUT = {"class": "form-control"}
PLAYERS = [(Thread.Mode.HAND, _("By hand: you play the agent")), (Thread.Mode.MODEL, _("A model plays it"))]


class ThreadForm(forms.Form):
    """Who plays the agent, and which. `faults` of the services stand at their fields."""

    custom_agent = forms.CharField(label=_("Agent"), required=False, widget=forms.Select(SELECT))
    mode = forms.ChoiceField(label=_("Played"), choices=PLAYERS, widget=forms.RadioSelect)
    model = forms.CharField(label=_("Model"), required=False, max_length=200, widget=forms.TextInput(INPUT))

    def __init__(self, *args: Any, agent: Any, names: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", agent.name), *((name, name) for name in names)]
        self.fields["custom_agent"].widget.choices = choices
        self.fields["model"].widget.attrs |= {"list": "tiers", "autocomplete": "off"}
        self.tiers = TIERS

    def blame(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            name = fault.target if fault.target in self.fields else None
            self.add_error(name, fault.message)

    @property
    def summary(self) -> list[tuple[str, str]]:
        return [
            (
                "" if name == "__all__" else f"id_{name}",
                f"{self.fields[name].label}: {text}" if name in self.fields else str(text),
            )
            for name, texts in self.errors.items()
            for text in texts
        ]


class SettingsForm(ThreadForm):
    title = forms.CharField(
        label=_("Title"), required=False, widget=forms.TextInput({**INPUT, "maxlength": TITLE_LIMIT})
    )
    max_turns = forms.IntegerField(
        label=_("Turns at most"),
        widget=forms.NumberInput({**INPUT, "min": 1, "max": 100}),
        help_text=_("How often a model may answer or call tools before it has to stop."),
    )
    field_order = ("title", "custom_agent", "mode", "model", "max_turns")
