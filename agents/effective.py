"""Which hooks would run on an event, in which order, and why each other one would not.

It asks the functions that an evaluation asks: `applicable` for what is enabled and active, `fires` for what matches.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import gettext as _

from agents.models import CustomAgent
from hooks.engine import matcher, pipeline
from hooks.engine.events import EVENTS
from hooks.engine.results import Candidate
from hooks.models import Hook, ThreadHook
from hooks.services import stored, threads
from hooks.services.loading import applicable

LISTED = 300


@dataclass(frozen=True, slots=True)
class Firing:
    """A hook that would run. `number` is its place in the merged order; `error` says why it could only fail."""

    number: int
    hook: Hook
    candidate: Candidate
    skipped: bool = False
    error: str = ""
    hits: list[tuple[str, bool]] = field(default_factory=list)

    @property
    def timeout(self) -> int:
        return self.candidate.spec.timeout if self.candidate.spec and not self.skipped else 0

    @property
    def fail_mode(self) -> str:
        return self.candidate.spec.fail_mode if self.candidate.spec else self.candidate.fail_mode


@dataclass(frozen=True, slots=True)
class Silent:
    """A hook that would not run. `code` is one of disabled, on_demand, paused, matcher, event, level."""

    hook: Hook
    code: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """`far` are hooks of other events and of other custom agents, `more` of which there may be.

    `limit` is how many rejections a thread may have, None where there is no such limit.
    """

    event: str
    tool: str
    agent: list[Firing]
    custom_agent: list[Firing]
    silent: list[Silent]
    far: list[Silent]
    more: bool
    limit: int | None
    rejections: int

    @property
    def total(self) -> int:
        return len(self.agent) + len(self.custom_agent)

    @property
    def waits(self) -> tuple[int, int]:
        """The longest that each level may take, in seconds."""
        first, second = (max((one.timeout for one in level), default=0) for level in (self.agent, self.custom_agent))
        return first, second

    @property
    def wait(self) -> int:
        return sum(self.waits)


def explain(agent: Any, custom_agent: CustomAgent, *, event: str, tool: str = "", thread: str = "") -> Explanation:
    """Explain one event of a custom agent, as configured now. Runs nothing."""
    active = list(applicable(agent, event, custom_agent, thread))
    candidates = [(hook, stored.candidate(hook)) for hook in active]
    rejections = threads.rejections(agent=agent, key=thread) if thread and event == "Stop" else 0
    limit = pipeline.rejection_limit([one for _, one in candidates]) if event == "Stop" else None
    at_limit = limit is not None and rejections >= limit
    firing: list[Firing] = []
    silent: list[Silent] = []
    for hook, candidate in sorted(candidates, key=lambda pair: pair[1].level != "agent"):
        reason = _add(firing, hook, candidate, event, tool, at_limit)
        if reason:
            silent.append(Silent(hook, "matcher", reason))
    near, far, more = _others(agent, custom_agent, event, tool, thread, active)
    return Explanation(
        event=event,
        tool=tool,
        agent=[one for one in firing if one.candidate.level == "agent"],
        custom_agent=[one for one in firing if one.candidate.level == "customAgent"],
        silent=sorted(silent + near, key=lambda one: (one.hook.custom_agent_id is not None, one.hook.position)),
        far=far,
        more=more,
        limit=limit,
        rejections=rejections,
    )


def _add(firing: list[Firing], hook: Hook, candidate: Candidate, event: str, tool: str, at_limit: bool) -> str:
    """Put a hook among those that fire, or say why its matcher does not hit."""
    error, pattern = candidate.fault, _pattern(hook)
    try:
        if not pipeline.fires(candidate, event, tool):
            return missed(pattern, tool)
    except matcher.InvalidMatcher as invalid:
        error = str(invalid)
    skipped = at_limit and hook.type == "prompt" and not error
    hits = _hits(pattern, tool) if EVENTS[event].tool and not error else []
    firing.append(Firing(len(firing) + 1, hook, candidate, skipped, error, hits))
    return ""


def _others(
    agent: Any, custom_agent: CustomAgent, event: str, tool: str, thread: str, active: Sequence[Hook]
) -> tuple[list[Silent], list[Silent], bool]:
    """Say why the hooks that are not even active stay out: those of this event, then a bounded list of the rest."""
    others = Hook.objects.filter(agent=agent).exclude(pk__in=[hook.pk for hook in active])
    here = others.filter(Q(custom_agent=None) | Q(custom_agent=custom_agent), event=event)
    states = ThreadHook.objects.filter(thread__agent=agent, thread__key=thread, hook=OuterRef("pk"))
    here = here.annotate(active_here=Subquery(states.values("active")[:1])).order_by("position", "pk")
    near = [_inactive(hook, tool, thread) for hook in here]
    rest = others.exclude(pk__in=[one.hook.pk for one in near]).select_related("custom_agent").defer("options")
    far = list(rest.order_by("custom_agent__name", "event", "position", "pk")[: LISTED + 1])
    return near, [_elsewhere(hook, custom_agent, event) for hook in far[:LISTED]], len(far) > LISTED


def _inactive(hook: Any, tool: str, thread: str) -> Silent:
    if not hook.enabled:
        return Silent(hook, "disabled", _("Disabled.") + _would_hit(hook, tool))
    if hook.active_here is False:
        return Silent(hook, "paused", _("Paused in this thread.") + _would_hit(hook, tool))
    asleep = _("On demand, and not activated in this thread.")
    new = _("On demand, and not activated in a new thread.")
    return Silent(hook, "on_demand", (asleep if thread else new) + _would_hit(hook, tool))


def _elsewhere(hook: Hook, custom_agent: CustomAgent, event: str) -> Silent:
    if hook.custom_agent_id not in (None, custom_agent.pk):
        return Silent(hook, "level", _("Only while {custom_agent} runs").format(custom_agent=hook.custom_agent))
    return Silent(hook, "event", _("For {event}, not for {asked}").format(event=hook.event, asked=event))


def _would_hit(hook: Hook, tool: str) -> str:
    if not EVENTS[hook.event].tool:
        return ""
    try:
        hits = matcher.matches(_pattern(hook), tool)
    except matcher.InvalidMatcher:
        return " " + _("Its matcher cannot be used.")
    return " " + (_("Its matcher would hit.") if hits else _("Its matcher would not hit either."))


def _pattern(hook: Hook) -> str:
    return str(hook.options.get("matcher") or "")


def missed(pattern: str, tool: str) -> str:
    return (_("{pattern} does not match {tool}") if tool else _("{pattern} has no tool name to match")).format(
        pattern=f"^({pattern})$", tool=tool
    )


def _hits(pattern: str, tool: str) -> list[tuple[str, bool]]:
    """Split a pattern of plain alternatives, and tell which of them hit; any other pattern hits as a whole."""
    if pattern == "*" or any(char in pattern for char in "()[]{}\\") or pattern.count("|") > 50:
        return [(pattern, True)]
    return [(part, matcher.matches(part, tool)) for part in pattern.split("|")]
