"""The programs that a shell command starts, as far as reading it can tell."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

# Before a command's own words; what follows is a command again.
LEADING = frozenset({"!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "esac", "time"})
PREFIXES = frozenset({"command", "env", "exec", "nohup", "builtin", "xargs"})
_SEPARATORS = frozenset(";|&()\n")
_ASSIGNMENT = re.compile(r"\w+\+?=")
# Commands come from anyone: no pattern here may take more than linear time.
_HEREDOC = re.compile(r"(?<!<)<<-?[ \t]*(?:(['\"])(\w{1,100})\1|\\?(\w{1,100}))")
_TESTS = re.compile(r"\[\[\s[^\n]{0,1000}?\s\]\]|\$?\(\([^\n]{0,200}?\)\)")
_ARRAY = re.compile(r"(\b\w+\+?=)\([^()]*\)")
_FUNCTION = re.compile(r"(?<![\w-])([\w-]+)\s*\(\s*\)|\bfunction\s+([\w-]+)")
_SUBSTITUTION = re.compile(r"\$\(\s*([^\s()]+)")


@dataclass(slots=True)
class Call:
    """A program and its words. A program within double quotes, `"$(date)"`, has no words here."""

    program: str
    words: list[str] = field(default_factory=list)


def calls(command: str) -> list[Call]:
    """Return the programs in order. Raises ValueError where quotes or brackets do not close."""
    command = "\n".join(_lines(command)).replace("\\\n", " ")
    command = _ARRAY.sub(r"\1x", _TESTS.sub(":", command))
    own = {name for found in _FUNCTION.findall(command) for name in found if name}
    return [call for call in _calls(_tokens(command)) if call.program not in own]


def _lines(command: str) -> Iterator[str]:
    """Yield the lines without comments and without the texts of heredocs."""
    end = ""
    for line in command.split("\n"):
        if end:
            end = "" if line.strip() == end else end
        elif not line.lstrip().startswith("#"):
            found = _HEREDOC.search(line)
            end = (found[2] or found[3]) if found else ""
            yield line[: found.start()] + line[found.end() :] if found else line


def _tokens(command: str) -> Iterator[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    try:
        yield from lexer
    except ValueError as error:
        raise ValueError(str(error)) from None


def _calls(words: Iterator[str]) -> Iterator[Call]:
    call: Call | None = None
    cases, waiting, pattern, target = 0, False, False, False
    for word in words:
        if target:
            target = False  # where a redirection leads is no word of the command
        elif word and set(word) <= _SEPARATORS | {"<", ">"}:
            target = set(word) <= {"<", ">", "&", "|"} and bool(set(word) & {"<", ">"})
            if not target:
                yield from _ended(call)
                call = None
                pattern = (";;" in word and cases > 0) or (pattern and ")" not in word)
        elif pattern:
            pattern, cases = word != "esac", cases - (word == "esac")
        elif waiting and word == "in":
            call, waiting, pattern, cases = None, False, True, cases + 1
        elif call is not None:
            call.words.append(word)
        elif word not in LEADING and not _ASSIGNMENT.match(word):
            call, waiting = Call(word), waiting or word == "case"
        for inner in _SUBSTITUTION.findall(word):
            yield Call(inner)
    yield from _ended(call)


def _ended(call: Call | None) -> Iterator[Call]:
    """Yield a call, and the one that it leads to: `xargs -r curl` starts both."""
    if call is None:
        return
    yield call
    words = [word for word in call.words if not word.startswith("-") and not _ASSIGNMENT.match(word)]
    if call.program in PREFIXES and words:
        yield Call(words[0], words[1:])
