"""What is true of a product and of its events, as data; and a hook as a product writes it, in common terms."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from hooks.imports.handler import Handler

EVERY = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEvent:
    """How one event of a product reads here. The programs' texts run in the adapter (see `adapter`).

    event      the portal's event
    payload    the product's field names, each with an expression over `context`
    answer     statements that set `decision`, `reason` and `added`; "" where the product heeds no answer
    exit_2     whether exit 2 is an objection in the product
    when       a condition over `context` without which the product would not have run the hook
    tools      the matcher here, where the product has an event of its own for some tools
    filters    an expression: what the product's matcher is compared with, where that is not the tool's name
    matcher    whether the product has a matcher on this event at all
    note       what differs, in a sentence for people
    """

    event: Literal["Start", "PreToolUse", "PostToolUse", "Stop"]
    payload: Mapping[str, str]
    answer: str = ""
    exit_2: bool = True
    when: str = ""
    tools: str = ""
    filters: str = ""
    matcher: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One hook of a source. `timeout` is in seconds; `disabled` says why it cannot be used as it is, in sentences."""

    path: str
    source_event: str
    type: str
    command: str = ""
    prompt: str = ""
    matcher: str | None = None
    timeout: float | None = None
    name: str = ""
    description: str = ""
    fail_mode: Literal["allow", "block"] = "allow"
    limit: int | None = None
    disabled: tuple[str, ...] = ()


def off_by_switch(root: Mapping[str, Any]) -> Collection[str]:
    """Return EVERY where the file turns all of its hooks off."""
    return (EVERY,) if root.get("disableAllHooks") is True else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """An agent product whose configuration can be read.

    folders      where its files lie, to know it by
    file         the usual name of its file
    events       those that have an equal; `others` are known, and have none
    grouped      whether hooks stand in groups that share a matcher
    anchored     whether its matcher must match the whole name, as here
    words        whether a plain word as matcher means the whole name, though other patterns need not
    seconds      its timeout where a hook sets none
    entry        reads one handler; None where it has no equal (it notes why)
    marks        texts that only this product's files contain
    renamed      payload fields that a prompt may name, with what they are called here
    off          names or commands of hooks that the file turns off, or EVERY
    beside       keys among the events that are none
    """

    key: str
    title: str
    folders: tuple[str, ...]
    file: str
    events: Mapping[str, SourceEvent]
    others: frozenset[str]
    grouped: bool
    entry: "Callable[[Handler], Entry | None]"
    renamed: Mapping[str, str]
    anchored: bool = False
    words: bool = True
    seconds: float = 30
    marks: tuple[str, ...] = ()
    off: Callable[[Mapping[str, Any]], Collection[str]] = off_by_switch
    beside: frozenset[str] = field(default_factory=frozenset)
