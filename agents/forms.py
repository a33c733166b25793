"""The forms of a custom agent: its document as YAML, and one hook of it. What they say of an input, the parsers said."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django import forms

from agents.documents import ParsedAgent, parse_agent
from hooks.engine import yamldoc
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS
from hooks.engine.parsing import Parsed, parse
from hooks.engine.spec import HookSpec, SyntaxCheck
from hooks.forms import ATTRIBUTES, HELPS, LABELS, TIERS, WIDGETS, WORDS
from hooks.words import TYPE_ICONS
from portal.specforms import BlamedForm, SpecForm, Text

CODE = {"class": "form-control field-code", "spellcheck": "false", "autocapitalize": "off", "rows": 26}
HELP = "The whole document of azuresre.ai/v2, hooks included. It is stored as one change."
NEW = """\
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata:
  name: ''
spec:
  instructions: ''
  handoffDescription: ''
  handoffs: []
  tools: []
  hooks: {}
"""


class DocumentForm(BlamedForm):
    document = Text(label="Document", widget=forms.Textarea(CODE), help_text=HELP)
    etag = Text(widget=forms.HiddenInput)

    def field_of(self, target: str) -> str:
        return "document"

    def blame(self, faults: Iterable[Fault]) -> None:
        """Name the place in the document, since the field holds all of it."""
        super().blame(Fault(one.target, one.code, f"{one.target} {one.message}".strip()) for one in faults)

    def read(self, *, syntax: SyntaxCheck, known_tools: Iterable[str]) -> ParsedAgent | None:
        """Parse what was filled in; None where it is no YAML. What is wrong with it stands at the field."""
        self.is_valid()
        try:
            raw: Any = yamldoc.load(str(self.cleaned_data.get("document") or ""))
        except Invalid as invalid:
            self.blame(invalid.faults)
            return None
        parsed = parse_agent(raw, syntax=syntax, tools=tuple(known_tools))
        self.blame(parsed.faults)
        return parsed


# What a form shows that nobody set: written only where somebody chooses otherwise.
UNSET = {"timeout": 30, "failMode": "allow"}
OF_TYPE = {"prompt": ("prompt", "model", "maxRejections"), "command": ("script", "command")}


class ItemForm(SpecForm):
    """One hook of a custom agent. Its event is where it stands, and it is always active while enabled."""

    spec = HookSpec
    labels: ClassVar[Mapping[str, str]] = {
        name: label for name, label in LABELS.items() if name not in ("event", "activationMode")
    }
    words = WORDS
    widgets = WIDGETS
    attributes = ATTRIBUTES
    helps: ClassVar[Mapping[str, str]] = {**HELPS, "name": "Optional. 1 to 64 letters, digits, hyphens and underscores"}
    icons = TYPE_ICONS
    tiers = TIERS

    def __init__(self, *args: Any, event: str, item: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        self.event, self.item = event, dict(item or {})
        shown = {**UNSET, "type": "prompt", "enabled": True, **self.item}
        super().__init__(*args, initial=shown, **kwargs)
        for name in ("event", "activationMode"):
            self.fields.pop(name)

    @property
    def with_matcher(self) -> bool:
        return EVENTS[self.event].tool

    @property
    def with_limit(self) -> bool:
        return self.event == "Stop"

    def read(self, *, syntax: SyntaxCheck, known_tools: Iterable[str]) -> Parsed:
        """Parse what was filled in for the chosen type, and show what is wrong with it at its fields."""
        given = self.given()
        other = OF_TYPE["command" if given.get("type") == "prompt" else "prompt"]
        kept = {name: value for name, value in given.items() if name not in other}
        parsed = parse(kept, event=self.event, level="customAgent", syntax=syntax, known_tools=tuple(known_tools))
        self.blame(parsed.faults)
        return parsed

    def written(self, spec: HookSpec) -> dict[str, Any]:
        """The hook as an item of `spec.hooks`, without what was only shown."""
        own: dict[str, Any] = {"name": spec.name} if spec.name else {}
        own |= {"description": spec.description} if spec.description else {}
        own |= {} if spec.enabled else {"enabled": False}
        unset = {name for name, value in UNSET.items() if name not in self.item and spec.options().get(name) == value}
        return own | {name: value for name, value in spec.options().items() if name not in unset}
