"""Matchers: regular expressions over tool names that cannot hang or fill the engine (R1 to R6)."""

import functools
from collections.abc import Collection

import regex  # noqa: TID251 (this is the one place)

from hooks.engine.repeats import Unsupported, expansion

PATTERN_LIMIT = 1000
EXPANSION_LIMIT = 10_000
SECONDS = 0.1

_CALL = regex.compile(r"[A-Za-z_]\w*\([^()|?]*[\s:*/][^()|]*\)")
_EXPRESSION = regex.compile(r"==|!=|&&|\|\||[\"'=]")


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
        raise InvalidMatcher(f"The matcher took longer than {SECONDS * 1000:.0f} ms on this tool name.") from None


def doubts(pattern: str, known_tools: Collection[str] = ()) -> str | None:
    """Say why a valid pattern may not do what its author means, or None (R6)."""
    if pattern == "*":
        return None
    if _CALL.fullmatch(pattern):
        return (
            f"The matcher {pattern!r} looks like a call. It is compared with the tool's name only: "
            "match the name here, and look at tool_input in the hook."
        )
    if _EXPRESSION.search(pattern):
        return (
            f"The matcher {pattern!r} looks like an expression. It is a regular expression over the tool's name, "
            "such as Bash|ReadFile."
        )
    if known_tools and not any(_hits(pattern, tool) for tool in known_tools):
        shown = ", ".join(sorted(known_tools)[:10]) + (" and more" if len(known_tools) > 10 else "")
        return f"The matcher {pattern!r} matches none of the agent's known tools ({shown})."
    return None


def _hits(pattern: str, tool: str) -> bool:
    try:
        return matches(pattern, tool)
    except InvalidMatcher:
        return False


@functools.lru_cache(maxsize=256)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    if len(pattern) > PATTERN_LIMIT:
        raise InvalidMatcher(f"The matcher has {len(pattern):,} characters; at most {PATTERN_LIMIT:,} are allowed.")
    try:
        size = expansion(pattern)
        if size > EXPANSION_LIMIT:
            raise InvalidMatcher(
                f"The matcher's counted repeats multiply to more than {EXPANSION_LIMIT:,} steps. "
                "Use smaller counts, or * and +."
            )
        return regex.compile(pattern, regex.VERSION0)
    except Unsupported as unsupported:
        raise InvalidMatcher(str(unsupported)) from None
    except regex.error as error:
        raise InvalidMatcher(f"The matcher is not a valid regular expression: {error}.") from None
    except (RecursionError, MemoryError, OverflowError, ValueError, KeyError, IndexError, AttributeError, TypeError):
        # What the compiler raises on patterns that it gives up on, 300 nested groups for one.
        raise InvalidMatcher("The matcher is too complex for the regular expression compiler.") from None
