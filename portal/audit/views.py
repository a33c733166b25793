"""Monitor → Audit log: who changed what, when and from where. For admins."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks.engine.errors import Fault, Invalid
from portal.audit import checking, exporting, reading, verifying
from portal.audit.changes import changes
from portal.audit.filters import FAMILIES, NAMES, Filters, read
from portal.audit.listing import rows_of
from portal.audit.verbs import Verb
from portal.errors import Malformed
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

ROWS = 50
SLICE = 20_000
SALT = "portal.audit.walk"
NUMBER = 18  # digits


@page("admin", section="audit")
def index(request: PageRequest) -> HttpResponse:
    shown: dict[str, Any] = {"given": _given(request.GET), "faults": [], "check": checking.last_check()}
    shown["retention"] = settings.AUDIT_RETENTION_DAYS
    try:
        wanted = read(request.GET, agent=request.frame.agent, whole_days=True)
        before, after = _number(request.GET, "before"), _number(request.GET, "after")
    except Invalid as invalid:
        shown["faults"] = invalid.faults
        return render(request, "audit/index.html", _with_choices(shown), status=400)
    found = reading.read_page(agent=request.frame.agent, wanted=wanted, top=ROWS, before=before, after=after)
    here, mark, query = address(request, "audit:index").partition("?")
    shown |= {"rows": rows_of(found.events), "place": here, "query": mark + query}
    shown |= {"found": found, "active": _active(request, wanted), "more": before or after}
    shown["links"] = {name: _link(request, wanted, name, getattr(found, name)) for name in ("older", "newer")}
    return render(request, "audit/index.html", _with_choices(shown))


@page("admin", section="audit")
def event(request: PageRequest, sequence: int) -> HttpResponse:
    """One event with what it changed: a page of its own, and what unfolds in the list."""
    found = reading.find(agent=request.frame.agent, sequence=min(sequence, 2**62))
    made, left_out = changes(found.before, found.after)
    shown = {"event": found, "changes": made, "left_out": left_out}
    return render(request, "audit/_event.html" if wants_fragment(request) else "audit/event.html", shown)


@page("admin", post="admin", methods=(), section="audit")
def export(request: PageRequest) -> HttpResponse:
    """Download exactly what the filters select."""
    format = request.POST.get("format", "")
    if format not in exporting.KINDS:
        raise Malformed("The format must be csv or jsonl.")
    try:
        wanted = read(request.POST, agent=request.frame.agent, whole_days=True)
    except Invalid as invalid:
        raise Malformed(f"{invalid.faults[0].target} {invalid.faults[0].message}") from None
    return exporting.export(agent=request.frame.agent, wanted=wanted, format=format, by=request.actor)  # type: ignore[arg-type, return-value]


@page("admin", post="admin", methods=(), section="audit")
def verify(request: PageRequest) -> HttpResponse:
    """Walk the chain: all of it, or for a script that shows how far it is, a part at a time."""
    if not wants_fragment(request):
        messages.success(request, _said(checking.check_chain()))
        return go(request, address(request, "audit:index"))
    walk = verifying.go_on(_walked(request), limit=SLICE)
    if not walk.done:
        return render(request, "audit/_chain.html", {"walk": walk, "walked": _sealed(walk)})
    if walk.broken:
        walk = verifying.verify()  # a purge may have taken away meanwhile what seemed to be missing
    return render(request, "audit/_chain.html", {"check": checking.keep(walk), "announce": True})


def _said(check: Any) -> str:
    if check.broken_at:
        return _("The chain is broken: %(message)s") % {"message": check.message}
    return _("All %(count)s entries hold") % {"count": f"{check.count:,}"}


def _walked(request: PageRequest) -> verifying.Walk:
    """How far the walk came, as the portal itself had signed it; else its beginning."""
    try:
        return verifying.Walk(*signing.loads(request.POST.get("walk", ""), salt=SALT, max_age=600))
    except (signing.BadSignature, TypeError):
        return verifying.begin()


def _sealed(walk: verifying.Walk) -> str:
    return signing.dumps([walk.count, walk.sequence, walk.hash, walk.end], salt=SALT)


def _given(query: QueryDict) -> dict[str, str]:
    return {name: query.get(name, "") for name in NAMES}


def _number(query: QueryDict, name: str) -> int | None:
    value = query.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) <= NUMBER):
        raise Invalid([Fault(name, "invalid", "is no place in the log: follow the links from page to page.")])
    return int(value)


def _with_choices(shown: dict[str, Any]) -> dict[str, Any]:
    kinds = [(family, [verb for verb in Verb if verb.value.partition(".")[0] == family]) for family in FAMILIES]
    return shown | {"kinds": kinds}


def _active(request: PageRequest, wanted: Filters) -> list[tuple[str, str, str]]:
    """The filters that are set: name, value, and the address without each."""
    return [
        (name, str(Verb(value).label) if value in Verb.values else value, _address(request, wanted, without=name))
        for name, value in wanted.given.items()
    ]


def _link(request: PageRequest, wanted: Filters, name: str, place: int | None) -> str:
    if place is None:
        return ""
    return _address(request, wanted, **{"before" if name == "older" else "after": str(place)})


def _address(request: PageRequest, wanted: Filters, *, without: str = "", **more: str) -> str:
    kept = {name: value for name, value in wanted.given.items() if name != without}
    return address(request, "audit:index", query=kept | more)
