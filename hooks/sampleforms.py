"""The form of a sample, and what it shares with that of a test: a context as JSON. Services and engine say what is wrong."""

from json import dumps
from typing import Any

from django import forms

from hooks.engine import strictjson
from hooks.engine.errors import Fault
from hooks.engine.events import EVENTS
from hooks.models import SampleContext
from hooks.services.samples import DECISIONS
from hooks.words import OUTCOMES
from portal.specforms import BlamedForm, Choice, Text
from portal.translated import _

CODE = {"class": "form-control field-code", "spellcheck": "false", "autocapitalize": "off"}
INPUT, SELECT = {"class": "form-control"}, {"class": "form-select"}
CONTEXT_HELP = _("A JSON object with the fields of the event. hook_event_name and agent_name may be left out.")
TRANSCRIPT_HELP = _("Optional: the conversation so far, as text or as a JSON list of {role, text}.")
EXPECTED = [("", _("Nothing in particular")), *((word, OUTCOMES[word].word) for word in DECISIONS)]


class ContextForm(BlamedForm):
    """What both forms have: `context` and `transcript`."""

    context = Text(label=_("Context"), widget=forms.Textarea(CODE | {"rows": 12}), help_text=CONTEXT_HELP)
    transcript = Text(label=_("Transcript"), widget=forms.Textarea(CODE | {"rows": 4}), help_text=TRANSCRIPT_HELP)

    def field_of(self, target: str) -> str:
        return target.replace("[", ".").split(".", 1)[0]

    def blame(self, faults: Any) -> None:
        """Name what inside the JSON is wrong, since the field holds all of it."""
        super().blame(
            Fault(fault.target, fault.code, f"{fault.target} {fault.message}" if "." in fault.target else fault.message)
            for fault in faults
        )

    def json_of(self, name: str) -> Any:
        """Read a field as JSON; what it is not, is said at the field."""
        given = self.cleaned_data.get(name)
        if not given or not given.strip():
            return None
        try:
            return strictjson.loads(given)
        except ValueError as error:
            self.add_error(name, f"{self.fields[name].label} is no JSON: {error}.")
            return None

    def transcript_of(self) -> Any:
        """A text, or the list that a text holds."""
        given = self.cleaned_data.get("transcript")
        return self.json_of("transcript") if given and given.lstrip().startswith("[") else given


class SampleForm(ContextForm):
    name = Text(
        label=_("Name"), widget=forms.TextInput(INPUT), help_text=_("1 to 64 letters, digits, hyphens and underscores")
    )
    event = Choice(label=_("Event"), choices=[(name, name) for name in EVENTS], widget=forms.Select(SELECT))
    description = Text(label=_("Description"), widget=forms.TextInput(INPUT))
    decision = Choice(label=_("Expected decision"), choices=EXPECTED, widget=forms.Select(SELECT))
    reason = Text(
        label=_("Expected in the reason"), widget=forms.TextInput(INPUT), help_text=_("Optional: a part of the text")
    )
    etag = Text(widget=forms.HiddenInput)

    def field_of(self, target: str) -> str:
        within = {"expected.decision": "decision", "expected.reasonContains": "reason"}
        return within.get(target) or super().field_of(target)

    def document(self) -> dict[str, Any]:
        """What was filled in, as a program would have sent it."""
        self.is_valid()
        given = self.cleaned_data
        expected = {"decision": given["decision"], "reasonContains": given["reason"]}
        return {
            "event": given["event"],
            "context": self.json_of("context"),
            "transcript": self.transcript_of(),
            "expected": {key: value for key, value in expected.items() if value} or None,
            "description": given["description"],
        }


def values_of(sample: SampleContext, etag: str) -> dict[str, Any]:
    """What a form shows of a stored sample."""
    transcript, expected = sample.transcript, sample.expected or {}
    return {
        "name": sample.name,
        "event": sample.event,
        "description": sample.description,
        "context": pretty(sample.context),
        "transcript": transcript if isinstance(transcript, str) or transcript is None else pretty(transcript),
        "decision": expected.get("decision", ""),
        "reason": expected.get("reasonContains", ""),
        "etag": etag,
    }


def pretty(value: Any) -> str:
    """Write JSON for people; what a browser would not give back as it is stays escaped."""
    shown = dumps(value, indent=2, ensure_ascii=False)
    return "".join(
        char if char == "\n" or (char >= " " and not "\ud800" <= char <= "\udfff") else f"\\u{ord(char):04x}"
        for char in shown
    )
