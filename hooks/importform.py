"""The form of an import: another product's file, uploaded or pasted."""

from typing import Any

from django import forms

from hooks.imports import PRODUCTS
from portal.specforms import BlamedForm, Choice, Text
from portal.translated import _

CODE = {"class": "form-control field-code", "spellcheck": "false", "autocapitalize": "off", "rows": 12}
ANY = [("", _("Whatever the file tells")), *((key, product.title) for key, product in PRODUCTS.items())]
FILES = _("For example") + " " + ", ".join(f"{product.folders[0]}{product.file}" for product in PRODUCTS.values())


class ImportForm(BlamedForm):
    """`filename` is that of an upload whose text is in `source` by now, so that it need not be chosen again."""

    upload = forms.FileField(
        label=_("File"), required=False, allow_empty_file=True, help_text=FILES, widget=forms.FileInput
    )
    source = Text(
        label=_("Its text"), widget=forms.Textarea(CODE), help_text=_("Paste it, where there is no file to upload.")
    )
    product = Choice(label=_("Product"), choices=ANY, widget=forms.Select({"class": "form-select"}))
    filename = Text(widget=forms.HiddenInput)

    def given(self) -> dict[str, Any]:
        """The file's bytes or text, and what is known about it, as the import takes them."""
        self.is_valid()
        upload = self.cleaned_data.get("upload")
        return {
            "source": upload.read() if upload else str(self.cleaned_data.get("source") or ""),
            "product": self.cleaned_data.get("product"),
            "filename": upload.name if upload else self.cleaned_data.get("filename"),
        }
