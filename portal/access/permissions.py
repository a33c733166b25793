"""What a caller may do: each API view names, per method, the scope that it takes."""

from typing import Any

from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from portal.access.models import ROLE_SCOPES, ApiToken
from portal.access.roles import agent_for, scopes_for
from portal.errors import Forbidden


class HasScope(BasePermission):
    """Holds the view's scope against the token's scopes or the user's role, and gives the view its agent."""

    def has_permission(self, request: Request, view: Any) -> bool:
        method = "GET" if request.method == "HEAD" else request.method
        scope = view.scopes.get(method)
        token = request.auth if isinstance(request.auth, ApiToken) else None
        if token is None and not request.user:
            raise NotAuthenticated("Sign in, or send 'Authorization: Bearer hk_…' with an API token.")
        if scope is None:
            return True  # no such method here: the view says 405
        name = request.query_params.get("agent", "")
        if token is not None:
            if name and name != token.agent.name:
                raise Forbidden(f"The token belongs to the agent {token.agent.name!r}, not to {name[:64]!r}.")
            view.agent, held = token.agent, frozenset(token.scopes)
            what = f"The token has {', '.join(token.scopes)}"
        else:
            view.agent = agent_for(request.user, name)
            held = scopes_for(request.user, view.agent)
            what = f"Your role on {view.agent.name!r} gives {', '.join(sorted(held)) or 'nothing'}"
        if scope not in held:
            roles = ", ".join(role for role, scopes in ROLE_SCOPES.items() if scope in scopes)
            hint = "" if token is not None else f" The roles with it: {roles}."
            raise Forbidden(f"The scope {scope!r} is missing. {what}.{hint}")
        return True
