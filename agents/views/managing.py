"""Manage Hooks: the hooks of a custom agent, edited as a draft in the form and saved as one change."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents import services
from agents.drafts import Draft, Place, changes, items_of
from agents.forms import ItemForm
from agents.linediff import compare
from agents.views.pages import find, tab
from hooks import runtime
from hooks.engine import matcher, yamldoc
from hooks.engine.errors import Notice
from hooks.engine.events import EVENTS
from hooks.engine.parsing import parse_lists
from hooks.services import etag, hook_lists, known_tools
from hooks.views.checking import checked_of
from hooks.views.preview import Tester, tester_of
from portal.errors import PreconditionFailed
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

CHANGED = gettext_lazy(
    "Somebody changed this custom agent meanwhile. Your draft is kept, compared below with what is stored now."
)


class Desk:
    """One request of the page: the draft, what is open in it, and what there is to say."""

    def __init__(self, request: PageRequest, found: Any) -> None:
        self.request, self.found = request, found
        self.stored = hook_lists(found)
        self.draft = Draft({event: [dict(item) for item in items] for event, items in self.stored.items()})
        self.etag = etag(found)
        self.editing: Place | None = None
        self.form: ItemForm | None = None
        self.faults: list[tuple[str, str]] = []
        self.said = self.focus = self.conflict = ""
        self.diff: list[Any] = []
        self.status = 200

    def load(self) -> None:
        """Take up the draft that the form carried."""
        posted = self.request.POST
        self.draft = Draft.read(posted.get("draft", ""))
        self.etag = posted.get("etag", "")[:100]
        self.editing = Place.read(posted.get("editing", ""))
        if self.editing:
            self.form = ItemForm(posted, event=self.editing.event, item=self.draft.at(self.editing))

    def apply(self) -> bool:
        """Put what is open into the draft; tell whether it could be."""
        if self.editing is None or self.form is None:
            return True
        parsed = self.form.read(syntax=runtime.syntax(), known_tools=self._tools())
        if parsed.spec is None:
            self.status = 422
            return False
        place = self.draft.put(self.editing, self.form.written(parsed.spec))
        self.focus = f"edit-{place.event}-{place.index}"
        self.said = _("Kept in the draft")
        self.close()
        return True

    def close(self) -> None:
        if self.editing is not None:
            index = self.editing.index
            self.focus = self.focus or (
                f"add-{self.editing.event}" if index is None else f"edit-{self.editing.event}-{index}"
            )
        self.editing = self.form = None

    def do(self, verb: str, place: Place | None) -> None:
        if verb == "diff":
            self.diff = self.compared()
            self.said = "" if self.diff else _("Nothing differs from what is stored")
        if place is None:
            return
        label = str((self.draft.at(place) or {}).get("name") or f"{place.event}[{place.index}]")
        if verb in ("edit", "add"):
            self.editing = place if verb == "edit" and self.draft.at(place) is not None else Place(place.event, None)
            self.form = ItemForm(event=place.event, item=self.draft.at(self.editing))
            self.focus = "id_name"
        elif verb in ("up", "down"):
            now = self.draft.move(place, -1 if verb == "up" else 1)
            last = len(self.draft.of(place.event)) - 1
            end = (verb == "up" and now.index == 0) or (verb == "down" and now.index == last)
            self.focus = f"{ ({'up': 'down', 'down': 'up'}[verb] if end else verb) }-{now.event}-{now.index}"
            self.said = _moved(label, now, last + 1)
        elif verb == "to":
            now = self.draft.move_to(place, self._wanted())
            self.focus = f"handle-{now.event}-{now.index}"
            self.said = _moved(label, now, len(self.draft.of(place.event)))
        elif verb == "clone":
            now = self.draft.clone(place)
            self.focus, self.said = f"edit-{now.event}-{now.index}", _("{hook} cloned").format(hook=label)
        elif verb == "delete":
            self.draft.delete(place)
            self.focus, self.said = f"add-{place.event}", _("{hook} will be deleted when you save").format(hook=label)
        elif verb == "toggle":
            self.draft.toggle(place)
            self.focus = f"toggle-{place.event}-{place.index}"

    def _wanted(self) -> int:
        given = self.request.POST.get("to", "")
        return int(given) if given.isdecimal() and len(given) < 4 else 0

    def tester(self, warnings: list[Notice]) -> Tester | None:
        """What the matcher does that is typed where a hook is open."""
        if self.form is None or not self.form.with_matcher:
            return None
        pattern, tried = str(self.form["matcher"].value() or ""), self.request.POST.get("try", "")
        return tester_of(pattern[: matcher.PATTERN_LIMIT], self._tools(), tried[: matcher.PATTERN_LIMIT], warnings)

    def checked(self) -> dict[str, Any]:
        """What is wrong or doubtful in the fields of `touched`, and what the matcher does."""
        if self.form is None:
            return {"checked": []}
        parsed = self.form.read(syntax=runtime.syntax(), known_tools=self._tools())
        touched = [name for name in self.request.POST.get("touched", "").split(",")[:50] if name in self.form.fields]
        return {"checked": checked_of(self.form, touched, parsed.warnings), "tester": self.tester(parsed.warnings)}

    def save(self) -> bool:
        parsed = parse_lists(
            self.draft.lists,
            path="spec.hooks",
            level="customAgent",
            syntax=runtime.syntax(),
            known_tools=self._tools(),
        )
        if parsed.faults:
            self.status = 422
            self.faults = [("", f"{fault.target} {fault.message}") for fault in parsed.faults]
            return False
        version = self.etag.strip('"').rpartition(".")[2]
        expected = int(version) if version.isdecimal() and len(version) < 10 else 0
        try:
            services.set_hooks(
                custom_agent=self.found, lists=parsed.hooks, expected_version=expected, by=self.request.actor
            )
        except PreconditionFailed:
            self.found = find(self.request, self.found.name)
            self.stored, self.etag, self.status = hook_lists(self.found), etag(self.found), 409
            self.conflict, self.diff = str(CHANGED), self.compared()
            return False
        for notice in parsed.warnings:
            messages.warning(self.request, _("Saved, with a warning.") + f" {notice.target}: {notice.message}")
        return True

    def compared(self) -> list[Any]:
        before = {event: items for event, items in self.stored.items() if items}
        after = {event: items for event, items in self.draft.lists.items() if items}
        return compare(yamldoc.dump(before) if before else "", yamldoc.dump(after) if after else "")

    def shown(self) -> dict[str, Any]:
        rows = self.request.frame.agent.hooks.filter(custom_agent=None).order_by("position", "pk")
        above: dict[str, list[Any]] = {event: [] for event in EVENTS}
        for hook in rows:
            above.setdefault(hook.event, []).append(hook)
        sections = [
            (event, above[event], items_of(self.draft, event, sum(hook.enabled for hook in above[event])))
            for event in EVENTS
        ]
        return {
            "desk": self,
            "tester": self.tester([]),
            "sections": sections,
            "changes": changes(self.stored, self.draft.lists),
            "own": sum(len(items) for items in self.draft.lists.values()),
            "custom_agent": self.found,
        }

    def summary(self) -> list[tuple[str, str]]:
        return self.faults

    def _tools(self) -> list[str]:
        own = self.found.spec.get("tools")
        named = [tool for tool in own if isinstance(tool, str)] if isinstance(own, list) else []
        return list(dict.fromkeys([*known_tools(self.request.frame.agent), *named]))


def _moved(label: str, now: Place, of: int) -> str:
    return _("{hook} is now number {place} of {count}").format(hook=label, place=(now.index or 0) + 1, count=of)


@page("write", post="write", methods=(), section="custom_agents")
def check(request: PageRequest, name: str) -> HttpResponse:
    """Check the hook that is open in the draft, as one leaves its fields."""
    desk = Desk(request, find(request, name))
    desk.load()
    return render(request, "agents/_item_check.html", desk.checked())


@page("read", post="write", section="custom_agents")
def hooks(request: PageRequest, name: str) -> HttpResponse:
    desk = Desk(request, find(request, name))
    if request.method == "POST":
        desk.load()
        verb, _colon, where = request.POST.get("do", "apply").partition(":")
        if verb == "close":
            desk.close()
        elif desk.apply():
            if verb == "save" and desk.save():
                messages.success(request, _("Hooks of {name} saved").format(name=desk.found.name))
                return go(request, address(request, "agents:hooks", desk.found.name))
            desk.do(verb, Place.read(where))
    if wants_fragment(request):
        return render(request, "agents/_hooks.html", desk.shown(), status=desk.status)
    return tab(request, "hooks", desk.found, desk.shown(), status=desk.status)
