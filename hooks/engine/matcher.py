"""Matchers: regular expressions over tool names that cannot hang or fill the engine (R1 to R6)."""

import functools
from collections.abc import Collection

import regex  # noqa: TID251 (this is the one place)

from hooks.engine.repeats import Unsupported, copies, expansion

PATTERN_LIMIT = 1000
EXPANSION_LIMIT = 10_000
COPIES_LIMIT = 25_000  # of a kilobyte each, while the pattern is in use
KEPT_COPIES = 1_000  # a compiled pattern is kept for the next time only where it is small
SECONDS = 0.1

_CALL = regex.compile(r"[A-Za-z_]\w*\([^()|?]*[\s:*/][^()|]*\)")
_EQUALS_OF_REGEX = regex.compile(r"\(\?(?:<?[=!]|P=)|\\[pP]\{[^}]*\}")
_EXPRESSION = regex.compile(r"&&|\|\||[\"'=]")


class InvalidMatcher(Exception):
    """The pattern cannot be used. The text says why, for people."""


def check(pattern: str) -> None:
    """Compile `pattern`, as a save does (R4). Raises InvalidMatcher."""
    if pattern != "*":
        _compiled(pattern)


def matches(pattern: str | None, tool: str) -> bool:
    """Tell whether `pattern` matches the whole of `tool` (R1 to R3).

    Raises InvalidMatcher, also when it takes too long (R5).
    """
    if not pattern:
        return False
    if pattern == "*":
        return True
    try:
        return _compiled(pattern).fullmatch(tool, timeout=SECONDS, concurrent=True) is not None
    except TimeoutError:
        raise InvalidMatcher(
            f"The matcher took longer than {SECONDS * 1000:.0f} ms on the tool name {tool[:100]!r}."
        ) from None


def doubts(pattern: str, known_tools: Collection[str] = ()) -> str | None:
    """Say why a valid pattern may not do what its author means, or None (R6)."""
    if pattern == "*":
        return None
    if _CALL.fullmatch(pattern):
        return (
            f"The matcher {pattern!r} looks like a call. It is compared with the tool's name only: "
            "match the name here, and look at tool_input in the hook."
        )
    if _EXPRESSION.search(_EQUALS_OF_REGEX.sub("", pattern)):
        return (
            f"The matcher {pattern!r} looks like an expression. It is a regular expression over the tool's name, "
            "such as Bash|ReadFile."
        )
    try:
        missed = bool(known_tools) and not any(matches(pattern, tool) for tool in known_tools)
    except InvalidMatcher as slow:
        return str(slow)
    if missed:
        shown = ", ".join(sorted(known_tools)[:10]) + (" and more" if len(known_tools) > 10 else "")
        return f"The matcher {pattern!r} matches none of the agent's known tools ({shown})."
    return None


def _compiled(pattern: str) -> "regex.Pattern[str]":
    return _kept(pattern) if _size(pattern) <= KEPT_COPIES else _compile(pattern)


@functools.lru_cache(maxsize=1024)
def _size(pattern: str) -> int:
    """Return how often the compiler copies an atom of `pattern`. Raises InvalidMatcher where it is too much."""
    if len(pattern) > PATTERN_LIMIT:
        raise InvalidMatcher(f"The matcher has {len(pattern):,} characters; at most {PATTERN_LIMIT:,} are allowed.")
    try:
        size, copied = expansion(pattern), copies(pattern)
    except Unsupported as unsupported:
        raise InvalidMatcher(str(unsupported)) from None
    if size > EXPANSION_LIMIT:
        raise InvalidMatcher(
            f"The matcher's counted repeats multiply to more than {EXPANSION_LIMIT:,} steps. "
            "Use smaller counts, or * and +."
        )
    if copied > COPIES_LIMIT:
        raise InvalidMatcher("The matcher's repeats, one within another as in ((a+)+)+, grow too large. Use fewer.")
    return copied


@functools.lru_cache(maxsize=256)
def _kept(pattern: str) -> "regex.Pattern[str]":
    return _compile(pattern)


def _compile(pattern: str) -> "regex.Pattern[str]":
    try:
        return regex.compile(pattern, regex.VERSION0, cache_pattern=False)
    except regex.error as error:
        raise InvalidMatcher(f"The matcher is not a valid regular expression: {error}.") from None
    except (RecursionError, MemoryError, OverflowError, ValueError, KeyError, IndexError, AttributeError, TypeError):
        # What the compiler raises on patterns that it gives up on, 300 nested groups for one.
        raise InvalidMatcher("The matcher is too complex for the regular expression compiler.") from None
