"""What the pages of one custom agent share: its head, and the tabs."""

from typing import Any

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render

from agents import services
from portal.pages import PageRequest
from portal.translated import _

TABS = (
    ("agents:edit", _("Form")),
    ("agents:document", _("YAML")),
    ("agents:hooks", _("Hooks")),
    ("agents:history", _("History")),
    ("agents:effective", _("Effective hooks")),
)


def find(request: PageRequest, name: str) -> Any:
    """Find a custom agent, with the number of its hooks. Raises NotFound."""
    counted = request.frame.agent.custom_agents.annotate(hook_count=Count("hooks"))
    found = None if "\x00" in name else counted.filter(name__iexact=name).first()
    return found or services.find_custom_agent(agent=request.frame.agent, name=name)


def tab(
    request: PageRequest, name: str, custom_agent: Any, shown: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Render a tab of a custom agent."""
    context = {"custom_agent": custom_agent, "tab": f"agents:{name}", "tabs": TABS}
    return render(request, f"agents/{name}.html", {**context, **shown}, status=status)
