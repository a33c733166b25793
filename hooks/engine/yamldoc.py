"""Configuration documents: YAML as people mean it, read safely and written readably.

Read with the booleans of YAML 1.2 (`true` and `false` only), so that `on`, `off`, `yes` and `12:30` stay texts.
"""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from hooks.engine.errors import Fault, Invalid
from hooks.engine.strictjson import clean
from hooks.engine.yamlwriter import BLOCK, Writer

LIMIT = 1024 * 1024
NODES = 100_000
DEPTH = 100


class _Loader(yaml.SafeLoader):
    """SafeLoader without surprises: no implicit dates or yes/no, no merge keys, no key twice, no alias bombs."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.nodes = self.depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        with self._one_more(self.get_mark()):
            return super().compose_node(parent, index)

    def construct_document(self, node: Any) -> Any:
        # An alias hands back a node that was counted before, so what it stands for is counted as it is built.
        self.nodes = 0
        return super().construct_document(node)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        with self._one_more(node.start_mark):
            # Built afresh at each alias: no shared objects, so a change to one cannot change another, and no cycles.
            value = super().construct_object(node, deep=True)
            self.constructed_objects.pop(node, None)
            return value

    @contextmanager
    def _one_more(self, mark: Any) -> Iterator[None]:
        self.nodes += 1
        if self.nodes > NODES:
            raise _wrong(f"more than {NODES:,} values", mark)
        if self.depth == DEPTH:
            raise _wrong(f"nested more than {DEPTH} deep", mark)
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        if not isinstance(node, yaml.MappingNode):
            raise _wrong("this is no mapping", node.start_mark)
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _wrong("a key must be a text", key_node.start_mark)
            key = _paired(key_node.value)
            if key in found:
                raise _wrong(f"the key {key[:100]!r} stands twice", key_node.start_mark)
            found[key] = self.construct_object(value_node, deep=True)
        return found


def _wrong(problem: str, mark: Any) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, mark)


def _map(loader: _Loader, node: Any) -> Any:
    return loader.construct_mapping(node)


def _str(loader: _Loader, node: Any) -> str:
    return _paired(loader.construct_scalar(node))


def _paired(text: str) -> str:
    """Join the halves of letters written as in JSON, `"\\ud83d\\ude00"`; what stays alone becomes U+FFFD."""
    return text if clean(text) == text else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _seq(loader: _Loader, node: Any) -> list[Any]:
    return loader.construct_sequence(node, deep=True)


def _scalar(read: Callable[[str], Any], pattern: "re.Pattern[str]") -> Callable[[_Loader, Any], Any]:
    def construct(loader: _Loader, node: Any) -> Any:
        text = loader.construct_scalar(node)
        if not pattern.fullmatch(text):
            raise _wrong(f"{text[:100]!r} does not fit its tag, or is too long", node.start_mark)
        try:
            return read(text)
        except ValueError as error:
            raise _wrong(str(error), node.start_mark) from None

    return construct


def _other(loader: _Loader, node: Any) -> Any:
    raise _wrong(f"the tag {node.tag!r} is not allowed here", node.start_mark)


def _whole(text: str) -> int:
    return int(text, 16) if "x" in text else int(text)  # decimal even with leading zeros, as YAML 1.2 has it


def _real(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


_TAG = "tag:yaml.org,2002:"
_Loader.yaml_implicit_resolvers = {}
# The types that JSON has, and no others: a date or a set could not be passed on.
_Loader.yaml_constructors = {
    None: _other,
    f"{_TAG}map": _map,
    f"{_TAG}seq": _seq,
    f"{_TAG}str": _str,
}
for _name, _pattern, _first, _read in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF", lambda text: text.lower() == "true"),
    ("null", r"~|null|Null|NULL|", "~nN", lambda text: None),
    ("int", r"[-+]?[0-9]{1,4000}|0x[0-9a-fA-F]{1,64}", "-+0123456789", _whole),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+0123456789.", _real),
):
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(rf"^(?:{_pattern})$"), list(_first))
    _Loader.add_constructor(_TAG + _name, _scalar(_read, re.compile(_pattern)))
_Loader.yaml_implicit_resolvers[""] = [(f"{_TAG}null", re.compile("^$"))]


def load(source: str | bytes) -> Any:
    """Read one document. Raises Invalid with one fault that names line and column."""
    size = len(source) if isinstance(source, bytes) else len(source.encode("utf-8", "replace"))
    if size > LIMIT:
        raise Invalid([Fault("", "too_large", f"The document has {size:,} bytes; at most {LIMIT:,} are allowed.")])
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source.removeprefix("\ufeff")
        loader = _Loader(clean(text))
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except UnicodeDecodeError as error:
        raise Invalid([Fault("", "malformed", f"The document is not UTF-8 at byte {error.start}.")]) from None
    except yaml.MarkedYAMLError as error:
        raise Invalid([Fault("", "malformed", _sentence(error))]) from None
    except yaml.reader.ReaderError as error:
        message = f"The character at position {error.position} is not allowed in YAML."
        raise Invalid([Fault("", "malformed", message)]) from None
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise Invalid([Fault("", "malformed", f"The document is not YAML: {error}.")]) from None


def _sentence(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    where = f"Line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{where}{str(error.problem or error.context)[:300]}."


class _Dumper(yaml.SafeDumper):
    """SafeDumper that writes texts of several lines as blocks, and never an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def analyze_scalar(self, scalar: str) -> Any:
        analysis = super().analyze_scalar(scalar)
        # PyYAML quotes a text with a blank at a line's end, which a block holds as well and shows better.
        analysis.allow_block = analysis.allow_block or bool(BLOCK.fullmatch(scalar))
        return analysis


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    # Outside double quotes, the rarer line ends (NEL, U+2028) would be folded away.
    style = '"' if not BLOCK.fullmatch(value) else "|" if "\n" in value else None
    return dumper.represent_scalar(f"{_TAG}str", value, style=style)


_Dumper.add_representer(str, _text)
# A text is quoted where either this reader or one of YAML 1.1 would take it for something else.
_Dumper.yaml_implicit_resolvers = {
    first: _Loader.yaml_implicit_resolvers.get(first, []) + yaml.SafeDumper.yaml_implicit_resolvers.get(first, [])
    for first in {*_Loader.yaml_implicit_resolvers, *yaml.SafeDumper.yaml_implicit_resolvers}
}


def dump(value: Any) -> str:
    """Write one document, keys in the order given, scripts as block scalars."""
    return _WRITER.write(value)


class _Quoter(_Dumper):
    """Writes every text in double quotes, on one line."""


_Quoter.add_representer(str, lambda dumper, text: dumper.represent_scalar(f"{_TAG}str", text, style='"'))


def _one_line(value: Any, dumper: type[_Dumper] = _Dumper) -> str:
    text: str = yaml.dump(value, Dumper=dumper, allow_unicode=True, width=math.inf)
    return text.removesuffix("\n").removesuffix("\n...")


_WRITER = Writer(_one_line, lambda text: _one_line(text, _Quoter))
