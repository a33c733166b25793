"""Two test runs of a hook, side by side: what was decided, why, how long it took, what was printed."""

from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, Prefetch
from django.db.models.functions import MD5, Cast
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks import services
from hooks.models import Evaluation, HookResult, TestRun
from hooks.views.telling import before
from hooks.words import Badge, badge_for
from portal.audit.lines import compare as compare_lines
from portal.errors import NotFound
from portal.pages import PageRequest, page
from portal.shown import clamped

PAIRS = 200
PRINTED = 20_000
WHOLE = ("context", "transcript", "reason", "additional_context")


@dataclass(frozen=True, slots=True)
class Side:
    """What one run made of a context. `printed` and `reason` stand for the texts: equal where those are."""

    evaluation: Evaluation
    badge: Badge
    reason: str
    printed: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A context and what each run made of it; None where a run did not have it."""

    name: str
    old: Side | None
    new: Side | None

    @property
    def same_decision(self) -> bool:
        return bool(self.old and self.new and self.old.badge == self.new.badge)

    @property
    def differs(self) -> list[str]:
        """What differs, in words."""
        if not (self.old and self.new):
            return [_("only in one of the two")]
        found = [] if self.same_decision else [_("decision")]
        found += [] if self.old.reason == self.new.reason else [_("reason")]
        return found + ([] if self.old.printed == self.new.printed else [_("output")])


@page("read", section="hooks")
def compare(request: PageRequest, run_id: str) -> HttpResponse:
    """Compare a run with the one that `?with=` names, else with the one before it of the same hook."""
    agent = request.frame.agent
    new = services.find_test_run(agent=agent, run_id=run_id)
    other = request.GET.get("with", "")
    old = services.find_test_run(agent=agent, run_id=other) if other else before(new)
    if old is None:
        raise NotFound(_("There is no earlier test run of this hook to compare with."))
    if old.pk > new.pk:
        old, new = new, old
    pairs = pairs_of(old, new)
    chosen = _chosen(pairs, request.GET.get("of", ""))
    told = {"old": old, "new": new, "pairs": pairs, "chosen": chosen, "changes": changes(chosen) if chosen else []}
    told["equal"] = sum(not pair.differs for pair in pairs)
    return render(request, "hooks/compare.html", told)


def pairs_of(old: TestRun, new: TestRun) -> list[Pair]:
    """Pair the results of two runs by sample. Texts of any length are compared by what the database makes of them."""
    hashed = {f"{name}_hash": MD5(Cast(name, CharField())) for name in ("reason", "stdout", "stderr", "model_call")}
    light = HookResult.objects.only("evaluation_id", "index", "outcome").annotate(**hashed)
    kept = Evaluation.objects.filter(test_run__in=[old.pk, new.pk]).order_by("id").defer(*WHOLE)
    sides: dict[str, dict[str, Side]] = {new.pk: {}, old.pk: {}}
    for one in kept.prefetch_related(Prefetch("results", light))[: 2 * PAIRS]:
        results: list[Any] = list(one.results.all())
        printed = "".join(f"{result.stdout_hash}{result.stderr_hash}{result.model_call_hash}" for result in results)
        reason = "".join(str(result.reason_hash) for result in results)
        name = one.sample or (_("evaluation %s") % one.replay_of if one.replay_of else _("context"))
        sides[str(one.test_run_id)][name] = Side(one, badge_for(one, results), reason, printed)
    left, right = sides[old.pk], sides[new.pk]
    return [Pair(name, left.get(name), right.get(name)) for name in dict.fromkeys([*right, *left])]


def _chosen(pairs: list[Pair], wanted: str) -> Pair | None:
    both = [pair for pair in pairs if pair.old and pair.new]
    named = [pair for pair in both if pair.name == wanted]
    return next(iter([*named, *(pair for pair in both if pair.differs), *both]), None)


def changes(pair: Pair) -> list[dict[str, Any]]:
    """What differs between the two results of a context, line by line."""
    keys = [side.evaluation.pk for side in (pair.old, pair.new) if side]
    whole = Evaluation.objects.filter(pk__in=keys).only("reason", "additional_context").prefetch_related("results")
    texts = {one.pk: _texts(one) for one in whole}
    old, new = (texts[key] for key in keys)
    found: list[dict[str, Any]] = []
    for label in {**old, **new}:
        before, after = old.get(label, ""), new.get(label, "")
        if before != after and (lines := compare_lines(clamped(before, PRINTED), clamped(after, PRINTED))):
            found.append({"label": label, "lines": lines})
    return found


def _texts(evaluation: Evaluation) -> dict[str, str]:
    found = {_("Reason"): str(evaluation.reason or ""), _("Added context"): str(evaluation.additional_context or "")}
    for result in evaluation.results.all():
        raw = (result.model_call or {}).get("raw") or ""
        parts = {_("Error"): result.error_message, "stdout": result.stdout, "stderr": result.stderr}
        for label, text in {**parts, _("The model’s answer"): raw}.items():
            found[label] = found.get(label, "") + str(text)
    return found
