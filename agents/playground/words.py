"""What the playground says by itself, to people."""

from django.utils.translation import gettext_lazy as _

NOTICES = {
    "agent_gone": _(
        "The custom agent {detail} was deleted while this thread was with it. Nothing is lost: choose another agent "
        "under Settings and go on."
    ),
    "not_judged": _("This could not be put through the hooks: {detail}"),
    "max_turns": _("The agent has taken {detail} turns without a final answer, which is the limit of this thread."),
    "cancelled": _("Cancelled. What was running has been stopped."),
    "lost": _("The worker stopped in the middle of this thread. All that happened before is kept."),
    "failed": _("The portal failed while it worked on this thread. The log says how."),
    "model_error": _("The model gave no answer: {detail}"),
    "model_timeout": _("The model did not answer in time: {detail}"),
    "too_many_calls": _("The model asked for {detail} tools at once; the first 16 are carried out."),
    "cut_off": _("The model reached its own limit of length, so this answer may be cut off."),
    "agent_changed": _("From here on the agent is {detail}."),
    "hook_added": _(
        "The hook {detail} was added to this agent, on demand: it runs only in threads where it is activated."
    ),
    "hook_on": _("The hook {detail} is active in this thread."),
    "example_ended": _("That was the example. Go on by hand below: play the agent yourself."),
}
# Bad news, which the page shows as such.
TROUBLE = {"agent_gone", "not_judged", "max_turns", "lost", "failed", "model_error", "model_timeout"}


def notice_of(code: str, detail: str) -> str:
    """Write the sentence of a notice. The detail is anybody's text, so it is not a format."""
    sentence = str(NOTICES.get(code, "{detail}"))
    return sentence.replace("{detail}", detail)
