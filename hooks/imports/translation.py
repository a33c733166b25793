"""Matchers and times, with the meaning kept and the text changed where it must be."""

import math
import re

from hooks.engine import matcher
from hooks.imports.source import Product

_WORDS = re.compile(r"\w+(?:\|\w+)*", re.ASCII)
SHORTEST, LONGEST = 1, 300


def whole(pattern: str | None, product: Product) -> str:
    """Translate a matcher into one that must match the whole name, as ours do (R1). None and blank mean every name."""
    pattern = (pattern or "").strip()
    if pattern in ("", "*", ".*"):
        return "*"
    if product.anchored or _WORDS.fullmatch(pattern):
        return pattern
    return f".*(?:{pattern}).*"


def anywhere(pattern: str | None, product: Product) -> str:
    """Translate a pattern over something else than a tool's name, where plain words may stand anywhere too."""
    found = whole(pattern, product)
    return f".*(?:{found}).*" if is_wider_there(pattern, product) else found


def is_wider_there(pattern: str | None, product: Product) -> bool:
    """Tell whether a plain word also matches within longer names in the product."""
    return not product.anchored and not product.words and bool(_WORDS.fullmatch((pattern or "").strip()))


def unusable(pattern: str, *, in_script: bool = False) -> str | None:
    """Say why a matcher cannot be used, or None. `in_script`: Python's own `re` must take it too."""
    try:
        matcher.check(pattern)
        if in_script and pattern != "*":
            re.compile(pattern)
    except matcher.InvalidMatcher as invalid:
        return str(invalid)
    except (re.error, RecursionError, OverflowError) as error:
        return f"The matcher is not a regular expression of Python: {error}."
    return None


def seconds(timeout: float) -> int:
    """Round up to whole seconds within the bounds."""
    return min(max(math.ceil(min(timeout, LONGEST)), SHORTEST), LONGEST)
