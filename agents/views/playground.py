"""Builder → Playground: threads to open, examples to watch, a new thread to begin."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render

from agents.playground import threads
from agents.playground.examples import EXAMPLES
from agents.playgroundforms import ThreadForm
from hooks import runtime
from hooks.engine.errors import Invalid
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

PAGE = 50
MODES = ("hand", "model", "live")


@page("read", post="evaluate", section="playground")
def playground(request: PageRequest) -> HttpResponse:
    agent = request.frame.agent
    names = agent.custom_agents.order_by("name").values_list("name", flat=True)
    form = ThreadForm(
        request.POST or None,
        agent=agent,
        names=names,
        initial={"mode": "hand", "model": "ReasoningFast", "custom_agent": request.GET.get("custom_agent", "")},
    )
    if request.method == "POST" and form.is_valid():
        try:
            made = threads.create_thread(agent=agent, by=request.actor, **_chosen(form))
            return go(request, address(request, "agents:thread", made.pk))
        except Invalid as invalid:
            form.blame(invalid.faults)
    status = 422 if form.is_bound else 200
    return render(request, "agents/playground.html", {"form": form, **_listed(request)}, status=status)


def _chosen(form: ThreadForm) -> dict[str, Any]:
    values = form.cleaned_data
    return {
        "mode": values["mode"],
        "custom_agent": values["custom_agent"],
        "model": values["model"] or "ReasoningFast",
    }


def _listed(request: PageRequest) -> dict[str, Any]:
    query = request.GET.get("q", "").replace("\x00", "").strip()[:100]
    mode = request.GET.get("mode", "")
    mode = mode if mode in MODES else ""
    found = threads.list_threads(agent=request.frame.agent, query=query, mode=mode).defer("draft")
    return {
        "threads": Paginator(found, PAGE).get_page(request.GET.get("page")),
        "q": query,
        "mode": mode,
        "examples": EXAMPLES.values(),
        "has_model": runtime.player(request.frame.agent, "ReasoningFast")[0] is not None,
    }


@page("write", post="write", methods=(), section="playground")
def guide(request: PageRequest) -> HttpResponse:
    """Begin an example, which may store its hook, and go to the thread in which it plays itself."""
    mode = "model" if request.POST.get("mode") == "model" else "hand"
    made = threads.begin_example(
        agent=request.frame.agent, key=request.POST.get("example", "")[:64], mode=mode, by=request.actor
    )
    return go(request, address(request, "agents:thread", made.pk))
