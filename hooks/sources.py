"""What made a decision, in words."""

from typing import Any

from django.utils.translation import gettext as _

from hooks.models import Evaluation, Source

ERRORS = {
    "timeout": "timed out",
    "exit_code": "ended with an exit code of its own",
    "signal": "was ended by a signal",
    "could_not_start": "could not start",
    "output_not_json": "did not answer in JSON",
    "output_too_large": "answered too much",
    "invalid_decision": "gave no valid decision",
    "invalid_matcher": "has a matcher that cannot be used",
    "invalid_hook": "is no valid hook any more",
    "model_error": "got no answer of the model",
    "sandbox_unavailable": "had no sandbox",
}


def source_of(one: Evaluation) -> str:
    """Say in a few words what decided; "" where that was not recorded yet."""
    said: dict[str, Any] = {
        Source.HOOK: one.source_hook,
        Source.FAIL_MODE: _("Fail mode of %(hook)s") % {"hook": one.source_hook},
        Source.NO_OBJECTION: _("No hook objected"),
        Source.LIMIT: _("Limit of rejections"),
        Source.NO_HOOK: _("No hook matched"),
        Source.HOOKS_OFF: _("All hooks off"),
    }
    return str(said.get(one.source, ""))


def told(one: Evaluation) -> str:
    """Say in a sentence what decided."""
    given = {"hook": one.source_hook, "error": ERRORS.get(one.source_error, one.source_error)}
    if one.source == Source.HOOK:
        return _("Decided by the hook %(hook)s.") % given
    if one.source == Source.FAIL_MODE and one.decision in ("block", "deny"):
        return _("Decided by the fail mode of %(hook)s, which %(error)s: block.") % given
    if one.source == Source.FAIL_MODE:
        return _("No hook objected; %(hook)s %(error)s, and its fail mode let it pass.") % given
    said = {
        Source.NO_OBJECTION: _("No hook objected."),
        Source.LIMIT: _("The limit of rejections was reached, so prompt hooks could no longer reject."),
        Source.NO_HOOK: _("No hook matched."),
        Source.HOOKS_OFF: _("All hooks were off, so none was run."),
    }
    return str(said.get(one.source, ""))  # type: ignore[call-overload]
