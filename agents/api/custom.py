"""Custom agents as resources, in JSON as an envelope and in YAML as the document."""

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from agents import services
from agents.documents import ParsedAgent, parse_agent
from agents.models import CustomAgent
from hooks import runtime
from hooks import services as hooks
from portal.api import ApiView


class CustomAgentsView(ApiView):
    """GET the custom agents by name."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request) -> Response:
        show = services.document_of if self.wants_yaml else services.envelope_of
        return self.page(self.agent.custom_agents.prefetch_related("hooks"), show, key="name")


class CustomAgentView(ApiView):
    """GET, PUT, PATCH or DELETE one custom agent, its hooks included."""

    scopes: ClassVar = {"GET": "read", "PUT": "write", "PATCH": "write", "DELETE": "write"}

    def get(self, request: Request, name: str) -> Response:
        found = services.find_custom_agent(agent=self.agent, name=name)
        return Response(self._shown(found), headers={"ETag": hooks.etag(found)})

    def _shown(self, found: CustomAgent) -> dict[str, Any]:
        return services.document_of(found) if self.wants_yaml else services.envelope_of(found)

    def put(self, request: Request, name: str) -> Response:
        tools = tuple(hooks.known_tools(self.agent))
        parsed = parse_agent(self.body(), syntax=runtime.syntax(), tools=tools)
        conditions = self.preconditions()
        saved = services.save_custom_agent(agent=self.agent, name=name, parsed=parsed, by=self.by, **conditions)
        return self._written(saved, parsed, conditions["dry_run"])

    def patch(self, request: Request, name: str) -> Response:
        conditions = self.preconditions()
        saved, parsed = services.patch_custom_agent(
            agent=self.agent, name=name, patch=self.body(), by=self.by, **conditions
        )
        return self._written(saved, parsed, conditions["dry_run"])

    def _written(self, saved: services.SavedAgent, parsed: ParsedAgent, dry_run: bool) -> Response:
        return self.written(
            saved.document if self.wants_yaml else saved.after,
            before=saved.before,
            after=saved.after,
            etag=hooks.etag(saved.custom_agent),
            warnings=parsed.warnings,
            dry_run=dry_run,
        )

    def delete(self, request: Request, name: str) -> Response:
        found = services.find_custom_agent(agent=self.agent, name=name)
        services.delete_custom_agent(custom_agent=found, by=self.by, **self.conditions())
        return Response(status=204)
