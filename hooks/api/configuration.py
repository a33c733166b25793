"""Agent-level hooks as resources."""

import hashlib
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from hooks import runtime, services
from hooks.engine import strictjson
from hooks.engine.envelope import parse_agent_hook
from hooks.engine.errors import Fault, Invalid, Notice
from hooks.services import stored
from portal import paging
from portal.api import ApiView
from portal.errors import Conflict


class HooksView(ApiView):
    """GET the agent-level hooks, by event and in running order."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request) -> Response:
        rows = self.agent.hooks.filter(custom_agent=None)
        found = paging.page_of_moving(request, rows, stored.envelope, key="event,position,id")
        tag = hashlib.sha256(strictjson.dumps(found).encode()).hexdigest()[:32]
        return Response(found, headers={"ETag": f'"{tag}"'})


class HookView(ApiView):
    """GET, PUT, PATCH or DELETE one agent-level hook."""

    scopes: ClassVar = {"GET": "read", "PUT": "write", "PATCH": "write", "DELETE": "write"}

    def get(self, request: Request, name: str) -> Response:
        if "version" in request.query_params:
            return self._version(name, request.query_params["version"])
        hook = services.find_hook(agent=self.agent, name=name)
        return Response(stored.envelope(hook), headers={"ETag": services.etag(hook)})

    def _version(self, name: str, wanted: str) -> Response:
        if not wanted.isascii() or not wanted.isdecimal() or len(wanted) > 9:
            raise Invalid([Fault("version", "invalid_type", "must be a whole number.")])
        kept = services.find_version(agent=self.agent, name=name, version=int(wanted))
        return Response({**kept.document, "version": kept.version, "contentHash": kept.content_hash})

    def put(self, request: Request, name: str) -> Response:
        raw = named(self.body(), name)
        tools = services.known_tools(self.agent)
        parsed = parse_agent_hook(raw, name=name, syntax=runtime.syntax(), known_tools=tools)
        if parsed.spec is None:
            raise Invalid(parsed.faults)
        conditions = self.preconditions()
        saved = services.put_hook(
            agent=self.agent, spec=parsed.spec, tags=parsed.tags, owner=parsed.owner, by=self.by, **conditions
        )
        return self._saved(saved, parsed.warnings, conditions["dry_run"])

    def patch(self, request: Request, name: str) -> Response:
        conditions = self.preconditions()
        patch = named(self.body(), name)
        saved, warnings = services.patch_hook(agent=self.agent, name=name, patch=patch, by=self.by, **conditions)
        return self._saved(saved, warnings, conditions["dry_run"])

    def delete(self, request: Request, name: str) -> Response:
        hook = services.find_hook(agent=self.agent, name=name)
        services.delete_hook(hook=hook, by=self.by, **self.conditions())
        return Response(status=204)

    def _saved(self, saved: services.Saved, warnings: list[Notice], dry_run: bool) -> Response:
        return self.written(
            saved.after,
            before=saved.before,
            after=saved.after,
            etag=services.etag(saved.hook),
            warnings=warnings,
            dry_run=dry_run,
        )


def named(raw: Any, name: str) -> Any:
    """Return a body whose name is that of the path, if it has one. Raises Conflict."""
    if isinstance(raw, dict) and isinstance(raw.get("name"), str) and raw["name"] != name:
        raise Conflict(f"The body names {raw['name'][:64]!r}, the path {name[:64]!r}: they must be equal.", "name")
    return raw
