"""What a test is of: a stored hook, a form that is not saved yet, or a hook of a custom agent's draft."""

from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks import services
from hooks.engine.errors import Invalid
from hooks.models import Hook, TestRun
from hooks.testforms import TestForm
from hooks.views.telling import panel
from portal.errors import NotFound
from portal.http import wants_fragment
from portal.pages import PageRequest, go
from portal.templatetags.pages import address

OWN_FIELDS = {
    "csrfmiddlewaretoken",
    "using",
    "sample",
    "evaluation",
    "context",
    "transcript",
    "again",
    "as_enabled",
    "place",
}
OF_THE_PAGE = {"find", "touched", "try"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """`body` is its part of a test run's body, and `definition` what that becomes where it is to be tested as if enabled.

    `action` is where the form posts, together with the fields of the form `fields` of the page behind (a selector); without
    scripts they are `carried` along. `place` names the hook in that form, where it has several. `back` is what closing leads
    to, `opener` what gets the focus then.
    """

    title: str
    event: str
    body: dict[str, Any]
    definition: dict[str, Any]
    action: str
    back: str
    opener: str
    tag: str
    fields: str = ""
    carried: list[tuple[str, str]] = field(default_factory=list)
    of: Hook | None = None
    place: str = ""
    enabled: bool = True
    on_demand: bool = False


def carried(request: PageRequest) -> list[tuple[str, str]]:
    """What the form behind the page posted, to be posted again with the choice."""
    aside = OWN_FIELDS | OF_THE_PAGE
    return [(name, value) for name, values in request.POST.lists() if name not in aside for value in values]


def choose_and_begin(request: PageRequest, subject: Subject) -> HttpResponse:
    """Ask what to test with; once that was chosen, begin, and show the run."""
    agent = request.frame.agent
    samples = list(agent.samples.filter(event=subject.event).only("name", "event", "description", "expected"))
    earlier = earlier_run(request)
    chosen = bool(request.POST.get("using"))
    form = TestForm(request.POST if chosen else None, samples=samples, run=earlier)
    if chosen and (run := _begin(request, subject, form, earlier)):
        return panel(request, run) if wants_fragment(request) else go(request, address(request, "hooks:run", run.pk))
    template = "hooks/_test.html" if wants_fragment(request) else "hooks/test.html"
    shown = {"form": form, "subject": subject, "evaluations": recent(agent, subject.event, chosen_of(form))}
    return render(request, template, shown, status=422 if form.is_bound else 200)


def earlier_run(request: PageRequest) -> TestRun | None:
    """The run whose choice is to be made again, or changed."""
    wanted = request.POST.get("again") or request.GET.get("again")
    try:
        return services.find_test_run(agent=request.frame.agent, run_id=wanted) if wanted else None
    except NotFound:
        return None


def _begin(request: PageRequest, subject: Subject, form: TestForm, earlier: TestRun | None) -> TestRun | None:
    as_enabled = {"definition": {**subject.definition, "enabled": True}} if request.POST.get("as_enabled") else {}
    what = {**{key: value for key, value in subject.body.items() if not (as_enabled and key == "hook")}, **as_enabled}
    given = dict(earlier.input) if earlier and request.POST["using"] == "again" else form.input()
    if form.errors:
        return None
    try:
        return services.create_test_run(
            agent=request.frame.agent, body={**what, **given}, of=subject.of, by=request.actor
        )
    except Invalid as invalid:
        form.blame(invalid.faults)
    return None


def chosen_of(form: TestForm) -> str:
    return str(form["evaluation"].value() or "")


def recent(agent: Any, event: str, chosen: str = "", find: str = "") -> list[tuple[Any, bool]]:
    """Evaluations of the log to test with, the newest first, each with whether it is chosen."""
    found = services.find_to_replay(agent=agent, event=event, text=find, also=chosen)
    return [(one, one.pk == chosen) for one in found]


def refused(request: PageRequest, *, title: str, faults: list[tuple[str, str]], back: str, opener: str) -> HttpResponse:
    """Say why what is in a form cannot be tested yet, at the same place."""
    template = "hooks/_test_refused.html" if wants_fragment(request) else "hooks/test_draft.html"
    shown = {"title": title, "faults": faults, "back": back, "opener": opener, "what": _("Cannot be tested yet")}
    return render(request, template, shown, status=422)
