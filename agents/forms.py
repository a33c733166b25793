"""The form of a custom agent: its document as YAML. What it says of one, `agents.documents` said."""

from collections.abc import Iterable
from typing import Any

from django import forms

from agents.documents import ParsedAgent, parse_agent
from hooks.engine import yamldoc
from hooks.engine.errors import Fault, Invalid
from hooks.engine.spec import SyntaxCheck
from portal.specforms import BlamedForm, Text

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
