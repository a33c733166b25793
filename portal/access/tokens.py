"""API tokens: made, found and revoked. The token itself is shown once and never stored."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from hooks.engine.errors import Fault, Invalid
from hooks.engine.fields import shown
from portal.access.actors import Actor
from portal.access.models import SCOPES, ApiToken
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import NotFound
from portal.prepared import Query, built, columns

PREFIX = "hk_"
SHOWN = 8
NAME_LIMIT = 100
USE_NOTED_EVERY = timedelta(minutes=1)


def faults_of(
    *, name: str, scopes: Iterable[str], expires_at: datetime | None, within: ApiToken | None = None
) -> list[Fault]:
    """Name all that is wrong with a token before it is made. One made by a token reaches no further than that one."""
    wanted = list(scopes)
    faults = [
        Fault("scopes", "invalid_choice", f"{shown(scope)} is no scope: use {', '.join(SCOPES)}.")
        for scope in wanted
        if scope not in SCOPES
    ]
    if not wanted:
        faults.append(Fault("scopes", "required", f"must hold at least one of {', '.join(SCOPES)}."))
    if not name.strip() or len(name) > NAME_LIMIT or not name.isprintable():
        faults.append(Fault("name", "invalid", f"must have 1 to {NAME_LIMIT} characters, all of them printable."))
    if expires_at is not None and expires_at <= timezone.now():
        faults.append(Fault("expiresAt", "invalid", "must be in the future."))
    if within is not None:
        beyond = [scope for scope in wanted if scope in SCOPES and scope not in within.scopes]
        if beyond:
            faults.append(Fault("scopes", "forbidden", f"the token that asks lacks {', '.join(beyond)} itself."))
        if within.expires_at is not None and (expires_at is None or expires_at > within.expires_at):
            limit = within.expires_at.isoformat()
            faults.append(
                Fault("expiresAt", "forbidden", f"must not be after {limit}, when the token that asks expires.")
            )
    return faults


@transaction.atomic
def create_token(
    *,
    agent: Any,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None = None,
    within: ApiToken | None = None,
    by: Actor,
) -> tuple[ApiToken, str]:
    """Make a token for `agent` (an Agent); return its row and the token. Raises Invalid."""
    wanted = list(dict.fromkeys(scopes))
    if faults := faults_of(name=name, scopes=wanted, expires_at=expires_at, within=within):
        raise Invalid(faults)
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        agent=agent,
        name=name.strip(),
        prefix=secret[: len(PREFIX) + SHOWN],
        digest=digest(secret),
        scopes=[scope for scope in SCOPES if scope in wanted],
        created_by=by.text[:200],
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


def find_token(*, agent: Any, number: int) -> ApiToken:
    """Find a token of `agent` by its number. Raises NotFound."""
    found = ApiToken.objects.filter(agent=agent, pk=number).first() if number < 2**63 else None
    if found is None:
        raise NotFound(f"There is no API token {number} on the agent {agent.name!r}.")
    found.agent = agent
    return found


def in_use(rows: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
    """Those that still open the door, the newest first."""
    return rows.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)


def ended(rows: QuerySet[ApiToken]) -> QuerySet[ApiToken]:
    """Those that were revoked or have expired, the newest first."""
    return rows.filter(Q(revoked_at__isnull=False) | Q(expires_at__lte=timezone.now()))


def find(secret: str) -> ApiToken | None:
    """Find the row of a token, whatever its state, and its agent's: read at every call, so that a revocation counts at once."""
    rows = _BY_DIGEST.rows(digest(secret))
    if not rows:
        return None
    own = len(columns(ApiToken))
    token: ApiToken = built(ApiToken, rows[0][:own])
    token.agent = built(ApiToken._meta.get_field("agent").related_model, rows[0][own:])
    return token


def _with_agent(digest: str) -> QuerySet[ApiToken, Any]:
    agent = ApiToken._meta.get_field("agent").related_model
    return ApiToken.objects.filter(digest=digest).order_by().values_list(*columns(ApiToken), *columns(agent, "agent__"))


_BY_DIGEST = Query(_with_agent, str)


def note_use(token: ApiToken) -> None:
    """Remember that a token was used, at most once a minute, so that reads stay reads."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED_EVERY:
        unnoted = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_NOTED_EVERY)
        ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)


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
