"""From what people send to a HookSpec, with every fault at its path. Every door calls this: all say the same words."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from hooks.engine.errors import Fault, Notice
from hooks.engine.events import EVENTS, suggestion, unknown_event
from hooks.engine.results import Level
from hooks.engine.spec import OPTIONS, HookSpec, Inspection, SyntaxCheck

HOOKS_LIMIT = 100
NAMED_LIMIT = 100  # of unknown names, of which a hostile input may have millions
IDENTITY = ("name", "description", "enabled")
SNAKE = {
    "fail_mode": "failMode",
    "max_rejections": "maxRejections",
    "activation_mode": "activationMode",
    "event_type": "eventType",
}


@dataclass(slots=True)
class Parsed:
    """A hook, or the faults that it has. Warnings come with either."""

    spec: HookSpec | None = None
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)


@dataclass(slots=True)
class ParsedLists:
    """Hooks by event, in the order of the input. Only to be used when there are no faults."""

    hooks: dict[str, list[HookSpec]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)


def parse(
    raw: object,
    *,
    path: str = "",
    event: str | None = None,
    level: Level = "agent",
    syntax: SyntaxCheck | None = None,
    known_tools: Collection[str] = (),
) -> Parsed:
    """Read one hook: an item of `spec.hooks.{Event}`, or with `event=None` an object that names its event itself."""
    if not isinstance(raw, Mapping):
        return Parsed(faults=[Fault(path, "invalid_type", "must be an object with the options of a hook.")])
    allowed = [*IDENTITY, *OPTIONS] + (["activationMode"] if level == "agent" else []) + ([] if event else ["event"])
    values, faults = normalise(raw, allowed, path, aliases={"eventType": "event"} if event is None else {})
    inspection = Inspection(frozenset(values), syntax, tuple(known_tools), path)
    try:
        spec = HookSpec.model_validate({"event": event, **values}, context=inspection)
    except ValidationError as error:
        # Without a valid event there is no saying which options apply.
        found = [Fault(join(path, str(one["loc"][0])), one["type"], one["msg"]) for one in error.errors()]
        return Parsed(faults=in_order(faults + found, raw, path), warnings=inspection.warnings)
    return Parsed(spec if not faults else None, faults, inspection.warnings)


def parse_lists(
    raw: object,
    *,
    path: str,
    level: Level,
    syntax: SyntaxCheck | None = None,
    known_tools: Collection[str] = (),
) -> ParsedLists:
    """Read `{Event: [hook, …], …}`, as under `spec.hooks`."""
    parsed = ParsedLists()
    if raw is None:
        return parsed
    if not isinstance(raw, Mapping):
        parsed.faults.append(Fault(path, "invalid_type", "must be an object of events, each with a list of hooks."))
        return parsed
    unknown = 0
    for event, items in raw.items():
        where = join(path, str(event)[:100])
        if event not in EVENTS:
            if (unknown := unknown + 1) <= NAMED_LIMIT:
                parsed.faults.append(Fault(where, "unknown_event", unknown_event(str(event))))
        elif not isinstance(items, list):
            parsed.faults.append(Fault(where, "invalid_type", "must be a list of hooks; [] has none."))
        elif len(items) > HOOKS_LIMIT:
            parsed.faults.append(
                Fault(where, "too_many", f"has {len(items):,} hooks; at most {HOOKS_LIMIT} are allowed.")
            )
        else:
            _items(parsed, event, items, where, level, syntax, known_tools)
    return parsed


def _items(
    parsed: ParsedLists,
    event: str,
    items: list[Any],
    where: str,
    level: Level,
    syntax: SyntaxCheck | None,
    known_tools: Collection[str],
) -> None:
    parsed.hooks[event] = []
    for index, item in enumerate(items):
        one = parse(item, path=f"{where}[{index}]", event=event, level=level, syntax=syntax, known_tools=known_tools)
        parsed.faults += one.faults
        parsed.warnings += one.warnings
        if one.spec is not None:
            parsed.hooks[event].append(one.spec)


def normalise(
    raw: Mapping[Any, Any], allowed: Collection[str], path: str, aliases: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], list[Fault]]:
    """Give options their canonical names and drop nulls, which count as absent.

    Unknown names (the first NAMED_LIMIT) and double spellings are faults.
    """
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    spelt: dict[str, str] = {}
    unknown = 0
    for key, value in raw.items():
        name = SNAKE.get(str(key), str(key))
        name = (aliases or {}).get(name, name)
        if name not in allowed:
            if (unknown := unknown + 1) <= NAMED_LIMIT:
                faults.append(Fault(join(path, str(key)[:100]), "unknown_option", _unknown(name, allowed)))
        elif name in spelt:
            faults.append(
                Fault(join(path, name), "twice", f"is given twice, as {spelt[name]} and as {key}: remove one.")
            )
        else:
            spelt[name] = str(key)
            if value is not None:
                values[name] = value
    return values, faults


def _unknown(name: str, allowed: Collection[str]) -> str:
    if name == "activationMode" and "enabled" in allowed:  # not a wrong place in the envelope
        return "applies to agent-level hooks only: a custom agent's hooks are always active while enabled."
    return f"{name[:100]!r} is no option here{suggestion(name, dict.fromkeys(allowed))}"


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def in_order(faults: list[Fault], raw: Mapping[Any, Any], path: str) -> list[Fault]:
    """Sort faults as their options stand in the input; what is missing there comes last."""
    names = [SNAKE.get(str(key), str(key)) for key in raw]
    if "event" not in names:
        names = ["event" if name == "eventType" else name for name in names]
    places = {join(path, name): place for place, name in enumerate(names)}
    return sorted(faults, key=lambda fault: places.get(fault.target, len(places)))
