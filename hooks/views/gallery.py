"""«Start from a template»: the gallery, and what a new hook takes over from a template or from another hook."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from hooks import services
from hooks.engine.errors import Invalid
from hooks.engine.spec import HookSpec
from hooks.gallery import HookTemplate, templates
from hooks.models import Hook
from hooks.services import stored
from portal.errors import PreconditionFailed
from portal.pages import PageRequest, page

NAME_LIMIT = 64


@page("write", section="hooks")
def gallery(request: PageRequest) -> HttpResponse:
    return render(request, "hooks/gallery.html", {"templates": templates().values()})


def hook_of(spec: HookSpec) -> Hook:
    """Make the row that `spec` would be, unsaved."""
    hook = Hook()
    stored.apply(hook, spec)
    return hook


def free_name(agent: Any, name: str) -> str:
    """Find a name for a copy: `name-copy`, or with the next number that is free."""
    taken = {taken.lower() for taken in agent.hooks.filter(custom_agent=None).values_list("name", flat=True)}
    number = 1
    while True:
        end = "-copy" if number == 1 else f"-copy-{number}"
        copy = name[: NAME_LIMIT - len(end)] + end
        if copy.lower() not in taken:
            return copy
        number += 1


def add_samples(request: PageRequest, template: HookTemplate) -> None:
    """Store the template's samples. One of the same name that is there already stays as it is."""
    agent, added = request.frame.agent, 0
    for name, raw in template.samples.items():
        values = services.read_sample(raw, agent_name=agent.name)
        try:
            services.save_sample(agent=agent, name=name, values=values, create_only=True, by=request.actor)
            added += 1
        except PreconditionFailed:
            continue
        except Invalid as full:
            messages.warning(request, _("Not every sample was added. {why}").format(why=full.faults[0].message))
            break
    messages.success(
        request, ngettext("{count} sample context added", "{count} sample contexts added", added).format(count=added)
    )
