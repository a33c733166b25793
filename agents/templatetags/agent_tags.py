"""Tags and filters of pages about custom agents."""

from typing import Any

from django import template
from django.template import Context

from agents.models import CustomAgent
from hooks.models import Hook
from hooks.words import type_of
from portal.templatetags.pages import address

register = template.Library()


@register.simple_tag(takes_context=True)
def hook_link(context: Context, hook: Hook, custom_agent: CustomAgent | None) -> str:
    """Where a hook is edited: on its own page, or with its custom agent."""
    if custom_agent is None or hook.custom_agent_id is None:
        return address(context["request"], "hooks:edit", hook.name)
    return address(context["request"], "agents:hooks", custom_agent.name)


@register.filter
def kind(hook: Any) -> str:
    """The model that judges, or the language that runs."""
    return type_of(hook.options, hook.type)
