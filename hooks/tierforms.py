"""The form of a model tier. What it says of an input, the service said."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from hooks.models import ModelTier
from portal.specforms import BlamedForm, Number, Text

INPUT = {"class": "form-control", "autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
PRICE = {**INPUT, "inputmode": "decimal"}
FIELDS = ("deployment", "baseUrl", "priceIn", "priceOut")


class TierForm(BlamedForm):
    deployment = Text(label=_("Deployment"), widget=forms.TextInput(INPUT))
    baseUrl = Text(
        label=_("Base URL"),
        widget=forms.TextInput({**INPUT, "inputmode": "url", "placeholder": "https://…/v1"}),
        help_text=_("Any OpenAI-compatible server. It must be on a public address, or one that the operator allows."),
    )
    priceIn = Number(label=_("Price in"), widget=forms.TextInput(PRICE))
    priceOut = Number(label=_("Price out"), widget=forms.TextInput(PRICE))
    etag = Text(widget=forms.HiddenInput)

    def document(self) -> dict[str, Any]:
        """What was filled in, as a program would have sent it."""
        self.is_valid()
        return {name: self.cleaned_data[name] for name in FIELDS if self.cleaned_data.get(name) is not None}


def values_of(row: ModelTier) -> dict[str, Any]:
    """What a form shows of a stored tier."""
    prices = {"priceIn": row.price_in, "priceOut": row.price_out}
    shown = {name: f"{price:g}" for name, price in prices.items() if price is not None}
    return {"deployment": row.deployment, "baseUrl": row.base_url, **shown}
