"""The forms of a custom agent: its document as YAML, and one hook of it. What they say of an input, the parsers said."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django import forms

from agents.documents import KIND, V2, ParsedAgent, parse_agent, write_document
from agents.models import CustomAgent
from hooks.engine import yamldoc
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS
from hooks.engine.parsing import Parsed, parse
from hooks.engine.spec import HookSpec, SyntaxCheck
from hooks.forms import ATTRIBUTES, HELPS, LABELS, TIERS, WIDGETS, WORDS
from hooks.models import Hook
from hooks.services import hook_lists, stored
from hooks.words import TYPE_ICONS
from portal.specforms import BlamedForm, Flag, SpecForm, Text
from portal.translated import _

CODE = {"class": "form-control field-code", "spellcheck": "false", "autocapitalize": "off", "rows": 26}
HELP = _("The whole document of azuresre.ai/v2, hooks included. It is stored as one change.")
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
    document = Text(label=_("Document"), widget=forms.Textarea(CODE), help_text=HELP)
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


def written(parsed: ParsedAgent, found: CustomAgent) -> dict[str, Any]:
    """The document as it would stand if `parsed` were saved in place of `found`."""
    lists = hook_lists(found)
    if parsed.hooks is not None:
        lists = {event: [_item(spec) for spec in specs] for event, specs in parsed.hooks.items()}
    would_be = CustomAgent(
        name=found.name, tags=parsed.tags, owner=parsed.owner, metadata=parsed.metadata, spec=parsed.spec
    )
    return write_document(would_be, lists)


def _item(spec: HookSpec) -> dict[str, Any]:
    hook = Hook()
    stored.apply(hook, spec)
    return stored.item(hook)


SHOWN = ("instructions", "handoffDescription", "handoffs", "tools", "enableVanillaMode", "hooks")
LINES = {"class": "form-control field-code", "spellcheck": "false", "autocapitalize": "off", "rows": 5}


class AgentForm(BlamedForm):
    """The fields of a custom agent that the portal knows. What else its document has is kept as it is."""

    name = Text(
        label=_("Name"), widget=forms.TextInput({"class": "form-control", "autocomplete": "off", "spellcheck": "false"})
    )
    instructions = Text(label=_("Instructions"), widget=forms.Textarea({"class": "form-control", "rows": 10}))
    handoffDescription = Text(
        label=_("Handoff description"),
        widget=forms.TextInput({"class": "form-control", "autocomplete": "off"}),
        help_text=_("Tells the other agents when to hand over to this one."),
    )
    handoffs = Text(
        label=_("Handoffs"),
        widget=forms.Textarea(LINES),
        help_text=_("Custom agents it may hand over to, one on each line."),
    )
    tools = Text(label=_("Tools"), widget=forms.Textarea(LINES), help_text=_("Names, one on each line."))
    enableVanillaMode = Flag(label=_("Vanilla mode"), widget=forms.CheckboxInput({"class": "form-check-input"}))
    owner = Text(label=_("Owner"), widget=forms.TextInput({"class": "form-control", "autocomplete": "off"}))
    tags = Text(
        label=_("Tags"),
        widget=forms.TextInput({"class": "form-control", "autocomplete": "off"}),
        help_text=_("With commas between."),
    )
    etag = Text(widget=forms.HiddenInput)

    def __init__(self, *args: Any, custom_agent: CustomAgent | None, **kwargs: Any) -> None:
        self.spec: dict[str, Any] = custom_agent.spec if custom_agent else {}
        shown = {"owner": custom_agent.owner, "tags": ", ".join(custom_agent.tags)} if custom_agent else {}
        super().__init__(*args, initial={**shown, **{key: self._shown(key) for key in SHOWN[:-1]}}, **kwargs)
        if custom_agent:
            self.fields.pop("name")
        for key in [key for key in SHOWN[:-1] if not self._is_plain(key)]:
            self.fields.pop(key)

    def _is_plain(self, key: str) -> bool:
        """Whether a field can show what is stored, so that nothing of it is lost."""
        value = self.spec.get(key)
        if key in ("handoffs", "tools"):
            return value is None or (
                isinstance(value, list)
                and all(isinstance(one, str) and one == one.strip() != "" for one in value)
                and not any(len(one.splitlines()) > 1 for one in value)
            )
        return value is None or isinstance(value, bool if key == "enableVanillaMode" else str)

    def _shown(self, key: str) -> Any:
        value = self.spec.get(key)
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def others(self) -> str:
        """What the form does not show, as YAML."""
        rest = {
            key: value
            for key, value in self.spec.items()
            if key not in SHOWN or (not self._is_plain(key) and key != "hooks")
        }
        return yamldoc.dump(rest) if rest else ""

    def read(self, document: dict[str, Any] | None = None) -> ParsedAgent:
        """Parse the document with what was filled in; its hooks stay as they are. What is wrong stands at its field."""
        self.is_valid()
        given, document = self.cleaned_data, document or {"api_version": V2, "kind": KIND, "metadata": {}, "spec": {}}
        metadata = {key: value for key, value in document["metadata"].items() if key not in ("tags", "owner")}
        tags = [tag.strip() for tag in str(given.get("tags") or "").split(",") if tag.strip()]
        metadata |= {"tags": tags} if tags else {}
        metadata |= {"owner": given["owner"]} if given.get("owner") else {}
        if "name" in self.fields:
            metadata["name"] = given.get("name") or ""
        spec = dict(document["spec"])
        for key in (key for key in SHOWN if key in self.fields):
            self._set(spec, key, given.get(key))
        parsed = parse_agent({**document, "metadata": metadata, "spec": spec})
        parsed.hooks = None
        parsed.faults = [fault for fault in parsed.faults if not fault.target.startswith("spec.hooks")]
        self.blame(parsed.faults)
        return parsed

    def _set(self, spec: dict[str, Any], key: str, given: Any) -> None:
        if key in ("handoffs", "tools"):
            given = [line.strip() for line in str(given or "").splitlines() if line.strip()]
        elif key != "enableVanillaMode":
            given = str(given or "").replace("\r\n", "\n")
        if given or spec.get(key) is not None:
            spec[key] = given


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
    helps: ClassVar[Mapping[str, str]] = {
        **HELPS,
        "name": _("Optional. 1 to 64 letters, digits, hyphens and underscores"),
    }
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
