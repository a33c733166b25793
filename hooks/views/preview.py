"""What the editor shows beside the form: the hook as YAML, and which tools its matcher hits."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.data import YamlLexer

from hooks import services
from hooks.engine import matcher, yamldoc
from hooks.engine.envelope import KIND, ParsedEnvelope, parse_agent_hook
from hooks.engine.errors import Notice
from hooks.forms import HookForm
from hooks.models import Hook
from hooks.services import stored
from portal.errors import NotFound
from portal.pages import PageRequest, page
from portal.shown import clamped, sentence

YAML_LIMIT = 20_000
COMPARED, LISTED = 2_000, 40
SECONDS = 0.5  # for all known tools together; one match alone may take a fifth of that (R5)
HAS_MATCHER = ("PreToolUse", "PostToolUse")


@dataclass(frozen=True, slots=True)
class Tester:
    """What a matcher does with the tools that are known, and with one that somebody tries."""

    pattern: str
    fault: str = ""
    warning: str = ""
    known: int = 0
    hits: Sequence[str] = ()
    misses: Sequence[str] = ()
    tried: str = ""
    tried_hits: bool = False

    @property
    def listed(self) -> list[tuple[str, bool]]:
        return [*((name, True) for name in self.hits), *((name, False) for name in self.misses)][:LISTED]

    @property
    def unlisted(self) -> int:
        return len(self.hits) + len(self.misses) - len(self.listed)

    @property
    def left_out(self) -> int:
        """How many were not compared, for want of time or because there are too many."""
        return 0 if self.fault else self.known - len(self.hits) - len(self.misses)


@dataclass(frozen=True, slots=True)
class Preview:
    yaml: SafeString
    whole: bool
    valid: bool
    tester: Tester | None


@page("read", post="read", methods=(), section="hooks")
def preview(request: PageRequest) -> HttpResponse:
    form = HookForm(request.POST)
    shown = preview_of(request, form, _hook(request), tried=request.POST.get("try", "")[: matcher.PATTERN_LIMIT])
    return render(request, "hooks/_preview.html", {"preview": shown})


def preview_of(request: PageRequest, form: HookForm, hook: Hook | None = None, tried: str = "") -> Preview:
    """Show what is in the form, whether it is valid or not. `hook` is the one that it would be saved as."""
    given = form.given()
    fires_on_tools = given.get("event") in HAS_MATCHER
    tools = services.known_tools(request.frame.agent) if fires_on_tools else []
    parsed = parse_agent_hook(form.envelope(), known_tools=tools[:COMPARED])
    text = yamldoc.dump(document_of(form, parsed, hook))
    return Preview(
        yaml=coloured(text),
        whole=len(text) <= YAML_LIMIT,
        valid=parsed.spec is not None,
        tester=tester_of(str(given.get("matcher") or ""), tools, tried, parsed.warnings) if fires_on_tools else None,
    )


def document_of(form: HookForm, parsed: ParsedEnvelope, hook: Hook | None) -> dict[str, Any]:
    """Write the hook as an import takes it; while something is wrong with it, as it was typed."""
    if parsed.spec is None:
        raw = form.envelope()
        return {"name": raw["name"], "type": KIND, "properties": raw["properties"]}
    row = Hook(tags=hook.tags if hook else [], owner=hook.owner if hook else "")
    stored.apply(row, parsed.spec)
    shown = stored.document(row)
    if not row.description:
        del shown["properties"]["description"]
    return {key: value for key, value in shown.items() if value}


def coloured(text: str) -> SafeString:
    """Colour YAML with classes. Pygments escapes what it is given."""
    return SafeString(highlight(clamped(text, YAML_LIMIT), YamlLexer(), HtmlFormatter(nowrap=True)))  # nosec


def _hook(request: PageRequest) -> Hook | None:
    try:
        return services.find_hook(agent=request.frame.agent, name=request.POST.get("was", ""))
    except NotFound:
        return None


def tester_of(pattern: str, tools: list[str], tried: str, warnings: Sequence[Notice]) -> Tester:
    """Try a matcher on the tools that are known, and on one that somebody tries."""
    warning = next((one.message for one in warnings if one.target.endswith("matcher")), "")
    known, tried = len(tools), tried.strip("\r\n")
    hits: list[str] = []
    misses: list[str] = []
    until = time.monotonic() + SECONDS
    try:
        if pattern:
            matcher.check(pattern)
        tried_hits = bool(tried) and matcher.matches(pattern, tried)
        for tool in tools[:COMPARED]:
            if time.monotonic() > until:
                break
            (hits if matcher.matches(pattern, tool[: matcher.PATTERN_LIMIT]) else misses).append(tool)
    except matcher.InvalidMatcher as invalid:
        return Tester(pattern, fault=sentence(_("Tool matcher"), str(invalid)), known=known, tried=tried)
    return Tester(pattern, "", warning, known, hits, misses, tried, tried_hits)
