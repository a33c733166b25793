"""Builder → Hooks → Import: another product's file looked at, then imported."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from hooks import services
from hooks.engine.errors import Invalid
from hooks.importform import ImportForm
from hooks.imports import PRODUCTS
from portal.pages import PageRequest, page
from portal.translated import _

LEVELS = {"check": _("Look at this"), "no_equal": _("Left out"), "translated": _("Written differently")}


@page("write", post="write", section="hooks")
def imports(request: PageRequest) -> HttpResponse:
    """Show what would be made of a file; `do=import` makes it. Doing it twice makes nothing twice."""
    if request.method != "POST":
        return render(request, "hooks/imports.html", {"form": ImportForm()})
    form, dry_run = ImportForm(request.POST, request.FILES), request.POST.get("do") != "import"
    given = form.given()
    try:
        report = services.import_hooks(agent=request.frame.agent, dry_run=dry_run, by=request.actor, **given)
    except Invalid as invalid:
        form.blame(invalid.faults)
        return render(request, "hooks/imports.html", {"form": form}, status=422)
    shown = {"form": _kept(given), "report": report, "done": not dry_run, "notes": _by_level(report)}
    return render(request, "hooks/imports.html", shown | {"product": PRODUCTS[report.product].title})


def _kept(given: dict[str, Any]) -> ImportForm:
    """Keep the file's text in the form, since a browser does not send an upload again."""
    source = given["source"]
    text = source.decode("utf-8-sig") if isinstance(source, bytes) else source
    return ImportForm(initial={**given, "source": text})


def _by_level(report: services.Report) -> list[tuple[str, str, list[Any]]]:
    """Sort the notes, those that a person must act on first."""
    notes = [(level, title, [note for note in report.notes if note.level == level]) for level, title in LEVELS.items()]
    return [group for group in notes if group[2]]
