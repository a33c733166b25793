"""How large a regular expression becomes when its counted repeats are written out (R5).

`(?:x{9999}){9999}` is short, and fills gigabytes while it compiles, so this reads it beforehand. Only the shape counts:
atoms, groups, character classes, escapes, comments and `{n,m}`. What else is wrong, the compiler says.

`expansion` counts as R5 says. `copies` counts what the compiler makes, which also unrolls `+`, so that thirty groups
nested as `((a+)+)+` would fill the memory too. Neither must ever come out too low, so a form that the compiler may read
in another way is refused, or counted as the several atoms that its characters would be.
"""

import re
from collections.abc import Callable

NESTING_LIMIT = 100  # the compiler gives up at some depth that depends on its caller's
FOLDED_CLASS = 32  # with the flag f a class holds the hundred letters that fold to several

_LEADING_FLAGS = re.compile(r"(?:\(\?[A-Za-z0-9]+\))*")
_FLAGS = re.compile(r"\(\?([A-Za-z0-9]*(?:-[A-Za-z]+)?)[:)]")
_FULL_CASE = re.compile(r"\(\?[A-Za-z0-9]*f")
_RECURSION = re.compile(r"\(\?(?:R|[-+]?[0-9]|&|P>|P&)")
_COMMENT = re.compile(r"\(\?#(?:\\.|[^\\)])*\)", re.DOTALL)
_GROUP = re.compile(
    r"\((?:\?(?:P?<\w+>|<?[=!]|[>|]|P=\w+|\(\w+\)|(?=\(\?<?[=!])|[A-Za-z0-9]*(?:-[A-Za-z]+)?:)|\*[A-Z]+|(?![?*]))"
)
_COUNT = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")
_BROKEN_COUNT = re.compile(r"\{[0-9,]*[\s#]")
_FUZZY = re.compile(r"\{[0-9des<=+,\si]*[ides]")
_ESCAPE = re.compile(r"\\(?:[pP]\{\^?[A-Za-z0-9_ ]+(?:[:=][A-Za-z0-9_]+)?\}|N\{[A-Za-z0-9 -]+\}|.)", re.DOTALL)
_POSIX = re.compile(r"\[:\^?[A-Za-z0-9]+:\]")
_VERBOSE_BLANK = re.compile(r"(?:\s|#[^\n]*(?:\n|\Z))+")


class Unsupported(Exception):
    """The pattern uses a form that matchers do not have."""


def expansion(pattern: str) -> int:
    """Count the atoms of `pattern`, each as often as the counted repeats around it multiply to. Raises Unsupported."""
    return _Reader(pattern, lambda least, most: max(1, most)).read()


def copies(pattern: str) -> int:
    """Count the atoms of `pattern` as the compiler copies them: each repeat once, and once more for each time it must be.

    Raises Unsupported.
    """
    class_weight = FOLDED_CLASS if _FULL_CASE.search(pattern) else 1
    return _Reader(pattern, lambda least, most: least + 1, class_weight).read()


class _Reader:
    def __init__(self, pattern: str, weight: Callable[[int, int], int], class_weight: int = 1) -> None:
        self.pattern, self.at = pattern, 0
        self.class_weight = class_weight
        self.weight = weight  # of a repeat, from its least and its greatest count
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
            self.atom(self.class_end(), self.class_weight)
        elif char == "(":
            self.open()
        elif char == ")":
            self.close()
        elif char == "{":
            self.brace()
        elif char in "*+?|":
            self.last *= self.weight(1, 1) if char == "+" else 1
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
            comment = _COMMENT.match(self.pattern, self.at)
            self.at = comment.end() if comment else len(self.pattern)
            return
        self.refuse_forms()
        flags = _FLAGS.match(self.pattern, self.at)
        if flags and flags.group().endswith(")"):
            self.at = flags.end()
            return
        group = _GROUP.match(self.pattern, self.at)
        if group is None:
            raise Unsupported(f"A matcher cannot have a group that begins with {self.pattern[self.at : self.at + 5]}.")
        self.settle()
        self.sums.append(0)
        if len(self.sums) > 1 + NESTING_LIMIT:
            raise Unsupported(f"A matcher can nest at most {NESTING_LIMIT} groups.")
        self.at = group.end()

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
        if self.verbose and _BROKEN_COUNT.match(self.pattern, self.at):
            raise Unsupported("With the flag x, a matcher cannot have blanks or comments within {n,m}.")
        count = _COUNT.match(self.pattern, self.at)
        if count and (count[1] or count[2]):
            least, most = _number(count[1]), _number(count[3])
            self.last *= self.weight(least, max(least, most))
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
            if posix is None and self.pattern.startswith("[:", at):
                raise Unsupported("A matcher has [: within brackets. Write a literal bracket there as \\[.")
            at = posix.end() if posix else at + (2 if char == "\\" else 1)
        return at


def _number(digits: str) -> int:
    return int(digits.lstrip("0")[:9] or 0)
