"""Effective hooks: what would run for an event of a custom agent, and why the rest would not."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from agents.effective import explain
from agents.views.pages import find, tab
from hooks.engine.events import EVENTS, TOOL_NAME_LIMIT
from hooks.services import create_test_run, known_tools
from portal.errors import NotFound
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

THREADS, SAMPLES = 20, 200
KEY_LIMIT = 200


@page("read", section="custom_agents")
def effective(request: PageRequest, name: str) -> HttpResponse:
    agent = request.frame.agent
    found = find(request, name)
    event = request.GET.get("event", "")
    event = event if event in EVENTS else "PostToolUse"
    known = known_tools(agent) if EVENTS[event].tool else []
    asked = _asked(request, event, known)
    threads = list(agent.threads.order_by("-last_event_at").values_list("key", flat=True)[:THREADS])
    chosen = [asked["thread"]] if asked["thread"] and asked["thread"] not in threads else []
    shown = {
        **asked,
        "custom_agent": found,
        "explanation": explain(agent, found, **asked),
        "events": EVENTS,
        "with_tool": EVENTS[event].tool,
        "everything": request.GET.get("all") == "1",
        "query": _query(request),
        "known_tools": known,
        "threads": chosen + threads,
    }
    if wants_fragment(request):
        return render(request, "agents/_effective.html", shown)
    return tab(request, "effective", found, shown)


@page("evaluate", post="evaluate", section="custom_agents")
def effective_test(request: PageRequest, name: str) -> HttpResponse:
    """Put a sample through all that would run, as an event of this custom agent and tool; no thread is touched."""
    agent, found = request.frame.agent, find(request, name)
    asked = request.POST if request.method == "POST" else request.GET
    event = asked.get("event", "PostToolUse")
    if event not in EVENTS:
        raise NotFound(_("There is no such event."))
    tool = asked.get("tool", "")[:TOOL_NAME_LIMIT] if EVENTS[event].tool else ""
    samples = agent.samples.filter(event=event).order_by("name")
    if request.method == "POST" and (
        chosen := samples.filter(name=asked.get("sample", "").replace("\x00", "")).first()
    ):
        own = {"hook_event_name": event, "agent_name": found.name, **({"tool_name": tool} if tool else {})}
        body = {"context": {**chosen.context, **own}, "transcript": chosen.transcript}
        run = create_test_run(agent=agent, body=body, by=request.actor)
        return go(request, address(request, "hooks:run", run.pk))
    shown = {"event": event, "tool": tool, "samples": samples.only("name", "description")[:SAMPLES]}
    shown |= {"gone": request.method == "POST", "explanation": explain(agent, found, event=event, tool=tool)}
    return tab(request, "effective_test", found, {"tab": "agents:effective", **shown})


def _asked(request: PageRequest, event: str, known: list[str]) -> dict[str, str]:
    tool = request.GET.get("tool", known[0] if known else "")[:TOOL_NAME_LIMIT]
    thread = request.GET.get("thread", "")[:KEY_LIMIT].replace("\x00", "")
    return {"event": event, "tool": tool if EVENTS[event].tool else "", "thread": thread}


def _query(request: PageRequest) -> str:
    """The question as a query string, to ask it again with everything listed."""
    query = request.GET.copy()
    query["all"] = "1"
    return query.urlencode()
