"""The form of a sample that knows the fields of its event. The context stands in it as fields, or whole as JSON.

Either is made of the other without loss: what a field cannot show as it is, stands as JSON under «Other fields».
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from django import forms

from hooks.engine import strictjson
from hooks.engine.errors import Fault
from hooks.engine.events import ANYTHING, BOOLEAN, COMMON, COUNT, EVENTS, FLAG, OBJECT, REQUIRED, TEXT, Field
from hooks.sampleforms import CODE, EXPECTED, INPUT, SELECT, SampleForm, pretty
from portal.specforms import Choice, Text
from portal.translated import _

FIELDS, JSON = "fields", "json"
PREFIX = "in_"
MISSING: Any = object()
FIRST = "Stop"
# Another event brings its own fields; htmx asks for them, and a button where there are no scripts.
TURNING = {
    "hx-post": "",
    "hx-trigger": "change",
    "hx-target": "#sample-form",
    "hx-swap": "outerHTML",
    "hx-vals": '{"do": "event"}',
}
LABELS = {
    "source": _("Source"),
    "tool_name": _("Tool name"),
    "tool_input": _("Tool input"),
    "tool_result": _("Tool result"),
    "tool_succeeded": _("Tool succeeded"),
    "final_output": _("Final answer"),
    "stop_hook_active": _("A Stop hook has rejected already"),
    "stop_rejection_count": _("Rejections so far"),
    "agent_name": _("Agent name"),
    "current_turn": _("Current turn"),
    "max_turns": _("Most turns"),
}
LONG = {"final_output", "tool_result"}
HELPS = {
    "tool_input": _("A JSON object"),
    "tool_result": _("A text, or JSON"),
    "agent_name": _("Optional: the agent’s own name stands in"),
}
FLAGS = [("", "–"), ("true", _("yes")), ("false", _("no"))]
OPTIONAL = _("Optional")


def fields_of(event: str) -> dict[str, Field]:
    """The fields that a context of this event has, those that the portal fills in last."""
    return {**EVENTS[event].fields, **{name: want for name, want in COMMON.items() if name != "hook_event_name"}}


def is_optional(name: str, want: Field) -> bool:
    return want.default is not REQUIRED or name == "agent_name"


class EventForm(SampleForm):
    shape = Text(widget=forms.HiddenInput)
    rest = Text(
        label=_("Other fields"),
        widget=forms.Textarea(CODE | {"rows": 3, "data-code": "json", "data-most-bytes": 1_048_576}),
        help_text=_("Optional: a JSON object with what an event may carry besides, such as thread_id"),
    )

    def __init__(self, data: Any = None, *, initial: Mapping[str, Any] | None = None) -> None:
        given = data if data is not None else (initial or {})
        # The event whose fields are in the form; a change of it is asked for, and then made with all that was typed.
        event = str(given.get("was") or given.get("event") or FIRST)
        self.of_event = event if event in EVENTS else FIRST
        self.as_fields = given.get("shape", JSON if data is not None else FIELDS) == FIELDS
        super().__init__(data, initial={"event": self.of_event, **(initial or {})})
        self.fields["event"].widget.attrs.update(TURNING)
        self.fields["context"].widget.attrs.update({"data-code": "json", "data-most-bytes": 1_048_576})
        self.fields["shape"].initial = FIELDS if self.as_fields else JSON
        cast("Choice", self.fields["decision"]).offer(self._decisions())
        if self.as_fields:
            self.fields.pop("context")
            self.fields.update({PREFIX + name: _field(name, want) for name, want in fields_of(self.of_event).items()})
        else:
            self.fields.pop("rest")

    def _decisions(self) -> list[tuple[str, str]]:
        """Those that a hook for this event can come to, and one that is chosen already, so that its fault can be seen."""
        event = EVENTS[self.of_event]
        possible = {event.silent, *(event.verdicts.values() if event.can_refuse else ())}
        chosen = self["decision"].value()
        return [(value, word) for value, word in EXPECTED if not value or value in possible or value == chosen]

    @property
    def event_field(self) -> Any:
        return self["event"]

    @property
    def context_field(self) -> Any:
        return self["context"]

    @property
    def own(self) -> Iterable[Any]:
        """The event's fields, as the page shows them."""
        return [self[PREFIX + name] for name in fields_of(self.of_event)] if self.as_fields else []

    def field_of(self, target: str) -> str:
        parts = target.replace("[", ".").split(".")
        if self.as_fields and parts[0] == "context":
            name = PREFIX + parts[1] if len(parts) > 1 else "event"
            return name if name in self.fields else "rest"
        return super().field_of(target)

    def blame(self, faults: Iterable[Fault]) -> None:
        """A fault of a field of its own needs no path in front."""
        found = list(faults)
        whole = {f"context.{name}" for name in fields_of(self.of_event)} if self.as_fields else set()
        for fault in (fault for fault in found if fault.target in whole):
            self.add_error(self.field_of(fault.target), f"{LABELS[fault.target[8:]]} {fault.message}")
        super().blame(fault for fault in found if fault.target not in whole)

    def read_context(self) -> Any:
        """The context that the form holds, whichever way. What is no JSON has its fault at its field."""
        self.is_valid()
        if not self.as_fields:
            return self.json_of("context")
        read = {name: self._read(name, want) for name, want in fields_of(self.of_event).items()}
        own = {name: value for name, value in read.items() if value is not MISSING}
        rest = self.json_of("rest")
        if rest is not None and not isinstance(rest, Mapping):
            self.add_error("rest", str(_("Other fields must be a JSON object.")))
            return None
        return {**own, **(rest or {})}

    def _read(self, name: str, want: Field) -> Any:
        text = self.cleaned_data.get(PREFIX + name)
        if want is OBJECT and text:
            return self.json_of(PREFIX + name)
        return read(name, want, str(text or "").replace("\r\n", "\n"))

    def document(self) -> dict[str, Any]:
        context = self.read_context()
        self.cleaned_data["context"] = None
        return {**super().document(), "context": context}

    def turned(self, *, shape: str, event: str) -> "EventForm | None":
        """The same sample, unsaved, the other way round or for another event; None where something is no JSON."""
        context = self.read_context()
        if self.errors:
            return None
        if event != self.of_event and self.as_fields:  # fields that were left blank do not come along
            context = {key: value for key, value in context.items() if value != "" or key not in LABELS}
        kept = {name: self.cleaned_data.get(name) for name in ("name", "description", "transcript", "reason", "etag")}
        kept |= {"decision": self.cleaned_data.get("decision"), "event": event, "shape": shape}
        return EventForm(initial={**kept, **shown(context, event)})


def _field(name: str, want: Field) -> forms.Field:
    helps = [str(HELPS[name])] if name in HELPS else [str(OPTIONAL)] if is_optional(name, want) else []
    given: dict[str, Any] = {"label": LABELS[name], "help_text": " ".join(helps)}
    if want in (BOOLEAN, FLAG):
        return Choice(widget=forms.Select(SELECT), choices=FLAGS, **given)
    if want is OBJECT:
        return Text(
            widget=forms.Textarea(CODE | {"rows": 5, "data-code": "json", "data-most-bytes": 1_048_576}), **given
        )
    if name in LONG:
        return Text(widget=forms.Textarea(INPUT | {"rows": 5, "spellcheck": "false"}), **given)
    more = {"inputmode": "numeric"} if want is COUNT else {"autocomplete": "off", "spellcheck": "false"}
    return Text(widget=forms.TextInput(INPUT | more), **given)


def read(name: str, want: Field, text: str) -> Any:
    """Read what was typed into a field; MISSING where that counts as nothing."""
    if want is TEXT:
        return text
    if not text:
        return MISSING
    if want in (BOOLEAN, FLAG, COUNT, OBJECT, ANYTHING):
        try:
            return strictjson.loads(text)
        except ValueError:
            return text
    return text


def written(want: Field, value: Any) -> str:
    """Write a value as one would type it."""
    if want is ANYTHING and isinstance(value, str):
        return value if value and read("", want, value) == value else pretty(value)
    return value if isinstance(value, str) else pretty(value)


def shown(context: Any, event: str) -> dict[str, Any]:
    """What the form shows of a context: its fields, the rest as JSON, and the whole as JSON."""
    texts: dict[str, Any] = {"context": "" if context in (None, {}) else pretty(context)}
    if not isinstance(context, Mapping):
        return texts
    rest = {key: value for key, value in context.items() if (key, value) != ("hook_event_name", event)}
    for name, want in fields_of(event).items():
        if name in rest and _survives(name, want, rest[name]):
            texts[PREFIX + name] = written(want, rest.pop(name))
    return {**texts, "rest": pretty(rest) if rest else ""}


def _survives(name: str, want: Field, value: Any) -> bool:
    """Whether a browser gives back what a field is given."""
    text = written(want, value)
    plain = all(char in "\n\t" or (char.isprintable()) for char in text) and (
        name in LONG or want is OBJECT or "\n" not in text
    )
    got = read(name, want, text)
    return plain and type(got) is type(value) and got == value
