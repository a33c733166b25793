"""What to test and with what: the body of a test run, checked before anything is queued."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks import runtime
from hooks.engine.errors import Fault, Invalid, Notice
from hooks.engine.events import EVENTS, suggestion
from hooks.engine.parsing import parse
from hooks.engine.results import Level
from hooks.models import Hook
from hooks.services.requests import read_context
from hooks.services.tools import known_tools

TARGETS = ("hook", "customAgent", "definition")
INPUTS = ("sample", "samples", "evaluation", "context")
FIELDS = (*TARGETS, "event", "index", *INPUTS, "transcript")


@dataclass(slots=True, kw_only=True)
class Test:
    """A test that can be run. `event` is the target's, "" for all hooks; `hook` the stored hook, where it is one.

    `name` and `custom_agent` are what people call the hook, and whose it is; "" where there is nothing to say.
    """

    __test__ = False

    target: dict[str, Any]
    event: str = ""
    hook: Hook | None = None
    name: str = ""
    custom_agent: str = ""
    input: dict[str, Any] = field(default_factory=dict)
    total: int = 0
    warnings: list[Notice] = field(default_factory=list)


def read_test(agent: Any, body: object) -> Test:
    """Check a test run's body against what is stored. Raises Invalid, TooLarge."""
    if not isinstance(body, Mapping):
        raise Invalid([Fault("", "invalid_type", "The body must be an object: what to test, and with what.")])
    given = {str(key): value for key, value in body.items() if value is not None}
    faults = [
        Fault(
            key[:100],
            "unknown_field",
            f"{key[:100]!r} is no field of a test run{suggestion(key, dict.fromkeys(FIELDS))}",
        )
        for key in given
        if key not in FIELDS
    ]
    test = Test(target={})
    faults += _target(agent, given, test)
    faults += _input(agent, given, test)
    if faults:
        raise Invalid(faults)
    return test


def _target(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    named = [key for key in TARGETS if key in given]
    if named == ["customAgent", "definition"]:
        return _unsaved_of_custom_agent(agent, given, test)
    if len(named) > 1:
        return [Fault(named[1], "exclusive", f"cannot stand beside {named[0]}: name one thing to test.")]
    if not named:
        if "evaluation" in given or "context" in given:
            return []  # all hooks that apply, as a live event would find them
        return [Fault("hook", "required", "is required: name a hook, a custom agent's hook or a definition to test.")]
    return {"hook": _hook, "customAgent": _custom_agent_hook, "definition": _definition}[named[0]](agent, given, test)


def _hook(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    name = given["hook"]
    hook = find_by_name(agent, name) if isinstance(name, str) else None
    if hook is None:
        return [Fault("hook", "not_found", f"There is no agent-level hook {str(name)[:64]!r}.")]
    test.target, test.event, test.hook, test.name = {"hook": hook.name}, hook.event, hook, hook.name
    return []


def find_by_name(agent: Any, name: str) -> Hook | None:
    """Find an agent-level hook, in any case; None where there is none."""
    found: Hook | None = None
    if "\x00" not in name:
        found = agent.hooks.filter(custom_agent=None, name__iexact=name).first()
    return found


def _custom_agent_hook(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    name, event, index = given["customAgent"], given.get("event"), given.get("index")
    faults = []
    if not isinstance(event, str) or event not in EVENTS:
        faults.append(Fault("event", "invalid_choice", f"is required: one of {', '.join(EVENTS)}."))
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < 1000:
        faults.append(Fault("index", "invalid_type", "is required: the place of the hook in its list, from 0 on."))
    custom_agent = _find_custom_agent(agent, name)
    if custom_agent is None:
        return [_no_custom_agent(name), *faults]
    if faults:
        return faults
    hook = custom_agent.hooks.filter(event=event, position=index).first()
    if hook is None:
        return [Fault("index", "not_found", f"{custom_agent.name!r} has no hook {event}[{index}].")]
    test.target = {"customAgent": custom_agent.name, "event": event, "index": index}
    test.event, test.hook, test.name, test.custom_agent = str(event), hook, hook.label, custom_agent.name
    return []


def _find_custom_agent(agent: Any, name: object) -> Any:
    if not isinstance(name, str) or "\x00" in name:
        return None
    return agent.custom_agents.filter(name__iexact=name).first()


def _no_custom_agent(name: object) -> Fault:
    return Fault("customAgent", "not_found", f"There is no custom agent {str(name)[:64]!r}.")


def _definition(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    return _parsed(given, test, "agent", known_tools(agent))


def _unsaved_of_custom_agent(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    """Read a definition that is to be tested as a hook of a custom agent, at the place `index` of its list."""
    name, index = given["customAgent"], given.get("index", 0)
    custom_agent = _find_custom_agent(agent, name)
    faults = [] if custom_agent else [_no_custom_agent(name)]
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < 1000:
        faults.append(Fault("index", "invalid_type", "must be the place of the hook in its list, from 0 on."))
    own = custom_agent.spec.get("tools") if custom_agent else None
    faults += _parsed(given, test, "customAgent", [*known_tools(agent), *(own if isinstance(own, list) else [])])
    if not faults:
        test.target |= {"customAgent": custom_agent.name, "index": index}
        test.name, test.custom_agent = test.name or f"{test.event}[{index}]", custom_agent.name
    return faults


def _parsed(given: Mapping[str, Any], test: Test, level: Level, tools: list[str]) -> list[Fault]:
    parsed = parse(given["definition"], path="definition", level=level, syntax=runtime.syntax(), known_tools=tools)
    test.warnings = parsed.warnings
    if parsed.spec is None:
        return parsed.faults
    test.target, test.event = {"definition": dict(given["definition"])}, parsed.spec.event
    test.name = parsed.spec.name or ""
    return []


def _input(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    named = [key for key in INPUTS if key in given]
    if len(named) > 1:
        return [Fault(named[1], "exclusive", f"cannot stand beside {named[0]}: name one thing to test with.")]
    if not named:
        message = "is required: name a sample, samples, an evaluation or a context to test with."
        return [Fault("sample", "required", message)]
    if "transcript" in given and named[0] != "context":
        return [Fault("transcript", "not_allowed", "belongs to a context: a sample and an evaluation have their own.")]
    read = {"sample": _samples, "samples": _samples, "evaluation": _evaluation, "context": _context}[named[0]]
    return read(agent, given, test)


def _samples(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    """Read `sample: name`, or `samples`: "all" or a list of names."""
    if given.get("samples") == "all":
        names = list(agent.samples.filter(event=test.event).values_list("name", flat=True)) if test.event else []
        if test.event and not names:
            return [Fault("samples", "not_found", f"There is no sample context for {test.event}.")]
        test.input, test.total = {"samples": names}, len(names)
        return []
    key = "sample" if "sample" in given else "samples"
    wanted = given[key] if isinstance(given[key], list) else [given[key]]
    if not wanted or not all(isinstance(name, str) for name in wanted):
        return [
            Fault(
                key,
                "invalid_type",
                "must be the name of a sample." if key == "sample" else "must be all, or a list of names.",
            )
        ]
    found = {sample.name.lower(): sample for sample in agent.samples.only("name", "event")}
    faults, names = [], []
    for name in wanted:
        sample = found.get(name.lower())
        if sample is None:
            faults.append(Fault(key, "not_found", f"There is no sample context {name[:64]!r}."))
        elif test.event and sample.event != test.event:
            faults.append(
                Fault(key, "contradiction", _other_event(f"The sample {sample.name!r}", sample.event, test.event))
            )
        else:
            names.append(sample.name)
    test.input, test.total = {"samples": names}, len(names)
    return faults


def _evaluation(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    wanted = given["evaluation"]
    found = None
    if isinstance(wanted, str) and "\x00" not in wanted:
        found = agent.evaluations.filter(pk=wanted).first()
    if found is None:
        return [Fault("evaluation", "not_found", f"There is no evaluation {str(wanted)[:64]!r}.")]
    if test.event and found.event != test.event:
        return [Fault("evaluation", "contradiction", _other_event("The evaluation", found.event, test.event))]
    test.input, test.total = {"evaluation": found.pk}, 1
    return []


def _context(agent: Any, given: Mapping[str, Any], test: Test) -> list[Fault]:
    raw = given["context"]
    if isinstance(raw, Mapping):
        raw = complete(raw, event=test.event, agent_name=test.custom_agent or agent.name)
    try:
        request = read_context(raw, given.get("transcript"))
    except Invalid as invalid:
        return invalid.faults
    if test.event and request.event != test.event:
        return [
            Fault("context.hook_event_name", "contradiction", _other_event("The context", request.event, test.event))
        ]
    test.input, test.total = {"context": dict(raw), "transcript": given.get("transcript")}, 1
    return []


def complete(context: Mapping[str, Any], *, event: str, agent_name: str) -> dict[str, Any]:
    """Fill in what a context for a test may leave out, since the test says it already."""
    known = {"hook_event_name": event} if event else {}
    return {**known, "agent_name": agent_name, **context}


def _other_event(what: str, event: str, wanted: str) -> str:
    return f"{what} is of the event {event}; the hook is for {wanted}."
