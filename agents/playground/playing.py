"""What happens next in a thread, step by step, from what its entries say; a worker that takes over goes on where one stopped."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.models import Thread, ThreadEntry
from agents.playground import entries, events, examples, model_turn, tools
from agents.playground.entries import Kind
from hooks.engine import strictjson
from hooks.engine.errors import Invalid
from hooks.services.evaluation import Cancelled
from hooks.services.records import Record
from portal.access.actors import Actor
from portal.errors import Refused

ASK_FOR = timedelta(minutes=5)
DENIED = "Denied: {reason}"
NOT_ANSWERED = "A person was asked and did not answer in time."
PERSON_DENIED = "A person was asked and said no."


class Waiting(Exception):
    """A person has to decide before it goes on."""


class Stuck(Exception):
    """The thread cannot go on by itself; `code` and `detail` are those of the notice that says why."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code, self.detail = code, detail


@dataclass(slots=True)
class Play:
    """A thread that a worker has claimed, until there is nothing more to do."""

    thread: Thread
    by: Actor
    cancelled: Callable[[], bool]
    on_draft: Callable[[str], None] = field(default=lambda text: None)

    def run(self) -> None:
        """Raises Waiting, Stuck, Cancelled, and ModelFailed from a model's turn."""
        while self.step():
            self.thread.refresh_from_db(fields=["turn", "custom_agent", "stop_rejections", "step", "started"])

    def step(self) -> bool:
        """Do what is next, and tell whether there was anything."""
        if self.cancelled():
            raise Cancelled
        entry = self.thread.entries.filter(entries.OPEN).order_by("number").first()
        if entry is not None:
            entry.thread = self.thread
            self._find_agent()
            self._settle(entry)
        elif examples.play_next(self.thread):
            return True
        elif self.thread.mode == Thread.Mode.MODEL and model_turn.is_due(self.thread):
            self._find_agent()
            self._ask_model()
        else:
            return False
        return True

    def _find_agent(self) -> None:
        thread = self.thread
        if thread.custom_agent and not thread.agent.custom_agents.filter(name__iexact=thread.custom_agent).exists():
            raise Stuck("agent_gone", thread.custom_agent)

    def _settle(self, entry: ThreadEntry) -> None:
        try:
            if not self.thread.started:
                self._start(entry)
            {
                Kind.USER: self._user,
                Kind.ASSISTANT: self._answer,
                Kind.CALL: self._call,
                Kind.RESULT: self._result,
            }[Kind(entry.kind)](entry)
        except (Refused, Invalid) as refusal:
            entries.change(entry, "unjudged")
            raise Stuck("not_judged", str(refusal)) from None

    def _evaluate(self, event: str, about: ThreadEntry, **fields: Any) -> Record:
        return events.evaluate(self.thread, event, about=about, by=self.by, cancelled=self.cancelled, **fields)

    def _inject(self, record: Record, text: str | None, role: str) -> None:
        if text:
            by = next((one.name for one in record.results if (one.delivered if role == "context" else one.reason)), "")
            entries.append(self.thread, Kind.INJECTED, text, event=record.evaluation.event, hook=by, role=role)

    def _start(self, entry: ThreadEntry) -> None:
        record = self._evaluate("Start", entry, source="playground")
        with transaction.atomic():
            self._inject(record, record.evaluation.additional_context, "context")
            self._set(started=True)

    def _user(self, entry: ThreadEntry) -> None:
        entries.change(entry, "")

    def _answer(self, entry: ThreadEntry) -> None:
        record = self._evaluate("Stop", entry, final_output=entry.text)
        with transaction.atomic():
            if record.evaluation.decision == "block":
                entries.change(entry, "held")
                self._inject(record, record.evaluation.reason, "reason")
            else:
                entries.change(entry, "forced" if record.evaluation.forced_stop else "final")

    def _call(self, entry: ThreadEntry) -> None:
        if entry.state == "allowed":
            self._carry_out(entry)
        elif entry.state == "refused":
            self._refuse(entry, entry.data["refusal"])
        elif fault := tools.fault_of(self.thread, entry):
            self._refuse(entry, fault)
        else:
            self._ask_hooks(entry)

    def _ask_hooks(self, entry: ThreadEntry) -> None:
        given = strictjson.loads(entry.text)
        record = self._evaluate("PreToolUse", entry, tool_name=entry.data["tool"], tool_input=given)
        with transaction.atomic():
            self._heed(entry, record)
        if entry.state == "asked":
            raise Waiting

    def _heed(self, entry: ThreadEntry, record: Record) -> None:
        decision, reason = record.evaluation.decision, record.evaluation.reason or ""
        self._inject(record, record.evaluation.additional_context, "context")
        if decision == "deny":
            self._refuse(entry, DENIED.format(reason=reason))
        elif decision == "ask":
            entries.change(entry, "asked")
            entries.append(self.thread, Kind.ASK, reason, state="waiting", tool=entry.data["tool"], call=entry.number)
            self._set(asked_until=timezone.now() + ASK_FOR)
        else:
            entries.change(entry, "allowed")

    def _refuse(self, call: ThreadEntry, why: str) -> None:
        self._answer_call(call, why, succeeded=False, ran=False, state="given")

    def _carry_out(self, call: ThreadEntry) -> None:
        done = tools.carry_out(self.thread, call, self.cancelled)
        self._answer_call(call, done.text, succeeded=done.succeeded, durationMs=done.duration_ms, state="new")

    def _answer_call(self, call: ThreadEntry, text: str, *, state: str, ran: bool = True, **data: Any) -> None:
        about = {"tool": call.data["tool"], "call": call.number, "ran": ran}
        with transaction.atomic():
            entries.append(self.thread, Kind.RESULT, text, state=state, **about, **data)
            entries.change(call, "done")

    def _result(self, entry: ThreadEntry) -> None:
        call = self.thread.entries.get(number=entry.data["call"])
        record = self._evaluate(
            "PostToolUse",
            entry,
            tool_name=entry.data["tool"],
            tool_input=strictjson.loads(call.text),
            tool_result=entry.text,
            tool_succeeded=entry.data["succeeded"],
        )
        with transaction.atomic():
            if record.evaluation.decision == "block":
                entries.change(entry, "withheld", instead=record.evaluation.reason or "")
            else:
                entries.change(entry, "given")
            self._inject(record, record.evaluation.additional_context, "context")

    def _ask_model(self) -> None:
        if self.thread.turn >= self.thread.max_turns:
            raise Stuck("max_turns", str(self.thread.max_turns))
        self._set(turn=self.thread.turn + 1)
        model_turn.take(self.thread, cancelled=self.cancelled, on_draft=self.on_draft)

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self.thread, name, value)
        Thread.objects.filter(pk=self.thread.pk).update(**values)
