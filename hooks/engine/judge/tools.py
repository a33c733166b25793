"""The tools of the judge: ReadFile and GrepSearch, on the transcript and on nothing else (R16)."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import regex  # noqa: TID251 - the judge's own patterns, checked as matchers are

from hooks.engine import matcher
from hooks.engine.transcript import TRANSCRIPT_PATH

READ_LIMIT = 20_000
LINES_LIMIT = 100
LINE_LIMIT = 500
PATTERN_SECONDS = 1.0
LEAD = 100  # characters kept before a match that stands far to the right in its line


def _tool(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


_PATH = {"type": "string", "description": f"always {TRANSCRIPT_PATH}"}
TOOLS = (
    _tool(
        "ReadFile",
        f"Read the conversation of the agent, {READ_LIMIT:,} characters at a time.",
        {"path": _PATH, "offset": {"type": "integer", "description": "first character to read, from 0"}},
        ["path"],
    ),
    _tool(
        "GrepSearch",
        f"Find the lines of the conversation that match a regular expression; at most {LINES_LIMIT}.",
        {"pattern": {"type": "string", "description": "a regular expression, case-sensitive"}, "path": _PATH},
        ["pattern"],
    ),
)


class _Refused(Exception):
    pass


def run(name: str, arguments: Mapping[str, Any] | None, transcript: str) -> str:
    """Answer one call; `arguments` None if they were no JSON object. A fault is an answer too, which the judge sees."""
    try:
        if name not in ("ReadFile", "GrepSearch"):
            raise _Refused("there is no such tool; the tools are ReadFile and GrepSearch")
        if arguments is None:
            raise _Refused("the arguments are not a JSON object")
        return (_read if name == "ReadFile" else _grep)(arguments, transcript)
    except _Refused as fault:
        return f"Error: {fault}"


def _read(arguments: Mapping[str, Any], transcript: str) -> str:
    if arguments.get("path") is None:
        raise _Refused(f"path is missing; the only file is {TRANSCRIPT_PATH}")
    _check_path(arguments["path"])
    offset = arguments.get("offset")
    offset = 0 if offset is None else offset
    if type(offset) is not int or offset < 0:
        raise _Refused("offset must be a whole number from 0 up")
    if offset >= len(transcript):
        raise _Refused(f"offset is past the end; the file has {len(transcript)} characters")
    end = offset + READ_LIMIT
    more = f"\n[{len(transcript)} characters in all; go on with offset {end}]" if end < len(transcript) else ""
    return transcript[offset:end] + more


def _grep(arguments: Mapping[str, Any], transcript: str) -> str:
    if arguments.get("path") is not None:
        _check_path(arguments["path"])
    deadline = time.monotonic() + PATTERN_SECONDS
    pattern = _compiled(arguments.get("pattern"))
    found: list[str] = []
    number = 0
    try:
        for number, line in enumerate(_lines(transcript), 1):
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            match = pattern.search(line, timeout=left)
            if match and len(found) == LINES_LIMIT:
                return "\n".join([*found, f"[only the first {LINES_LIMIT} matching lines]"])
            if match:
                found.append(_cut(number, line, match.start()))
    except TimeoutError:
        found.append(f"[stopped after {PATTERN_SECONDS:g} s, at line {number}; there may be more]")
    return "\n".join(found) or "[no line matches]"


def _check_path(path: object) -> None:
    if path != TRANSCRIPT_PATH:
        raise _Refused(f"no such file; the only file is {TRANSCRIPT_PATH}")


def _compiled(pattern: object) -> "regex.Pattern[str]":
    if not isinstance(pattern, str) or not pattern:
        raise _Refused("pattern must be a string that is not empty")
    try:
        # Hostile text may talk the judge into a pattern that fills the memory while it compiles (R5).
        matcher.check(pattern)
        return regex.compile(pattern, regex.VERSION0)
    except (matcher.InvalidMatcher, regex.error) as error:
        raise _Refused(f"this pattern is refused: {str(error).replace('matcher', 'pattern')}") from None


def _lines(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    if start < len(text):
        yield text[start:].removesuffix("\r")


def _cut(number: int, line: str, at: int) -> str:
    shown = line if at < LINE_LIMIT // 2 else "…" + line[at - LEAD :]
    return f"{number}: {shown}"[:LINE_LIMIT]
