"""Pages about who may do what, a function per URL."""

from portal.access.views.oidc import openid_connect_callback, openid_connect_login
from portal.access.views.tokens import token_create, token_revoke, tokens

__all__ = ["openid_connect_callback", "openid_connect_login", "token_create", "token_revoke", "tokens"]
