"""The form of an import: YAML of hooks, uploaded or pasted."""

from collections.abc import Mapping
from typing import Any

from django import forms

from hooks.engine import yamldoc
from portal.specforms import BlamedForm, Flag, Text
from portal.translated import _

CODE = {"class": "form-control field-code", "spellcheck": "false", "autocapitalize": "off", "rows": 14}


class BundleForm(BlamedForm):
    """`etag` names the configuration that the preview was made against."""

    upload = forms.FileField(
        label=_("File"),
        required=False,
        allow_empty_file=True,
        help_text=_("A bundle, as the export writes it, or one hook."),
        widget=forms.FileInput({"class": "form-control", "accept": ".yaml,.yml,.json"}),
    )
    source = Text(
        label=_("YAML"), widget=forms.Textarea(CODE), help_text=_("Paste it, where there is no file to upload.")
    )
    prune = Flag(
        label=_("Delete what the YAML does not hold"),
        widget=forms.CheckboxInput({"class": "form-check-input"}),
    )
    etag = Text(widget=forms.HiddenInput)

    def text(self) -> str:
        """The YAML as text, so that it can be shown again: a browser does not send an upload twice."""
        self.is_valid()
        upload = self.cleaned_data.get("upload")
        if upload:
            data: bytes = upload.read(yamldoc.LIMIT + 1)
            return data.decode("utf-8-sig", "replace")
        return str(self.cleaned_data.get("source") or "")


def as_bundle(read: Any) -> Any:
    """Make a bundle of what may also be one document, or a list of them."""
    documents = read if isinstance(read, list) else [read]
    if not all(isinstance(one, Mapping) and _is_document(one) for one in documents):
        return read
    hooks = [one for one in documents if not _is_agent(one)]
    return {"hooks": hooks, "agents": [one for one in documents if _is_agent(one)]}


def _is_document(one: Mapping[str, Any]) -> bool:
    return "properties" in one or "spec" in one


def _is_agent(one: Mapping[str, Any]) -> bool:
    return "spec" in one or one.get("type") == "ExtendedAgent"
