"""Pages about who may do what, a function per URL."""

from portal.access.views.account import account, password, session_end, sign_out_everywhere
from portal.access.views.joining import invite, invite_withdraw, join
from portal.access.views.members import member_deactivate, member_reactivate, member_remove, member_role, members
from portal.access.views.oidc import openid_connect_callback, openid_connect_login
from portal.access.views.second_factor import member_second_factor, second_factor, second_factor_off, sign_in_code
from portal.access.views.tokens import token_create, token_revoke, tokens

__all__ = [
    "account",
    "invite",
    "invite_withdraw",
    "join",
    "member_deactivate",
    "member_reactivate",
    "member_remove",
    "member_role",
    "member_second_factor",
    "members",
    "openid_connect_callback",
    "openid_connect_login",
    "password",
    "second_factor",
    "second_factor_off",
    "session_end",
    "sign_in_code",
    "sign_out_everywhere",
    "token_create",
    "token_revoke",
    "tokens",
]
