"""The grid's query string: what of it is understood, and the addresses of its filters, columns and pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from hooks.engine.events import EVENTS
from hooks.services.grid import COLUMNS, ORDER, Wanted
from hooks.services.health import FAILING, NEAR, NEVER
from portal.translated import _

SEARCH_LIMIT = 100
PAGES_LIMIT = 1000
FACETS = {
    "event": (_("Event"), {name: name for name in EVENTS}),
    "type": (_("Type"), {"prompt": _("Prompt"), "command": _("Command")}),
    "activation": (_("Activation"), {"always": _("Always"), "onDemand": _("On demand")}),
    "state": (_("State"), {"enabled": _("Enabled"), "disabled": _("Disabled")}),
    "health": (_("Health"), {FAILING: _("Failing"), NEVER: _("Never matched"), NEAR: _("Near timeout")}),
}
# Where nobody has said which way, the newest and the most stand first.
DESCENDING = {"last", "blocks"}


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    word: str
    href: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter: the word of the chosen value, "" where there is none, and the address without it."""

    name: str
    label: str
    word: str
    without: str
    choices: list[Choice]


@dataclass(frozen=True, slots=True)
class Column:
    href: str
    sort: str  # ascending, descending, or "" where it does not sort


class GridQuery:
    """Read a query string. What it does not know is left out, so that an old link still shows something.

    `agent` is the name that the addresses must carry, "" where the default agent would serve anyway.
    """

    def __init__(self, given: QueryDict, agent: str = "") -> None:
        self._kept: dict[str, str] = {}
        if search := given.get("q", "").replace("\x00", "").strip()[:SEARCH_LIMIT]:
            self._kept["q"] = search
        for name, (_label, words) in FACETS.items():
            if (value := given.get(name, "")) in words:
                self._kept[name] = value
        sort = given.get("sort", "")
        if sort.removeprefix("-") in COLUMNS and sort != ORDER:
            self._kept["sort"] = sort
        number = given.get("page", "")
        if number.isascii() and number.isdecimal() and len(number) <= 4 and 1 < int(number) <= PAGES_LIMIT:
            self._kept["page"] = str(int(number))
        self._agent = {"agent": agent} if agent else {}

    @property
    def wanted(self) -> Wanted:
        sort = self._kept.get("sort", ORDER)
        return Wanted(
            search=self._kept.get("q", ""),
            sort=sort.removeprefix("-"),
            descending=sort.startswith("-"),
            number=int(self._kept.get("page", "1")),
            **{name: self._kept.get(name, "") for name in FACETS},
        )

    @property
    def facets(self) -> Iterator[Facet]:
        for name, (label, words) in FACETS.items():
            now = self._kept.get(name, "")
            choices = [Choice(value, word, self.href(**{name: value}), value == now) for value, word in words.items()]
            yield Facet(name, label, words.get(now, ""), self.href(**{name: ""}), choices)

    @property
    def columns(self) -> dict[str, Column]:
        return {name: self._column(name) for name in COLUMNS}

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """What the search form has to send along."""
        kept = {name: value for name, value in self._kept.items() if name not in ("q", "page")}
        return list((self._agent | kept).items())

    @property
    def string(self) -> str:
        return urlencode(self._agent | self._kept)

    @property
    def said(self) -> str:
        """Name the filters: «Event: Start, Health: Failing»."""
        said = [f"“{self._kept['q']}”"] if "q" in self._kept else []
        said += [f"{label}: {words[self._kept[name]]}" for name, (label, words) in FACETS.items() if name in self._kept]
        return ", ".join(said)

    @property
    def clear(self) -> str:
        return self.href(q="", **dict.fromkeys(FACETS, ""))

    @property
    def first(self) -> str:
        return self.href()

    @property
    def before(self) -> str:
        return self.href(page=str(self.wanted.number - 1) if self.wanted.number > 2 else "")

    @property
    def after(self) -> str:
        return self.href(page=str(self.wanted.number + 1))

    def href(self, **changed: str) -> str:
        """The address with this changed, from its first page on; "" takes a part out."""
        parts = {**self._agent, **self._kept, "page": "", **changed}
        return "?" + urlencode({name: value for name, value in parts.items() if value})

    @property
    def address(self) -> str:
        path = reverse("hooks:index")
        return f"{path}?{self.string}" if self.string else path

    def focus_after(self, pressed: str) -> str:
        """What has the focus once the grid is new: the filter of which something was picked, else what was pressed."""
        name = pressed.removeprefix("pick-").removeprefix("clear-").partition(":")[0]
        return f"filter-{name}" if name in FACETS and name != pressed else pressed

    def _column(self, name: str) -> Column:
        now = self._kept.get("sort", ORDER)
        sort = "" if now.removeprefix("-") != name else "descending" if now.startswith("-") else "ascending"
        other = f"-{name}" if sort == "ascending" or (not sort and name in DESCENDING) else name
        return Column(self.href(sort="" if name == ORDER else other), sort)
