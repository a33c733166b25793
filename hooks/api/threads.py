"""Hooks of one thread: which are active, and switching them there (R10)."""

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from hooks import services
from hooks.engine.errors import Fault, Invalid
from hooks.models import Hook
from hooks.services.requests import is_key
from portal.api import ApiView


class ThreadHooksView(ApiView):
    """GET the agent-level hooks as they stand in a thread."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request, thread_id: str) -> Response:
        rows = services.hooks_of_thread(agent=self.agent, key=sound(thread_id))
        return Response({"hooks": [describe(hook, active) for hook, active in rows]})


class ThreadHookView(ApiView):
    """POST to activate or pause one hook in a thread."""

    scopes: ClassVar = {"POST": "write"}

    def post(self, request: Request, thread_id: str, name: str, action: str) -> Response:
        self.no_body()
        active = action == "activate"
        hook = services.set_active(agent=self.agent, key=sound(thread_id), name=name, active=active, by=self.by)
        return Response(describe(hook, active and hook.enabled))


def sound(thread_id: str) -> str:
    if not is_key(thread_id):
        raise Invalid([Fault("threadId", "invalid", "must be a text of 1 to 200 characters, without NUL.")])
    return thread_id


def describe(hook: Hook, active: bool) -> dict[str, Any]:
    return {
        "name": hook.name,
        "eventType": hook.event,
        "activationMode": hook.activation_mode,
        "description": hook.description,
        "isActive": active,
        "isSystemHook": False,
        "canModify": True,
    }
