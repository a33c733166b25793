"""How large a regular expression becomes when its counted repeats are written out (R5).

`(?:x{9999}){9999}` is short, and fills gigabytes while it compiles, so this reads it beforehand. Only the shape counts:
atoms, groups, character classes, escapes, comments and `{n,m}`. What else is wrong, the compiler says.
"""

import re

NESTING_LIMIT = 100  # the compiler gives up at some depth that depends on its caller's

_LEADING_FLAGS = re.compile(r"(?:\(\?[A-Za-z0-9]+\))*")
_FLAGS = re.compile(r"\(\?([A-Za-z0-9]*(?:-[A-Za-z]+)?)[:)]")
_RECURSION = re.compile(r"\(\?(?:R|[0-9]+|&|P>|P&)")
_GROUP = re.compile(r"\((?:\?(?:P?<[^>]*>|<[=!]|[=!:>|]|\(.*?\)|[A-Za-z0-9-]*:)?|\*[A-Z]*)?")
_COUNT = re.compile(r"\{\s*(\d*)\s*(,?)\s*(\d*)\s*\}")
_FUZZY = re.compile(r"\{[\dides<=+,\s]*[ides][\dides<=+,\s]*(?::[^}]*)?\}")
_ESCAPE = re.compile(r"\\(?:[pPN]\{[^}]*\}|[gkL]<[^>]*>|.)", re.DOTALL)
_POSIX = re.compile(r"\[:\^?\w+:\]")
_VERBOSE_BLANK = re.compile(r"\s+|#[^\n]*")


class Unsupported(Exception):
    """The pattern uses a form that matchers do not have."""


def expansion(pattern: str) -> int:
    """Count the atoms of `pattern`, each as often as the counted repeats around it multiply to. Raises Unsupported."""
    return _Reader(pattern).read()


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0
        leading = _LEADING_FLAGS.match(pattern)
        self.leading = leading.end() if leading else 0
        self.verbose = "x" in pattern[: self.leading]
        # One sum per open group; `last` is the weight of the atom that a repeat would apply to.
        self.sums, self.last = [0], 0

    def read(self) -> int:
        while self.at < len(self.pattern):
            self.step(self.pattern[self.at])
        self.settle()
        return sum(self.sums)

    def step(self, char: str) -> None:
        if self.verbose and (blank := _VERBOSE_BLANK.match(self.pattern, self.at)):
            self.at = blank.end()
        elif char == "\\":
            escape = _ESCAPE.match(self.pattern, self.at)
            self.atom(escape.end() if escape else self.at + 1)
        elif char == "[":
            self.atom(self.class_end())
        elif char == "(":
            self.open()
        elif char == ")":
            self.close()
        elif char == "{":
            self.brace()
        elif char in "*+?|":
            self.at += 1
        else:
            self.atom(self.at + 1)

    def atom(self, end: int, weight: int = 1) -> None:
        self.settle()
        self.last, self.at = weight, end

    def settle(self) -> None:
        self.sums[-1] += self.last
        self.last = 0

    def open(self) -> None:
        if self.pattern.startswith("(?#", self.at):
            end = self.pattern.find(")", self.at)
            self.at = len(self.pattern) if end < 0 else end + 1
            return
        self.refuse_forms()
        flags = _FLAGS.match(self.pattern, self.at)
        if flags and flags.group().endswith(")"):
            self.at = flags.end()
            return
        self.settle()
        self.sums.append(0)
        if len(self.sums) > NESTING_LIMIT:
            raise Unsupported(f"A matcher can nest at most {NESTING_LIMIT} groups.")
        group = _GROUP.match(self.pattern, self.at)
        self.at = group.end() if group else self.at + 1

    def refuse_forms(self) -> None:
        if _RECURSION.match(self.pattern, self.at):
            raise Unsupported("A matcher cannot call itself or another group, as (?R), (?1) and (?&name) do.")
        flags = _FLAGS.match(self.pattern, self.at)
        if flags and "V1" in flags.group():
            raise Unsupported("The flag V1 is not available in a matcher.")
        # Elsewhere the flag would change how the rest, or all, of the pattern has to be read.
        if flags and "x" in flags.group(1) and self.at >= self.leading:
            raise Unsupported("The flag x must stand at the very start of a matcher, as (?x).")

    def close(self) -> None:
        self.settle()
        inside = self.sums.pop() if len(self.sums) > 1 else 0
        self.last, self.at = max(inside, 1), self.at + 1

    def brace(self) -> None:
        count = _COUNT.match(self.pattern, self.at)
        if count and (count[1] or count[3]):
            self.last *= max(1, int((count[3] or count[1])[:9]))
            self.at = count.end()
        elif _FUZZY.match(self.pattern, self.at):
            raise Unsupported(
                "Fuzzy matching, as in {e<=1}, is not available in a matcher. Write a literal brace as \\{."
            )
        else:
            self.atom(self.at + 1)

    def class_end(self) -> int:
        at = self.at + 1
        if self.pattern.startswith("^", at):
            at += 1
        first = at
        while at < len(self.pattern):
            char = self.pattern[at]
            if char == "]" and at > first:
                return at + 1
            posix = _POSIX.match(self.pattern, at)
            at = posix.end() if posix else at + (2 if char == "\\" else 1)
        return at
