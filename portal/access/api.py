"""API tokens as resources. The token itself is in the answer that makes it, and nowhere else."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.urls import path
from django.utils.dateparse import parse_datetime
from django.views.decorators.debug import sensitive_variables
from rest_framework.request import Request
from rest_framework.response import Response

from hooks.engine.errors import Fault, Invalid
from portal.access import tokens
from portal.access.models import ApiToken
from portal.api import ApiView

FIELDS = ("name", "scopes", "expiresAt")


class TokensView(ApiView):
    """GET the tokens of the agent, the newest first, or POST to make one."""

    scopes: ClassVar = {"GET": "admin", "POST": "admin"}

    def get(self, request: Request) -> Response:
        return self.page(self.agent.tokens, envelope, key="-id")

    @sensitive_variables("secret")
    def post(self, request: Request) -> Response:
        within = request.auth if isinstance(request.auth, ApiToken) else None
        token, secret = tokens.create_token(agent=self.agent, within=within, by=self.by, **read(self.body()))
        location = f"{request.path}/{token.pk}"
        return Response({**envelope(token), "token": secret}, status=201, headers={"Location": location})


class TokenView(ApiView):
    """GET a token, or DELETE it, which revokes it: its row stays, so that the audit log can be read."""

    scopes: ClassVar = {"GET": "admin", "DELETE": "admin"}

    def get(self, request: Request, number: str) -> Response:
        return Response(envelope(self._found(number)))

    def delete(self, request: Request, number: str) -> Response:
        tokens.revoke_token(token=self._found(number), by=self.by)
        return Response(status=204)

    def _found(self, number: str) -> ApiToken:
        known = number.isascii() and number.isdecimal() and len(number) < 19
        return tokens.find_token(agent=self.agent, number=int(number) if known else 0)


def envelope(token: ApiToken) -> dict[str, Any]:
    return {
        "id": str(token.pk),
        **tokens.describe(token),
        "state": token.state,
        "createdBy": token.created_by,
        "createdAt": token.created_at.isoformat(),
        "lastUsedAt": token.last_used_at.isoformat() if token.last_used_at else None,
    }


def read(body: Any) -> dict[str, Any]:
    """Read `{"name", "scopes", "expiresAt"}` as the arguments of the service. Raises Invalid."""
    if not isinstance(body, Mapping):
        raise Invalid([Fault("", "invalid_type", "The body must be an object.")])
    faults = [
        Fault(str(key)[:100], "unknown_field", f"is unknown here: use {', '.join(FIELDS)}.")
        for key in body
        if key not in FIELDS
    ]
    name, scopes, given = body.get("name"), body.get("scopes"), body.get("expiresAt")
    if not isinstance(name, str):
        faults.append(Fault("name", "invalid_type" if name else "required", "must be a text."))
    if not isinstance(scopes, list) or not all(isinstance(scope, str) for scope in scopes):
        faults.append(Fault("scopes", "invalid_type" if scopes else "required", "must be a list of texts."))
    moment = _moment(given) if isinstance(given, str) else None
    if given is not None and moment is None:
        faults.append(Fault("expiresAt", "invalid_type", "must be a time such as 2027-01-31T12:00:00Z, or null."))
    if faults:
        raise Invalid(faults)
    return {"name": name, "scopes": scopes, "expires_at": moment}


def _moment(text: str) -> datetime | None:
    """Read a time; one without a zone is UTC."""
    try:
        moment = parse_datetime(text)
        if moment is None:
            return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


urlpatterns = [
    path("api/v2/tokens", TokensView.as_view(), name="tokens"),
    path("api/v2/tokens/<str:number>", TokenView.as_view(), name="token"),
]
