"""How entries are shown: what a page reads of them, and the line of each hook that fired."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.models import Thread, ThreadEntry
from agents.playground import words
from agents.playground.entries import Kind
from agents.playground.examples import EXAMPLES
from hooks.words import ERROR_BLOCKED, LET_PASS, OUTCOMES, Badge, badge_of

SHOWN = 200
ATTEMPTS_DRAWN = 10


@dataclass(frozen=True, slots=True)
class Line:
    """One hook that fired, or all of those together that had nothing against it."""

    names: str
    owner: str
    badge: Badge
    reason: str
    duration_ms: float
    cost: float | None


def read(thread: Thread, *, since: int | None = None, before: int | None = None) -> list[ThreadEntry]:
    """Read the last entries, or what changed since a revision; without the whole texts, which may be megabytes."""
    found = thread.entries.defer("text")
    if since is not None:
        # What changed after the thread was read is for the next look, which asks from its revision on.
        return list(found.filter(revision__gt=since, revision__lte=thread.revision).order_by("number"))
    if before is not None:
        found = found.filter(number__lt=before)
    return list(found.order_by("-number")[:SHOWN])[::-1]


def sentence_of(entry: ThreadEntry) -> str:
    """The words of a notice, or the line that explains a step."""
    if entry.kind == Kind.STEP:
        example = EXAMPLES.get(entry.data.get("example", ""))
        step = entry.data.get("step", 0)
        return str(example.steps[step].explain) if example and step < len(example.steps) else ""
    return words.notice_of(entry.data.get("code", ""), entry.data.get("detail", ""))


def is_trouble(entry: ThreadEntry) -> bool:
    return entry.data.get("code") in words.TROUBLE


def lines_of(data: dict[str, Any]) -> list[Line]:
    """Show each hook of an evaluation in running order; where none objected, all in one line."""
    hooks = data["hooks"]
    quiet = [one for one in hooks if one["outcome"] in ("allow", "none")]
    if hooks and len(quiet) == len(hooks):
        return [_together(data, hooks)]
    return [_line(data, one) for one in hooks]


def _together(data: dict[str, Any], hooks: list[dict[str, Any]]) -> Line:
    costs = [one["costUsd"] for one in hooks if one["costUsd"] is not None]
    badge = badge_of(hooks[0]["outcome"])
    if len(hooks) > 1:
        count = len(hooks)
        said = (
            ngettext("%(count)d had no opinion", "%(count)d had no opinion", count)
            if all(one["outcome"] == "none" for one in hooks)
            else ngettext("%(count)d allowed", "%(count)d allowed", count)
        )
        badge = Badge(badge.look, badge.icon, said % {"count": count})
    names = ", ".join(one["name"] for one in hooks)
    return Line(names, "", badge, "", data["durationMs"], sum(costs) if costs else None)


def _line(data: dict[str, Any], one: dict[str, Any]) -> Line:
    owner = _("of the custom agent") if one["level"] == "customAgent" else ""
    badge, reason = badge_of(one["outcome"], data["event"]), one["reason"]
    if one["outcome"] == "error":
        badge = ERROR_BLOCKED if data["decision"] in ("block", "deny") else LET_PASS
        reason = one["error"]
    elif one["outcome"] == "skipped":
        badge, reason = OUTCOMES["skipped"], _("The limit of rejections is reached, so it is not asked any more.")
    return Line(one["name"], owner, badge, reason, one["durationMs"], one["costUsd"])


def attempt_of(data: dict[str, Any]) -> dict[str, Any] | None:
    """«attempt 2 of 3», with the boxes that draw it; None where an answer went out at once."""
    attempt, limit = data.get("attempt"), data.get("limit")
    if attempt is None or (attempt == 1 and data["decision"] == "allow"):
        return None
    rejected = data["decision"] == "block"
    boxes = [number < attempt - (not rejected) for number in range(min(limit or 0, ATTEMPTS_DRAWN))]
    return {
        "number": attempt,
        "limit": limit,
        "rejected": rejected,
        "before": attempt - 1,
        "boxes": [(13 * number + 0.5, full) for number, full in enumerate(boxes)],
        "width": 13 * len(boxes),
    }
