"""One thread: watched as it grows, and played."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone

from agents.models import Thread
from agents.playground import export, shown, threads, work
from agents.playgroundforms import SettingsForm
from hooks import runtime, services
from hooks.engine.errors import Fault, Invalid
from portal.errors import Conflict
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address
from portal.workers import PLAYERS, worker_is_alive

WAYS = ("message", "answer", "tool")
QUEUED_LONG = 5
EVENTS = 50


@page("read", section="playground")
def thread(request: PageRequest, pk: int) -> HttpResponse:
    found = threads.find_thread(agent=request.frame.agent, pk=pk)
    if wants_fragment(request):
        if request.GET.get("part") == "composer":
            return render(request, "agents/_composer.html", _composer(request, found))
        return live(request, found)
    before = _number(request.GET.get("before"))
    entries = shown.read(found, before=before)
    context = {
        **_state(request, found),
        **_composer(request, found),
        **hooks_of(request, found),
        "entries": entries,
        "earlier": entries[0].number if entries and entries[0].number > 1 else None,
        "later": before is not None,
        "events": _events(found) if found.mode == Thread.Mode.LIVE else (),
    }
    return render(request, "agents/thread.html", context)


def live(request: PageRequest, found: Thread, *, status: int = 200, **more: Any) -> HttpResponse:
    """Answer what is new since a revision; 204 where nothing is."""
    known = request.POST if request.method == "POST" else request.GET
    since, state = _number(known.get("since")) or 0, known.get("state", "")
    if request.method != "POST" and found.revision == since and found.state == state and not found.draft:
        return HttpResponse(status=204)
    last = _number(known.get("length")) or 0
    entries = shown.read(found, since=since)
    context = {
        **_state(request, found),
        "added": [entry for entry in entries if entry.number > last],
        "changed": [entry for entry in entries if entry.number <= last],
        **more,
    }
    return render(request, "agents/_thread_live.html", context, status=status)


def _state(request: PageRequest, found: Thread) -> dict[str, Any]:
    waited = found.queued_at is None or (timezone.now() - found.queued_at).total_seconds() > QUEUED_LONG
    return {
        "thread": found,
        "polled": address(
            request,
            "agents:thread",
            found.pk,
            query={"since": found.revision, "length": found.length, "state": found.state},
        ),
        "nobody": found.state == Thread.State.QUEUED and waited and not worker_is_alive(PLAYERS),
        "no_model": found.mode == Thread.Mode.MODEL and runtime.player(found.agent, found.model)[0] is None,
    }


def _composer(request: PageRequest, found: Thread, **more: Any) -> dict[str, Any]:
    way = request.GET.get("as", "") or request.POST.get("as", "")
    if found.mode != Thread.Mode.HAND:
        way = "message"
    elif way not in WAYS:
        way = "answer" if found.length else "message"
    known = services.known_tools(found.agent) if way == "tool" else []
    return {"thread": found, "way": way, "known_tools": known, "typed": {}, "faults": [], **more}


def _events(found: Thread) -> Any:
    kept = found.agent.evaluations.filter(thread_key=found.key).order_by("-id")
    return kept.only("event", "tool_name", "decision", "created_at", "duration_ms", "custom_agent")[:EVENTS]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None


@page("evaluate", post="evaluate", methods=(), section="playground")
def thread_say(request: PageRequest, pk: int) -> HttpResponse:
    """Take what somebody writes: a message, or in the agent's place an answer or a call."""
    found, faults, status = threads.find_thread(agent=request.frame.agent, pk=pk), [], 200
    try:
        _write(request, found)
    except Invalid as invalid:
        faults, status = invalid.faults, 422
    except Conflict as conflict:
        faults, status = [Fault("", "conflict", conflict.message)], 409
    if not faults and not wants_fragment(request):
        return go(request, address(request, "agents:thread", pk))
    found.refresh_from_db()
    composer = _composer(request, found, faults=faults, typed=request.POST if faults else {})
    if wants_fragment(request):
        return live(request, found, status=status, composer=composer, focus="compose")
    context = {**_state(request, found), **hooks_of(request, found), "entries": shown.read(found), **composer}
    return render(request, "agents/thread.html", context, status=status)


def _write(request: PageRequest, found: Thread) -> None:
    posted, by = request.POST, request.actor
    way, text = posted.get("as", "message"), posted.get("text", "").replace("\r\n", "\n")
    if found.mode == Thread.Mode.LIVE:
        raise Conflict("This is the thread of a live agent, which the portal only watches.")
    if way == "answer":
        threads.answer(thread=found, text=text, by=by)
    elif way == "tool":
        threads.call_tool(
            thread=found,
            tool=posted.get("tool", ""),
            given=posted.get("input", "").replace("\r\n", "\n"),
            result=posted.get("result", "").replace("\r\n", "\n"),
            succeeded=posted.get("failed") != "on",
            by=by,
        )
    else:
        threads.say(thread=found, text=text, by=by)


@page("evaluate", post="evaluate", methods=(), section="playground")
def thread_decide(request: PageRequest, pk: int) -> HttpResponse:
    approve = request.POST.get("decision") == "approve"
    return _done(request, pk, "compose", lambda found: threads.decide(thread=found, approve=approve, by=request.actor))


@page("evaluate", post="evaluate", methods=(), section="playground")
def thread_go_on(request: PageRequest, pk: int) -> HttpResponse:
    return _done(request, pk, "cancel", lambda found: threads.go_on(thread=found, by=request.actor))


@page("evaluate", post="evaluate", methods=(), section="playground")
def thread_cancel(request: PageRequest, pk: int) -> HttpResponse:
    return _done(request, pk, "compose", lambda found: work.cancel(thread=found))


def _done(request: PageRequest, pk: int, focus: str, do: Callable[[Thread], None]) -> HttpResponse:
    """Do something with a thread, and show what came of it; what somebody else has done before stands in its tail."""
    found, fault = threads.find_thread(agent=request.frame.agent, pk=pk), ""
    try:
        do(found)
    except Conflict as conflict:
        fault = conflict.message
    if not wants_fragment(request):
        if fault:
            messages.error(request, fault)
        return go(request, address(request, "agents:thread", found.pk))
    found.refresh_from_db()
    return live(request, found, focus=focus, fault=fault, status=409 if fault else 200)


def hooks_of(request: PageRequest, found: Thread) -> dict[str, Any]:
    """The hooks as they stand in the thread (R10), and those of its custom agent, which always run."""
    rows = services.hooks_of_thread(agent=found.agent, key=found.key)
    own = found.agent.hooks.filter(custom_agent__name__iexact=found.custom_agent) if found.custom_agent else ()
    return {
        "always": [row for row in rows if row[0].activation_mode == "always"],
        "on_demand": [row for row in rows if row[0].activation_mode != "always"],
        "own": list(own),
    }


@page("read", post="write", methods=(), section="playground")
def thread_hook(request: PageRequest, pk: int, name: str) -> HttpResponse:
    """Activate or pause a hook in the thread; what was wanted is in the form, so that a second click does no harm."""
    found = threads.find_thread(agent=request.frame.agent, pk=pk)
    active = request.POST.get("active") == "on"
    hook = services.set_active(agent=found.agent, key=found.key, name=name, active=active, by=request.actor)
    if not wants_fragment(request):
        return go(request, address(request, "agents:thread", pk))
    context = {"thread": found, **hooks_of(request, found), "focus": f"in-thread-{hook.pk}"}
    return render(request, "agents/_thread_hooks.html", context)


@page("evaluate", post="evaluate", section="playground")
def thread_edit(request: PageRequest, pk: int) -> HttpResponse:
    found = threads.find_thread(agent=request.frame.agent, pk=pk)
    names = found.agent.custom_agents.order_by("name").values_list("name", flat=True)
    initial = {name: getattr(found, name) for name in ("title", "custom_agent", "mode", "model", "max_turns")}
    form = SettingsForm(request.POST or None, agent=found.agent, names=names, initial=initial)
    if found.mode == Thread.Mode.LIVE:
        form.fields = {"title": form.fields["title"]}
    if request.method == "POST" and form.is_valid():
        try:
            threads.edit_thread(thread=found, by=request.actor, **{**initial, **form.cleaned_data})
            return go(request, address(request, "agents:thread", pk))
        except Invalid as invalid:
            form.blame(invalid.faults)
        except Conflict as conflict:
            form.add_error(None, conflict.message)
    status = 422 if form.is_bound else 200
    return render(request, "agents/thread_edit.html", {"thread": found, "form": form}, status=status)


@page("evaluate", post="evaluate", section="playground")
def thread_delete(request: PageRequest, pk: int) -> HttpResponse:
    found = threads.find_thread(agent=request.frame.agent, pk=pk)
    if request.method == "POST":
        threads.delete_thread(thread=found, by=request.actor)
        return go(request, address(request, "agents:playground"))
    return render(request, "agents/thread_delete.html", {"thread": found})


@page("read", section="playground")
def thread_export(request: PageRequest, pk: int) -> Any:
    """Download a thread whole, as JSON."""
    found = threads.find_thread(agent=request.frame.agent, pk=pk)
    response = StreamingHttpResponse(export.pieces(found), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="thread-{found.pk}.json"'
    return response
