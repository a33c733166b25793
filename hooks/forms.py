"""The form of a hook. It has no rules of its own: what it says of an input, `hooks.engine` said."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.text import format_lazy

from hooks.engine import fields
from hooks.engine.envelope import BESIDE, ParsedEnvelope, parse_agent_hook
from hooks.engine.events import EVENTS
from hooks.engine.spec import OPTIONS, HookSpec, SyntaxCheck
from hooks.models import Hook
from hooks.words import TYPE_ICONS
from portal.specforms import SpecForm, Text
from portal.translated import _

ENVELOPE = {"eventType": "event"}
CODE = {"class": "form-control field-code", "spellcheck": "false", "autocapitalize": "off"}
BYTES = f"{fields.TEXT_BYTES:,} bytes"
# In the order of the page, which is also that of the faults.
LABELS = {
    "name": _("Name"),
    "event": _("Event"),
    "description": _("Description"),
    "activationMode": _("Activation"),
    "type": _("Type"),
    "model": _("Model"),
    "prompt": _("Prompt"),
    "script": _("Script"),
    "command": _("Command"),
    "matcher": _("Tool matcher"),
    "timeout": _("Timeout"),
    "failMode": _("If the hook itself fails"),
    "maxRejections": _("Max rejections"),
    "enabled": _("Enabled"),
}
WORDS = {
    "event": {name: name for name in EVENTS},
    "type": {"prompt": _("Prompt"), "command": _("Command")},
    "activationMode": {"always": _("Always"), "onDemand": _("On demand")},
    "failMode": {"allow": _("Let it pass"), "block": _("Block")},
}
WIDGETS: dict[str, type[forms.Widget]] = {
    "type": forms.RadioSelect,
    "activationMode": forms.RadioSelect,
    "failMode": forms.RadioSelect,
    "prompt": forms.Textarea,
    "script": forms.Textarea,
    "command": forms.Textarea,
}
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "name": {"autocomplete": "off", "spellcheck": "false", "data-most-characters": 64},
    "description": {"autocomplete": "off", "data-most-characters": fields.DESCRIPTION_LIMIT},
    "prompt": CODE | {"rows": 9, "data-code": "prompt", "data-most-bytes": fields.TEXT_BYTES},
    "script": CODE | {"rows": 14, "data-code": "script", "data-most-bytes": fields.TEXT_BYTES},
    "command": CODE | {"rows": 3, "data-code": "command", "data-most-bytes": fields.TEXT_BYTES},
    "matcher": CODE | {"autocomplete": "off", "data-most-characters": 1000},
    "timeout": {"inputmode": "numeric", "placeholder": "30", "data-least": 1, "data-most": 300},
    "maxRejections": {"inputmode": "numeric", "placeholder": "3", "data-least": 1, "data-most": 25},
    "model": {"list": "tiers", "placeholder": "ReasoningFast", "autocomplete": "off", "spellcheck": "false"},
}
HELPS: dict[str, Any] = {
    "name": _("1 to 64 letters, digits, hyphens and underscores"),
    "prompt": format_lazy(_("At most {bytes}"), bytes=BYTES),
    "script": format_lazy(_("At most {bytes}"), bytes=BYTES),
    "command": format_lazy(_("One shell command, run by bash. Give this or a script. At most {bytes}"), bytes=BYTES),
    "matcher": _("A regular expression over the whole tool name, case-sensitive. * matches every tool."),
    "timeout": _("1 to 300"),
    "maxRejections": _("1 to 25, then the agent may stop"),
    "model": _("One of the tiers below, or the name of a deployment"),
}


@dataclass(frozen=True, slots=True)
class Tier:
    """What a tier trades for what; each trait in a word."""

    use: str
    quality: str
    latency: str
    price: str

    def __str__(self) -> str:
        return str(self.use)


TIERS = {
    "Reasoning": Tier(_("Judgements that need thought: root causes, risky changes"), _("best"), _("slow"), _("high")),
    "ReasoningFast": Tier(_("Most judgements; the default"), _("very good"), _("medium"), _("medium")),
    "GeneralPurpose": Tier(_("Plain questions about an answer or a result"), _("good"), _("quick"), _("medium")),
    "Fast": Tier(_("Simple checks on every call: a marker, a format"), _("fair"), _("quickest"), _("low")),
    "LongContext": Tier(_("Long transcripts and results that fit nowhere else"), _("good"), _("slow"), _("high")),
}


class HookForm(SpecForm):
    spec = HookSpec
    labels = LABELS
    words = WORDS
    widgets = WIDGETS
    attributes = ATTRIBUTES
    helps = HELPS
    icons = TYPE_ICONS
    tiers = TIERS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["version"] = Text(widget=forms.HiddenInput)
        self.conflict: Any = None

    def field_of(self, target: str) -> str:
        name = super().field_of(target)
        return ENVELOPE.get(name, name)

    def envelope(self) -> dict[str, Any]:
        """What was filled in, as a program would have sent it."""
        given = self.given()
        return {
            "name": given.get("name", ""),
            "properties": {
                "eventType": given.get("event"),
                **{key: given[key] for key in BESIDE if key in given},
                "hook": {key: given[key] for key in OPTIONS if key in given},
            },
        }

    def read(self, *, syntax: SyntaxCheck, known_tools: list[str]) -> ParsedEnvelope:
        """Parse what was filled in, and show what is wrong with it at its fields."""
        parsed = parse_agent_hook(self.envelope(), syntax=syntax, known_tools=known_tools)
        self.blame(parsed.faults)
        return parsed

    def version(self) -> int | None:
        """The version that the page was made from."""
        given = str(self.cleaned_data.get("version") or "")
        return int(given) if given.isdecimal() and len(given) < 10 else None


def values_of(hook: Hook) -> dict[str, Any]:
    """What a form shows of a stored hook: the options that are set, and what stands beside them."""
    shown = {"timeout": 30, "failMode": "allow"}
    own = {"name": hook.name, "event": hook.event, "description": hook.description, "enabled": hook.enabled}
    return {**shown, **hook.options, **own, "activationMode": hook.activation_mode, "version": hook.version}


def filled(values: Mapping[str, Any]) -> HookForm:
    """Make the form as a browser would post it with these values in it."""
    posted = {name: "on" if value is True else str(value) for name, value in values.items()}
    return HookForm({name: text for name, text in posted.items() if values[name] not in (None, False)})


NEW = {
    "event": _("PostToolUse"),
    "type": _("prompt"),
    "activationMode": _("always"),
    "enabled": True,
    "timeout": 30,
    "failMode": _("allow"),
}
