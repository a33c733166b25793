"""Agent-level hooks and sample contexts as resources."""

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from hooks import runtime, services
from hooks.engine.envelope import parse_agent_hook
from hooks.engine.errors import Fault, Invalid
from hooks.services import samples, stored
from hooks.services.requests import check_size
from portal.api import ApiView
from portal.errors import Conflict


class HooksView(ApiView):
    """GET all agent-level hooks, by event and in running order."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request) -> Response:
        hooks = self.agent.hooks.filter(custom_agent=None).order_by("event", "position", "pk")
        return Response({"value": [stored.envelope(hook) for hook in hooks], "nextLink": None})


class HookView(ApiView):
    """GET, PUT or DELETE one agent-level hook."""

    scopes: ClassVar = {"GET": "read", "PUT": "write", "DELETE": "write"}

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
        raw = self.body()
        if isinstance(raw, dict) and isinstance(raw.get("name"), str) and raw["name"] != name:
            raise Conflict(f"The body names {raw['name'][:64]!r}, the path {name[:64]!r}: they must be equal.", "name")
        known = services.known_tools(self.agent)
        parsed = parse_agent_hook(raw, name=name, syntax=runtime.syntax(), known_tools=known)
        if parsed.spec is None:
            raise Invalid(parsed.faults)
        conditions = self.preconditions()
        saved = services.put_hook(
            agent=self.agent, spec=parsed.spec, tags=parsed.tags, owner=parsed.owner, by=self.by, **conditions
        )
        return self.written(
            saved.after,
            before=saved.before,
            after=saved.after,
            etag=services.etag(saved.hook),
            warnings=parsed.warnings,
            dry_run=conditions["dry_run"],
        )

    def delete(self, request: Request, name: str) -> Response:
        hook = services.find_hook(agent=self.agent, name=name)
        services.delete_hook(hook=hook, expected=request.headers.get("If-Match"), by=self.by)
        return Response(status=204)


class HookVersionsView(ApiView):
    """GET the versions of an agent-level hook, the newest first."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request, name: str) -> Response:
        kept = services.versions_of(agent=self.agent, name=name)
        return Response({"value": [_describe_version(one) for one in kept], "nextLink": None})


def _describe_version(kept: Any) -> dict[str, Any]:
    return {
        "version": kept.version,
        "change": kept.verb,
        "by": kept.by,
        "at": kept.at.isoformat().replace("+00:00", "Z"),
        "contentHash": kept.content_hash,
    }


class SamplesView(ApiView):
    """GET the sample contexts by name; `?event=` for those of one event."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request) -> Response:
        rows = self.agent.samples.all()
        if event := request.query_params.get("event"):
            rows = rows.filter(event=event) if "\x00" not in event else rows.none()
        return self.page(rows, samples.describe, key="name")


class SampleView(ApiView):
    """GET, PUT or DELETE one sample context."""

    scopes: ClassVar = {"GET": "read", "PUT": "write", "DELETE": "write"}

    def get(self, request: Request, name: str) -> Response:
        sample = services.find_sample(agent=self.agent, name=name)
        return Response(samples.describe(sample), headers={"ETag": services.etag(sample)})

    def put(self, request: Request, name: str) -> Response:
        raw = self.body()
        if isinstance(raw, dict):
            check_size(raw.get("context"))
            if isinstance(raw.get("name"), str) and raw["name"] != name:
                raise Conflict(f"The body names {raw['name'][:64]!r}, the path {name[:64]!r}.", "name")
        values = services.read_sample(raw, agent_name=self.agent.name)
        conditions = self.preconditions()
        row, before = services.save_sample(agent=self.agent, name=name, values=values, by=self.by, **conditions)
        shown = samples.describe(row)
        return self.written(
            shown, before=before, after=shown, etag=services.etag(row), warnings=[], dry_run=conditions["dry_run"]
        )

    def delete(self, request: Request, name: str) -> Response:
        sample = services.find_sample(agent=self.agent, name=name)
        services.delete_sample(sample=sample, expected=request.headers.get("If-Match"), by=self.by)
        return Response(status=204)
