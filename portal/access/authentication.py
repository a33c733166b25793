"""Who calls the API: a program with a token, or a browser with a session."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.authentication import SessionAuthentication as BaseSessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from portal.access import tokens
from portal.access.models import ApiToken

FORM = "Send 'Authorization: Bearer hk_…'."


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer hk_…`. Each refusal says whether the token is malformed, unknown, expired or revoked."""

    def authenticate(self, request: Request) -> tuple[None, ApiToken] | None:
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            return None
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != "bearer":
            raise AuthenticationFailed(f"The scheme {scheme[:20]!r} is not known here. {FORM}")
        secret = secret.strip()
        if not secret.startswith(tokens.PREFIX) or not secret.isascii() or " " in secret:
            raise AuthenticationFailed(f"The token is malformed. {FORM}")
        token = tokens.find(secret)
        if token is None:
            raise AuthenticationFailed("The token is unknown. It may have been deleted, or be of another portal.")
        if token.state == "revoked":
            raise AuthenticationFailed("The token was revoked. Make a new one on the page API tokens.")
        if token.state == "expired":
            raise AuthenticationFailed("The token has expired. Make a new one on the page API tokens.")
        tokens.note_use(token)
        return None, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class SessionAuthentication(BaseSessionAuthentication):
    """A signed-in browser, with its CSRF token."""
