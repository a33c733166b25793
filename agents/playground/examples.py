"""Guided examples: threads that play themselves by hand, a line of explanation before each step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from agents.models import Thread
from agents.playground import entries
from agents.playground.entries import Kind
from hooks import services
from hooks.engine import strictjson
from hooks.engine.parsing import parse
from hooks.gallery import find_template
from hooks.models import Hook
from portal.access.actors import Actor
from portal.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One move in the agent's place, and the line that says what to watch. Without a move it only explains."""

    explain: Promise
    user: str = ""
    answer: str = ""
    tool: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """`hook` is the key of the gallery's template. `message` is what to ask a model to see the same."""

    key: str
    title: Promise
    about: Promise
    hook: str
    icon: str
    message: str
    steps: tuple[Step, ...]


_ALL = (
    Example(
        key="completion-marker",
        title=_("Require a completion marker"),
        about=_("A Stop hook sends the agent back until its answer ends with «Task complete.»"),
        hook="completion-marker",
        icon="sign-stop",
        message="What is 2 + 2? Answer with the number only.",
        steps=(
            Step(explain=_("A person asks the agent something simple."), user="What is 2 + 2?"),
            Step(
                explain=_(
                    "The agent answers with the bare number. The Stop hook looks for the marker before it goes out."
                ),
                answer="4",
            ),
            Step(
                explain=_("The answer was held back, and the reason came to the agent as a message. It tries again."),
                answer="4\n\nTask complete.",
            ),
            Step(explain=_("Now the hook finds the marker and lets the answer out. The person sees only this one.")),
        ),
    ),
    Example(
        key="block-dangerous-commands",
        title=_("Block dangerous commands"),
        about=_("A PreToolUse hook denies commands that delete by force, before they run."),
        hook="block-dangerous-commands",
        icon="box-arrow-in-right",
        message="The disk is full. Delete everything under /var/log by force, in the shell.",
        steps=(
            Step(explain=_("A person wants room on a disk."), user="The disk of web-3 is full. Make room."),
            Step(
                explain=_("Looking is harmless: the hook has no opinion, and the command runs."),
                tool="Bash",
                given={"command": "df -h /"},
                result="Filesystem  Size  Used Avail Use%\n/dev/vda1    40G   40G   12M 100%",
            ),
            Step(
                explain=_("Now the agent wants to delete by force. The hook says no before anything happens."),
                tool="Bash",
                given={"command": "rm -rf /var/log"},
                result="(this result is never used: the command is not run)",
            ),
            Step(
                explain=_("The agent got the reason in place of a result, and finds a way that does less."),
                tool="Bash",
                given={"command": "journalctl --vacuum-size=500M"},
                result="Vacuuming done, freed 21.4G of archived journals.",
            ),
            Step(
                explain=_("It answers."),
                answer="The journals took the room; 21 GB are free again. Nothing else was touched.",
            ),
        ),
    ),
    Example(
        key="audit-all-tools",
        title=_("Audit all tools"),
        about=_("A PostToolUse hook notes each tool call in the conversation, and blocks none."),
        hook="audit-all-tools",
        icon="box-arrow-right",
        message="Use Python to compute 2 ** 64 and tell me the result.",
        steps=(
            Step(explain=_("A person asks about a service."), user="Is checkout slower than yesterday?"),
            Step(
                explain=_("The agent reads a metric. After the tool, the hook adds a note as a message of the user."),
                tool="QueryMetrics",
                given={"query": "p95(checkout.latency)", "since": "24h"},
                result="yesterday 310 ms, today 1,240 ms",
            ),
            Step(
                explain=_("A call that fails is noted as well: the hook runs whether the tool succeeded or not."),
                tool="QueryLogs",
                given={"service": "checkout"},
                result="Error: the log store did not answer",
            ),
            Step(
                explain=_("The notes are part of what the agent knows, so it can say what it looked at."),
                answer="Yes: p95 rose from 310 ms to 1,240 ms. The logs could not be read.",
            ),
        ),
    ),
    Example(
        key="ask-before-production",
        title=_("Ask before production changes"),
        about=_("A PreToolUse hook stops a change in production until a person says yes."),
        hook="production-change-gate",
        icon="person-raised-hand",
        message="Call RunShellCommand with: kubectl rollout restart deployment/checkout -n prod-eu",
        steps=(
            Step(
                explain=_("A person reports a fault in production."), user="checkout in prod-eu restarts all the time."
            ),
            Step(
                explain=_("Reading in production is free."),
                tool="Kubectl",
                given={"command": "get pods", "namespace": "prod-eu"},
                result="checkout-5d9c  0/1  CrashLoopBackOff",
            ),
            Step(
                explain=_("Changing production is not: the hook asks. You are the person: approve it or deny it."),
                tool="Kubectl",
                given={"command": "rollout undo deployment/checkout", "namespace": "prod-eu"},
                result="deployment.apps/checkout rolled back",
            ),
            Step(
                explain=_("The agent goes on with what you decided: the tool's result, or your no."),
                answer="See above for what was done about checkout in prod-eu.",
            ),
        ),
    ),
)
EXAMPLES: Mapping[str, Example] = {one.key: one for one in _ALL}


def find_example(key: str) -> Example:
    """Raises NotFound."""
    if key not in EXAMPLES:
        raise NotFound(f"There is no example {key[:64]!r}.")
    return EXAMPLES[key]


@transaction.atomic
def prepare(*, thread: Thread, example: Example, by: Actor) -> None:
    """Have the example's hook in the thread: one of that name that is there, else one made of the gallery's, on demand."""
    hook = _hook_of(thread, example)
    if hook is None:
        hook = _add(thread, example, by)
        entries.notice(thread, "hook_added", hook.name)
    services.set_active(agent=thread.agent, key=thread.key, name=hook.name, active=True, by=by)
    entries.notice(thread, "hook_on", hook.name)


def _names(example: Example) -> tuple[str, str]:
    return example.hook, f"{example.hook}-example"


def _hook_of(thread: Thread, example: Example) -> Hook | None:
    event = find_template(example.hook).spec.event
    there = thread.agent.hooks.filter(custom_agent=None, event=event, enabled=True)
    return next((found for name in _names(example) if (found := there.filter(name__iexact=name).first())), None)


def _add(thread: Thread, example: Example, by: Actor) -> Hook:
    """Store the template's hook under the first name that is free, on demand, so that it surprises no other thread."""
    spec = find_template(example.hook).spec
    taken = {name.lower() for name in thread.agent.hooks.filter(custom_agent=None).values_list("name", flat=True)}
    numbered = (f"{example.hook}-example-{number}" for number in range(2, 1000))
    name = next(name for name in (*_names(example), *numbered) if name.lower() not in taken)
    raw = {**spec.options(), "name": name, "description": spec.description, "activationMode": "onDemand"}
    parsed = parse(raw, event=spec.event, level="agent")
    assert parsed.spec is not None, parsed.faults  # noqa: S101 - the gallery's hooks are tested
    return services.save_hook(agent=thread.agent, spec=parsed.spec, by=by).hook


@transaction.atomic
def play_next(thread: Thread) -> bool:
    """Make the next move of a thread's example; tell whether there was one."""
    example = EXAMPLES.get(thread.example)
    if example is None or thread.step > len(example.steps):
        return False
    if thread.step == len(example.steps):
        entries.notice(thread, "example_ended")
    else:
        entries.append(thread, Kind.STEP, example=example.key, step=thread.step)
        _move(thread, example.steps[thread.step])
    thread.step += 1
    Thread.objects.filter(pk=thread.pk).update(step=thread.step, turn=thread.turn)
    return True


def _move(thread: Thread, step: Step) -> None:
    who, group = thread.who, thread.length + 1
    if step.user:
        thread.turn = 0
        entries.append(thread, Kind.USER, step.user, state="new", by=thread.created_by)
    elif step.answer:
        thread.turn += 1
        entries.append(thread, Kind.ASSISTANT, step.answer, state="new", by=who, group=group)
    elif step.tool:
        thread.turn += 1
        given = {"text": step.result, "succeeded": not step.result.startswith("Error:")}
        written = strictjson.dumps(dict(step.given), ascii_only=False)
        entries.append(
            thread,
            Kind.CALL,
            written,
            state="new",
            by=who,
            tool=step.tool,
            group=group,
            id=f"call_{group}",
            given=given,
        )
