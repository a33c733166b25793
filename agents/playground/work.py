"""Threads as work for the workers of their own queue: queued, claimed by one of them, cancelled, and given up when it is lost."""

import logging
import os
import socket
import threading
import time
from datetime import timedelta
from types import TracebackType
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from agents.models import Thread
from agents.playground import entries
from agents.playground.entries import Kind
from agents.playground.playing import NOT_ANSWERED, Play, Stuck, Waiting
from hooks.engine.model import ModelFailed
from hooks.services.evaluation import Cancelled
from portal.access.actors import Actor
from portal.errors import Conflict, Refused

POLL_SECONDS, BEAT_EVERY = 0.5, 8
DRAFT_SECONDS = 0.3
HEARTBEAT_LOST = timedelta(seconds=20)
RESEND_AFTER = timedelta(seconds=60)
BUSY = "Somebody else is at work in this thread. Wait until the agent is done, then send it again."
CANCELLED = "The call was cancelled by a person before it was done."
State = Thread.State
log = logging.getLogger(__name__)


def queue(thread: Thread) -> None:
    """Let a worker take the thread up, in the caller's transaction. It was idle, or asked what is decided now."""
    values: dict[str, Any] = {
        "state": State.QUEUED,
        "unfinished": False,
        "cancel_requested": False,
        "queued_at": None,
        "asked_until": None,
    }
    Thread.objects.filter(pk=thread.pk).update(**values)
    for name, value in values.items():
        setattr(thread, name, value)
    transaction.on_commit(lambda: send(thread))


def take_turn(thread: Thread) -> None:
    """Claim an idle thread for a person's own change of it; in the caller's transaction. Raises Conflict."""
    if not Thread.objects.filter(pk=thread.pk, state=State.IDLE).update(state=State.QUEUED):
        raise Conflict(BUSY)
    thread.refresh_from_db()


def send(thread: Thread) -> bool:
    """Hand a queued thread to the workers; tell whether the broker took it. The sweeper sends what was not."""
    from agents.tasks import play

    try:
        play.apply_async((thread.pk,), retry=False)
    except (OperationalError, OSError) as error:
        log.warning("Thread %s stays queued: %s", thread.pk, error)
        return False
    Thread.objects.filter(pk=thread.pk).update(queued_at=timezone.now())
    return True


def play(*, thread_id: int) -> None:
    """Work on a queued thread until there is nothing more to do; one that somebody else has is left alone."""
    claim = f"{socket.gethostname()[:60]}:{os.getpid()}:{threading.get_ident()}"
    queued = Thread.objects.filter(pk=thread_id, state=State.QUEUED)
    if not queued.update(state=State.RUNNING, claimed_by=claim, heartbeat=timezone.now()):
        return
    thread = Thread.objects.select_related("agent").get(pk=thread_id)
    with Pulse(thread) as pulse:
        try:
            _play(thread, pulse)
        except Exception:
            _end(thread, State.IDLE, "failed", unfinished=True)
            raise


def _play(thread: Thread, pulse: "Pulse") -> None:
    by = Actor(kind="system", key="", text=thread.created_by or "playground")
    try:
        Play(thread, by=by, cancelled=pulse.cancelled, on_draft=pulse.draft).run()
    except Waiting:
        _end(thread, State.ASKING)
    except Cancelled:
        _end(thread, State.IDLE, "cancelled", unfinished=True)
    except ModelFailed as failure:
        _end(thread, State.IDLE, "model_timeout" if failure.timed_out else "model_error", failure.message)
    except Stuck as stuck:
        _end(thread, State.IDLE, stuck.code, stuck.detail, unfinished=stuck.code != "agent_gone")
    except Refused as refusal:
        _end(thread, State.IDLE, "not_judged", refusal.message)
    else:
        _end(thread, State.IDLE)


@transaction.atomic
def _end(thread: Thread, state: str, code: str = "", detail: str = "", *, unfinished: bool = True) -> None:
    # Only the one that has the claim ends the work: it may have been given up for lost in between.
    mine = Thread.objects.filter(pk=thread.pk, state=State.RUNNING, claimed_by=thread.claimed_by)
    if mine.update(state=state, unfinished=bool(code) and unfinished, draft="") and code:
        if code == "cancelled":
            cancel_calls(thread)
        entries.notice(thread, code, detail)


class Pulse:
    """Shows, from a thread of its own, that work goes on, and hears whether it is to stop."""

    def __init__(self, thread: Thread) -> None:
        self._mine = Thread.objects.filter(pk=thread.pk, claimed_by=thread.claimed_by)
        self._stop, self._cancelled = threading.Event(), threading.Event()
        self._watcher = threading.Thread(target=self._watch, name=f"thread-{thread.pk}", daemon=True)
        self._shown, self._shown_at = "", 0.0

    def __enter__(self) -> "Pulse":
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._watcher.join()

    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def draft(self, text: str) -> None:
        """Show what a model has written so far, at most every DRAFT_SECONDS."""
        if text != self._shown and time.monotonic() - self._shown_at >= DRAFT_SECONDS:
            self._shown, self._shown_at = text, time.monotonic()
            self._mine.update(draft=text[-20_000:])

    def _watch(self) -> None:
        turn = 0
        try:
            while not self._stop.wait(POLL_SECONDS):
                turn += 1
                try:
                    self._look(beat=turn % BEAT_EVERY == 0)
                except DatabaseError:
                    log.warning("The pulse of a thread could not be written.", exc_info=True)
        finally:
            connection.close()

    def _look(self, *, beat: bool) -> None:
        state = self._mine.values_list("state", "cancel_requested").first()
        if state is None or state[0] != State.RUNNING or state[1]:
            self._cancelled.set()
        elif beat:
            self._mine.update(heartbeat=timezone.now())


def cancel(*, thread: Thread) -> None:
    """Stop what goes on, a tool's process and a hook's included; one that waits for a person or a worker stops at once."""
    with transaction.atomic():
        waiting = Thread.objects.filter(pk=thread.pk, state__in=(State.QUEUED, State.ASKING))
        if waiting.update(state=State.IDLE, unfinished=True, asked_until=None):
            close_question(thread, "cancelled")
            cancel_calls(thread)
            entries.notice(thread, "cancelled")
            return
        Thread.objects.filter(pk=thread.pk, state=State.RUNNING).update(cancel_requested=True)


def cancel_calls(thread: Thread) -> None:
    """Give the calls that were not done a result that says so: they are not taken up again, whatever is said next."""
    calls = thread.entries.filter(kind=Kind.CALL, state__in=("new", "asked", "allowed", "refused"))
    for call in calls.select_related("thread"):
        about = {"tool": call.data["tool"], "call": call.number, "ran": False, "succeeded": False}
        entries.append(thread, Kind.RESULT, CANCELLED, state="given", **about)
        entries.change(call, "done")


def close_question(thread: Thread, state: str, *, refusal: str = "") -> None:
    """Note what became of the open question; its call goes on, or is refused for the reason that is given."""
    for question in thread.entries.filter(kind=Kind.ASK, state="waiting").select_related("thread"):
        entries.change(question, state)
        for call in thread.entries.filter(number=question.data["call"], state="asked").select_related("thread"):
            if refusal:
                entries.change(call, "refused", refusal=refusal)
            else:
                entries.change(call, "allowed")


def end_lost(threads: Any = None) -> None:
    """Say in threads whose worker is gone that it is, and answer «no» for persons who did not answer in time."""
    now, threads = timezone.now(), Thread.objects.all() if threads is None else threads
    for thread in threads.filter(state=State.RUNNING, heartbeat__lt=now - HEARTBEAT_LOST):
        with transaction.atomic():
            mine = Thread.objects.filter(pk=thread.pk, state=State.RUNNING, claimed_by=thread.claimed_by)
            if mine.update(state=State.IDLE, unfinished=True, draft=""):
                entries.notice(thread, "lost")
    for thread in threads.filter(state=State.ASKING, asked_until__lt=now):
        with transaction.atomic():
            if Thread.objects.filter(pk=thread.pk, state=State.ASKING).update(state=State.QUEUED):
                close_question(thread, "expired", refusal=NOT_ANSWERED)
                queue(thread)


def resend() -> None:
    """Send again what is queued and was never sent, or was sent a while ago and may be lost."""
    stale = Q(queued_at=None) | Q(queued_at__lt=timezone.now() - RESEND_AFTER)
    for thread in Thread.objects.filter(stale, state=State.QUEUED).order_by("id")[:100]:
        if not send(thread):
            break
