"""What to test with: samples, a context of one's own, or an evaluation of the log."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from hooks.models import SampleContext, TestRun
from hooks.sampleforms import CODE, CONTEXT_HELP, TRANSCRIPT_HELP, ContextForm, pretty
from portal.specforms import Choice, Text

ALL, SOME, OWN, REAL = "all", "samples", "context", "evaluation"
LISTED = 200
FEW = 10


class Names(forms.Field):
    """Names, each from a box of its own."""

    widget = forms.SelectMultiple

    def to_python(self, value: Any) -> list[str]:
        return [str(name) for name in value or []]


class TestForm(ContextForm):
    """`samples` are those that fit the hook's event; `run` is one whose choice is to be made again."""

    __test__ = False

    using = Choice(label=_("Test with"), choices=(), widget=forms.RadioSelect({"class": "visually-hidden"}))
    sample = Names(label=_("Samples"), required=False)
    evaluation = Text(label=_("Evaluation"), widget=forms.TextInput({"class": "form-control"}))
    context = Text(label=_("Context"), widget=forms.Textarea(CODE | {"rows": 8}), help_text=CONTEXT_HELP)
    transcript = Text(label=_("Transcript"), widget=forms.Textarea(CODE | {"rows": 3}), help_text=TRANSCRIPT_HELP)

    def __init__(
        self, data: Any = None, *, samples: Sequence[SampleContext], run: TestRun | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data, auto_id="test_%s", initial=chosen_in(run, samples) or first(samples), **kwargs)
        self.samples, count = samples, len(samples)
        every = [(ALL, _("All samples (%d)") % count)] if count > 1 else []
        some = [(SOME, _("Choose samples") if count > 1 else _("The sample"))] if count else []
        ways = [*every, *some, (OWN, _("A context")), (REAL, _("A real evaluation"))]
        cast("Choice", self.fields["using"]).offer(ways)

    def field_of(self, target: str) -> str:
        return "sample" if target.split("[", 1)[0] == "samples" else super().field_of(target)

    @property
    def boxes(self) -> list[tuple[SampleContext, bool]]:
        """The samples that are listed, each with whether it is chosen."""
        given = self.initial.get("sample") or []
        if self.is_bound and isinstance(self.data, MultiValueDict):
            given = self.data.getlist("sample")
        return [(sample, sample.name in given) for sample in self.samples[:LISTED]]

    @property
    def unlisted(self) -> int:
        return max(0, len(self.samples) - LISTED)

    @property
    def using_now(self) -> str:
        return str(self["using"].value() or "")

    def input(self) -> dict[str, Any]:
        """The part of a test run's body that says what to test with."""
        self.is_valid()
        given = self.cleaned_data
        if given["using"] == ALL:
            return {"samples": "all"}
        if given["using"] == SOME:
            names = given["sample"]
            if not names:
                self.add_error("sample", gettext("Choose at least one sample."))
            return {"samples": names}
        if given["using"] == REAL:
            chosen = (given["evaluation"] or "").strip()
            if not chosen:
                self.add_error("evaluation", gettext("Choose an evaluation."))
            return {"evaluation": chosen}
        return {"context": self.json_of("context"), "transcript": self.transcript_of()}


def first(samples: Sequence[SampleContext]) -> dict[str, Any]:
    """What is chosen when nobody has chosen yet: all samples where they are few, else the first."""
    using = OWN if not samples else ALL if 1 < len(samples) <= FEW else SOME
    return {"using": using, "sample": [sample.name for sample in samples[:1]]}


def chosen_in(run: TestRun | None, samples: Sequence[SampleContext]) -> dict[str, Any]:
    """Fill the form as it was for an earlier run."""
    given: Mapping[str, Any] = run.input if run else {}
    if "evaluation" in given:
        return {"using": REAL, "evaluation": given["evaluation"]}
    if "context" in given:
        transcript = given.get("transcript")
        shown = transcript if isinstance(transcript, str) or transcript is None else pretty(transcript)
        return {"using": OWN, "context": pretty(given["context"]), "transcript": shown}
    if "samples" in given:
        names = given["samples"]
        every = len(names) > 1 and set(names) == {sample.name for sample in samples}
        return {"using": ALL if every else SOME, "sample": names}
    return {}
