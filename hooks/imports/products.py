"""The products whose configuration can be read, and how to know one from another."""

import re
from collections.abc import Mapping
from typing import Any

from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import suggestion
from hooks.imports.claude import CLAUDE
from hooks.imports.codex import CODEX
from hooks.imports.copilot import COPILOT
from hooks.imports.cursor import CURSOR
from hooks.imports.gemini import GEMINI
from hooks.imports.source import Product

PRODUCTS: Mapping[str, Product] = {product.key: product for product in (CLAUDE, COPILOT, CODEX, GEMINI, CURSOR)}


def named(name: str) -> Product:
    """Find a product by its key or title, in any case. Raises Invalid."""
    wanted = re.sub(r"[^a-z]", "", name.lower())
    for product in PRODUCTS.values():
        if wanted in (product.key, re.sub(r"[^a-z]", "", product.title.lower()), f"{product.key}cli"):
            return product
    known = ", ".join(PRODUCTS)
    message = f"{name[:100]!r} is no product whose hooks can be read{suggestion(name, PRODUCTS)} They are {known}."
    raise Invalid([Fault("product", "invalid_choice", message)])


def detect(root: Mapping[str, Any], events: Mapping[str, Any], text: str, filename: str) -> Product:
    """Tell whose file it is: by its folder, else by its events and what only one product writes. Raises Invalid."""
    path = "/" + filename.replace("\\", "/").lower()
    for product in PRODUCTS.values():
        if any(f"/{folder}" in path for folder in product.folders):
            return product
    fitting = [product for product in PRODUCTS.values() if _fits(product, events)]
    marked = [product for product in fitting if any(mark in text for mark in product.marks)]
    usual = [product for product in fitting if path.rsplit("/", 1)[-1] == product.file]
    for among in (marked, [one for one in marked if one in usual], usual, fitting):
        if len(among) == 1:
            return among[0]
    known = ", ".join(product.key for product in fitting or PRODUCTS.values())
    why = "The file could be of several products" if fitting else "The file is of no product that is known here"
    raise Invalid([Fault("product", "required", f"{why}. Say which one: {known}.")])


def _fits(product: Product, events: Mapping[str, Any]) -> bool:
    """Tell whether the events, and the way hooks stand under them, could be the product's."""
    names = [name for name in events if name not in product.beside]
    known = {*product.events, *product.others}
    if not names or not all(name in known for name in names):
        return False
    items = [item for name in names if isinstance(events[name], list) for item in events[name]]
    return not items or product.grouped == any(isinstance(item, Mapping) and "hooks" in item for item in items)
