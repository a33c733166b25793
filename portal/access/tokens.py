"""API tokens: made, found and revoked. The token itself is shown once and never stored."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from hooks.engine.errors import Fault, Invalid
from portal.access.actors import Actor
from portal.access.models import SCOPES, ApiToken
from portal.audit.chain import record
from portal.audit.verbs import Verb

PREFIX = "hk_"
SHOWN = 8
USE_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def create_token(
    *, agent: Any, name: str, scopes: Iterable[str], expires_at: datetime | None = None, by: Actor
) -> tuple[ApiToken, str]:
    """Make a token for `agent` (an Agent); return its row and the token. Raises Invalid."""
    wanted = list(dict.fromkeys(scopes))
    faults = [
        Fault("scopes", "invalid_choice", f"{scope!r} is no scope: use {', '.join(SCOPES)}.")
        for scope in wanted
        if scope not in SCOPES
    ]
    if not wanted:
        faults.append(Fault("scopes", "required", f"at least one of {', '.join(SCOPES)} is required."))
    if not name.strip() or len(name) > 100 or "\x00" in name:
        faults.append(Fault("name", "invalid", "must have 1 to 100 characters."))
    if expires_at is not None and expires_at <= timezone.now():
        faults.append(Fault("expiresAt", "invalid", "must be in the future."))
    if faults:
        raise Invalid(faults)
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        agent=agent,
        name=name.strip(),
        prefix=secret[: len(PREFIX) + SHOWN],
        digest=digest(secret),
        scopes=[scope for scope in SCOPES if scope in wanted],
        created_by=by.text,
        expires_at=expires_at,
    )
    _record(Verb.TOKEN_CREATED, token, by, after=describe(token))
    return token, secret


@transaction.atomic
def revoke_token(*, token: ApiToken, by: Actor) -> None:
    """End a token at once. Revoking it again changes nothing."""
    token = ApiToken.objects.select_for_update().select_related("agent").get(pk=token.pk)
    if token.revoked_at is not None:
        return
    before = describe(token)
    token.revoked_at = timezone.now()
    token.save(update_fields=["revoked_at"])
    _record(Verb.TOKEN_REVOKED, token, by, before=before, after=describe(token))


def find(secret: str) -> ApiToken | None:
    """Find the row of a token, whatever its state."""
    return ApiToken.objects.select_related("agent").filter(digest=digest(secret)).first()


def note_use(token: ApiToken) -> None:
    """Remember that a token was used, at most once a minute, so that reads stay reads."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def digest(secret: str) -> str:
    # The token has 256 random bits, so a plain hash is enough: there is nothing to guess.
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def describe(token: ApiToken) -> dict[str, Any]:
    """Show a token without its secret."""
    return {
        "name": token.name,
        "prefix": token.prefix,
        "scopes": token.scopes,
        "expiresAt": token.expires_at.isoformat() if token.expires_at else None,
        "revokedAt": token.revoked_at.isoformat() if token.revoked_at else None,
    }


def _record(verb: Verb, token: ApiToken, by: Actor, before: Any = None, after: Any = None) -> None:
    record(
        verb,
        by=by,
        object_type="token",
        object_key=token.pk,
        object_text=str(token),
        agent_name=token.agent.name,
        before=before,
        after=after,
    )
