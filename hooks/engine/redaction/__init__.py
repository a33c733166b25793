"""Secrets taken out of what is stored and logged, and of nothing else: hooks and agents get the true text."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import regex  # noqa: TID251 - an operator's patterns, checked as matchers are, and bounded in time

from hooks.engine import matcher
from hooks.engine.redaction.patterns import RULES, Rule

__all__ = ["MASK", "Redactor"]
MASK = "[redacted]"
SECONDS = 1.0
ROUNDS = 5
SHORT = 1_000  # a text below this is not looked at once more to choose the rules for it
# Of characters that are printed, without the quote and the backslash, which would change what they stand in.
_ESCAPED = re.compile(r"(?<!\\)\\++(?:u00(?!22|5[cC]|7[fF])([2-7][0-9A-Fa-f])|/)")
_NAME = re.compile(
    r"(?:password|passwd|passphrase|passcode|pwd|(?:api|access|account|secret|private|signing|encryption|master)key"
    r"|secret|token|credentials?|authorization|cookie|connectionstring)[0-9]{0,2}\Z"
)
_ESCAPES = "\\\\"  # a backslash, as JSON writes it
_APART = str.maketrans("", "", "_-. ")
_NAMES, _VALUES = ("name", "key", "Name", "Key"), ("value", "Value")
Span = tuple[int, int]


def _by_piece(*, folded: bool) -> list[tuple[str, list[Rule]]]:
    found: dict[str, list[Rule]] = {}
    for rule in RULES:
        if rule.folded == folded:
            found.setdefault(rule.near, []).append(rule)
    return list(found.items())


_AS_IT_IS, _IN_LOWER_CASE = _by_piece(folded=False), _by_piece(folded=True)


class Redactor:
    """Masks secrets. `patterns` are further regular expressions, `names` further fields whose values are secret.

    Masking twice is masking once. Raises InvalidMatcher where a pattern cannot be used.
    """

    def __init__(self, patterns: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        self._more: list[Any] = []
        for pattern in patterns:
            matcher.check(pattern)
            self._more.append(regex.compile(pattern, regex.VERSION0))
        self._names = frozenset(_plain(name) for name in names)

    def value(self, value: Any) -> Any:
        """Mask what is secret in a JSON value, however deep, keys included. What holds no secret comes back as it is."""
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, (Mapping, list, tuple)) or not value:
            return value
        # One look at all of it is cheaper than one at each text, and most of what is stored holds nothing.
        whole = json.dumps(value)
        rules = RULES if _ESCAPES in whole else _near(whole, _folded(whole))
        return self._walked(value, rules) if rules or self._more or self._names else value

    def text(self, text: str) -> str:
        """Mask what is secret in a text; one without secrets comes back as it is.

        A secret may be written with JSON's escapes. A text where they hid one is kept without them.
        """
        return self._text(text, None)

    def _text(self, text: str, rules: Sequence[Rule] | None) -> str:
        # What a secret stood in reads otherwise without it, and may then be a secret too: masked until nothing changes.
        for _ in range(ROUNDS):
            found = self._once(text, rules)
            if found == text:
                break
            text = found
        return text

    def _once(self, text: str, rules: Sequence[Rule] | None) -> str:
        masked = self._masked(text, rules)
        if "\\" in masked and (plain := _ESCAPED.sub(_character, masked)) != masked:
            found = self._masked(plain, rules)
            return masked if found == plain else found
        return masked

    def _masked(self, text: str, rules: Sequence[Rule] | None) -> str:
        folded = _folded(text)
        rules = _near(text, folded) if rules is None else rules
        spans = [span for rule in rules for span in _spans(rule, folded if rule.folded else text)]
        try:
            for pattern in self._more:
                found = (one.span() for one in pattern.finditer(text, timeout=SECONDS, concurrent=True))
                spans += (span for span in found if not _in_mask(text, span))
        except TimeoutError:
            return MASK  # better nothing than what the operator wanted out
        return _without(text, spans) if spans else text

    def _walked(self, value: Any, rules: Sequence[Rule]) -> Any:
        if isinstance(value, str):
            return self._text(value, rules if len(value) < SHORT else None)
        if isinstance(value, Mapping):
            return self._mapping(value, rules)
        if isinstance(value, (list, tuple)):
            return [self._walked(item, rules) for item in value]
        return value

    def _mapping(self, given: Mapping[Any, Any], rules: Sequence[Rule]) -> dict[str, Any]:
        pair = _pair_name(given)
        found: dict[str, Any] = {}
        for key, value in given.items():
            name = self._text(str(key), rules)
            while name in found:
                name += " "
            secret = self._is_secret(pair if pair and key in _VALUES else str(key), value)
            found[name] = _hidden(value) if secret else self._walked(value, rules)
        return found

    def _is_secret(self, name: str, value: Any) -> bool:
        plain = _plain(name)
        if plain in self._names:
            return True
        if not _NAME.search(plain[-40:]):
            return False
        return not (plain.endswith("pwd") and isinstance(value, str) and value.startswith(("/", "~")))


def _near(text: str, folded: str) -> list[Rule]:
    """Choose the rules that may hit something in a text."""
    found = [rule for piece, rules in _AS_IT_IS if piece in text for rule in rules]
    return found + [rule for piece, rules in _IN_LOWER_CASE if piece in folded for rule in rules]


def _folded(text: str) -> str:
    """Write a text in lower case, each character in its place: of all there are, this one alone would become two."""
    return text.lower() if text.isascii() else text.replace("\u0130", "I").lower()


def _spans(rule: Rule, text: str) -> Iterator[Span]:
    group = rule.pattern.groups
    for found in rule.pattern.finditer(text):
        start, end = found.span(group)
        yield start - rule.back, end


def _without(text: str, spans: list[Span]) -> str:
    """Put the mask in place of all spans; those that overlap or touch become one."""
    spans.sort()
    kept: list[str] = []
    at = 0
    for start, end in spans:
        if start > at or not (kept or at):
            kept += [text[at:start], MASK]
        at = max(at, end)
    return "".join(kept) + text[at:]


def _in_mask(text: str, span: Span) -> bool:
    start, end = span
    at = text.rfind(MASK, max(0, start - len(MASK)), end + len(MASK))
    return 0 <= at <= start and end <= at + len(MASK)


def _hidden(value: Any) -> Any:
    """Hide what stands under a secret name: texts and numbers, in lists too. An object has names of its own."""
    if isinstance(value, list):
        return [_hidden(item) for item in value]
    if value is None or value == "" or isinstance(value, (bool, dict)):
        return value
    return MASK


def _pair_name(given: Mapping[Any, Any]) -> str:
    """Find what `{"name": "DB_PASSWORD", "value": …}` names; "" where it is no such pair."""
    if not any(key in given for key in _VALUES):
        return ""
    return next((given[key] for key in _NAMES if isinstance(given.get(key), str)), "")


def _plain(name: str) -> str:
    return name.lower().translate(_APART)


def _character(escape: "re.Match[str]") -> str:
    return chr(int(escape[1], 16)) if escape[1] else "/"
