"""Fields of a hook's form, checked as one leaves them, by the same rules that a save has."""

import re
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from hooks import runtime, services
from hooks.engine.errors import Notice
from hooks.forms import HookForm
from portal.pages import PageRequest, page
from portal.shown import sentence
from portal.specforms import SpecForm
from portal.troubles import MEANINGS, watch

CODE = ("script", "command")
_LINE = re.compile(r"\bline (\d{1,6}): *")


@dataclass(frozen=True, slots=True)
class CodeState:
    """Whether a script parses. Without the sandbox nobody can tell."""

    fault: str = ""
    line: int = 0
    known: bool = True


@dataclass(frozen=True, slots=True)
class Checked:
    field: Any
    doubts: list[str]
    code: CodeState | None = None


@page("write", post="write", methods=(), section="hooks")
def check(request: PageRequest) -> HttpResponse:
    """Answer the faults and warnings of the fields in `touched`, each for the place below its field."""
    form = HookForm(request.POST)
    touched = [name for name in request.POST.get("touched", "").split(",")[:50] if name in form.labels]
    parsed = form.read(syntax=runtime.syntax(), known_tools=services.known_tools(request.frame.agent))
    return render(request, "hooks/_check.html", {"checked": checked_of(form, touched, parsed.warnings)})


def checked_of(form: SpecForm, touched: list[str], warnings: list[Notice]) -> list[Checked]:
    """Say of each field what is wrong or doubtful, once the form was read."""
    doubts: dict[str, list[str]] = {}
    for notice in warnings:
        name = form.field_of(notice.target)
        doubts.setdefault(name, []).append(sentence(str(form.labels.get(name, name)), notice.message))
    return [Checked(form[name], doubts.get(name, []), _code(form, name)) for name in dict.fromkeys(touched)]


def _code(form: SpecForm, name: str) -> CodeState | None:
    if name not in CODE or not form[name].value():
        return None
    said = next((str(text) for text in form.errors.get(name, [])), "")
    if not said:
        return CodeState(known=MEANINGS["sandbox"] not in watch.troubles())
    line = _LINE.search(said)
    return CodeState(said[line.end() :] if line else said, int(line[1]) if line else 0)
