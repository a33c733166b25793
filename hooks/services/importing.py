"""Hooks of another product's configuration file, stored as agent-level hooks: all of them or none."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction

from hooks import imports, runtime
from hooks.engine.envelope import parse_agent_hook
from hooks.engine.errors import Fault, Invalid, Notice
from hooks.engine.spec import HookSpec
from hooks.imports import Note
from hooks.services.configuration import lock, save_hook
from hooks.services.tools import known_tools
from portal.access.actors import Actor

NAME_LIMIT = 64


@dataclass(slots=True)
class Report:
    """What an import made, or would make. `hooks` are envelopes; `unchanged` names those that were there already."""

    product: str
    hooks: list[dict[str, Any]] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)


def import_hooks(
    *,
    agent: Any,
    source: str | bytes,
    product: str | None = None,
    filename: str | None = None,
    dry_run: bool = False,
    by: Actor,
) -> Report:
    """Read a file and store its hooks under names that are free. One that is there already, equal, stays as it is.

    Raises Invalid with every fault of the file.
    """
    found = imports.read(source, product=product or None, filename=filename or None)
    report = Report(found.product, notes=list(found.notes))
    specs = _specs(agent, found.hooks, report)
    with transaction.atomic():
        lock(agent)
        names = _Names(agent, [spec.name or "" for spec in specs])
        for one in specs:
            name = names.free_for(one)
            if name is None:
                report.unchanged.append(one.name or "")
                continue
            _store(agent, one.model_copy(update={"name": name}), report, by)
            if name != one.name:
                _note_renamed(report, one.name or "", name)
        if dry_run:
            transaction.set_rollback(True)
    return report


def _specs(agent: Any, hooks: list[dict[str, Any]], report: Report) -> list[HookSpec]:
    """Read the envelopes as any other's are. What no hook can be made of is left out, and noted."""
    syntax, tools, specs = runtime.syntax(), known_tools(agent), []
    for hook in hooks:
        one = parse_agent_hook(hook, syntax=syntax, known_tools=tools)
        if one.spec is None:
            told = " ".join(f"{fault.target.removeprefix('properties.')} {fault.message}" for fault in one.faults)
            message = f"It cannot be a hook here, and was left out: {told}"
            report.notes.append(Note("hooks", "no_equal", message, str(hook.get("name"))))
            continue
        specs.append(one.spec)
        report.warnings += [
            Notice(f"{one.spec.name}: {notice.target}", notice.code, notice.message) for notice in one.warnings
        ]
    return specs


def _store(agent: Any, spec: HookSpec, report: Report, by: Actor) -> None:
    try:
        report.hooks.append(save_hook(agent=agent, spec=spec, by=by).after)
    except Invalid as invalid:
        raise Invalid([Fault(f"{spec.name}.{one.target}", one.code, one.message) for one in invalid.faults]) from None


def _note_renamed(report: Report, old: str, new: str) -> None:
    report.notes = [replace(note, hook=new) if note.hook == old else note for note in report.notes]
    message = f"The name {old} is taken by another hook of the agent: it is {new} here."
    report.notes.append(Note("hooks", "translated", message, new))


class _Names:
    """The names of an agent, and those that the file itself will take."""

    def __init__(self, agent: Any, wanted: Collection[str]) -> None:
        rows = agent.hooks.filter(custom_agent=None).values_list("name", "content_hash")
        self._there = {name.lower(): content for name, content in rows}
        self._wanted = {name.lower() for name in wanted}

    def free_for(self, spec: HookSpec) -> str | None:
        """Find a free name, with a number where its own is taken; None where an equal hook is there already."""
        base = spec.name or ""
        name, number = base, 1
        while name.lower() in self._there or (name != base and name.lower() in self._wanted):
            if self._there.get(name.lower()) == spec.model_copy(update={"name": name}).content_hash:
                return None
            number += 1
            name = f"{base[: NAME_LIMIT - len(str(number)) - 1]}-{number}"
        self._there[name.lower()] = ""
        return name
