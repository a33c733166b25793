"""Django forms made from an engine spec.

The fields are permissive, so that nothing but the engine's own words is ever said about an input: they take any text and
turn it into the JSON that a program would have sent.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, get_args, get_origin

from django import forms
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hooks.engine.errors import Fault
from portal.shown import sentence

ASIDE = "aside"
LOOKS: dict[type, str] = {
    forms.Select: "form-select",
    forms.CheckboxInput: "form-check-input",
    forms.RadioSelect: "visually-hidden",
}


class Text(forms.Field):
    """Any text, exactly as typed. A blank field counts as not given."""

    widget = forms.TextInput

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)

    def to_python(self, value: Any) -> Any:
        return value or None


class Number(Text):
    """A text that is read as a program's number where it is one; what else it is, the engine names."""

    def to_python(self, value: Any) -> Any:
        try:
            read = json.loads(value.strip()) if value and len(value) < 20 else value
        except ValueError:
            return value
        return read if isinstance(read, (int, float)) else value or None


class Choice(Text):
    """One of a few words. What was sent is not compared with them here."""

    def __init__(self, *, choices: Iterable[tuple[str, Any]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.offer(choices)

    def offer(self, choices: Iterable[tuple[str, Any]]) -> None:
        self.widget.choices = list(choices)  # type: ignore[attr-defined]


class Flag(forms.BooleanField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)


class BlamedForm(forms.Form):
    """A form whose faults come from the engine, each with the path of what it is about."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.general: list[str] = []

    def blame(self, faults: Iterable[Fault]) -> None:
        """Put each fault at the field that it is about; those about no field stand in `general`."""
        for fault in faults:
            name = self.field_of(fault.target)
            if name in self.fields:
                self.add_error(name, sentence(str(self.fields[name].label), fault.message))
            else:
                self.general.append(sentence(fault.target, fault.message))

    def field_of(self, target: str) -> str:
        return target.rsplit(".", 1)[-1]

    def summary(self) -> list[tuple[str, str]]:
        """Every fault in the order of the page: the id of its field, or "", and the sentence."""
        shown = [("", text) for text in self.general]
        for name in (name for name in self.fields if name in self.errors):
            shown += [(self[name].id_for_label or self[name].auto_id, str(text)) for text in self.errors[name]]
        return shown


class SpecForm(BlamedForm):
    """A form with a field for each option of `spec`, under its canonical name.

    `aside` names the fields that do not apply to what is chosen: what was typed there is kept in the form, and not given
    to the engine. Scripts fill it; without them every field that is filled in counts.
    """

    spec: ClassVar[type[BaseModel]]
    labels: ClassVar[Mapping[str, str]] = {}
    words: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    widgets: ClassVar[Mapping[str, type[forms.Widget]]] = {}
    attributes: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    helps: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[ASIDE] = Text(widget=forms.HiddenInput)
        self.fields.update({name: self._field(name, info) for name, info in named(self.spec)})
        self.order_fields(list(self.labels))

    def _field(self, name: str, info: FieldInfo) -> forms.Field:
        given: dict[str, Any] = {"label": self.labels.get(name, name), "help_text": self.helps.get(name, "")}
        if widget := self.widgets.get(name):
            given["widget"] = widget
        field = field_for(info, self.words.get(name, {}), given)
        field.widget.attrs = {"class": LOOKS.get(type(field.widget), "form-control"), **self.attributes.get(name, {})}
        return field

    def given(self) -> dict[str, Any]:
        """The options as a program would have sent them."""
        self.is_valid()
        aside = str(self.cleaned_data.get(ASIDE) or "").split(",")
        return {
            name: self.cleaned_data[name]
            for name, _ in named(self.spec)
            if name not in aside and self.cleaned_data.get(name) is not None
        }


def named(spec: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    return [(info.alias or name, info) for name, info in spec.model_fields.items()]


def field_for(info: FieldInfo, words: Mapping[str, str], given: dict[str, Any]) -> forms.Field:
    """Make the form's field of one option, by its type."""
    kinds = (info.annotation, *get_args(info.annotation))
    literal = next((kind for kind in kinds if get_origin(kind) is Literal), None)
    if literal is not None or words:
        options = words or {word: word for word in get_args(literal)}
        return Choice(**{"widget": forms.Select, **given}, choices=options.items())
    if bool in kinds:
        return Flag(**given)
    return Number(**given) if int in kinds else Text(**given)
