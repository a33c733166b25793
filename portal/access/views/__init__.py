"""Pages about who may do what, a function per URL."""

from portal.access.views.tokens import token_create, token_revoke, tokens

__all__ = ["token_create", "token_revoke", "tokens"]
