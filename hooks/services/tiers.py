"""Model tiers of an agent: which model, where, at what price. What a row leaves blank is as the environment has it."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from hooks import model_servers, runtime
from hooks.engine.errors import Fault, Invalid
from hooks.engine.fields import TIERS
from hooks.engine.judge import NO_MODEL
from hooks.engine.model import ModelFailed
from hooks.models import ModelTier
from hooks.services.configuration import check_precondition, lock
from portal import outbound
from portal.access.actors import Actor
from portal.audit.chain import record
from portal.audit.verbs import Verb
from portal.errors import NotFound

FIELDS = ("deployment", "baseUrl", "priceIn", "priceOut")
READ_ONLY = ("tier", "effective", "version")
DEPLOYMENT_LIMIT, PRICE_LIMIT = 200, 100_000
TRY_SECONDS = 20.0
QUESTION = "Answer with one word: ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class TierValues:
    deployment: str = ""
    base_url: str = ""
    price_in: float | None = None
    price_out: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of a small real call. `trouble` is the plain reason where it failed."""

    deployment: str
    text: str = ""
    trouble: str = ""
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None

    @property
    def milliseconds(self) -> float:
        return self.seconds * 1000


def find_tier(*, agent: Any, tier: str) -> ModelTier:
    """Find a tier by its name, in any case; one that has no row yet is not stored. Raises NotFound."""
    name = next((one for one in TIERS if one.lower() == tier.lower()), None)
    if name is None:
        raise NotFound(f"There is no model tier {tier[:64]!r}: there are {', '.join(TIERS)}.")
    row: ModelTier = agent.model_tiers.filter(tier=name).first() or ModelTier(agent=agent, tier=name)
    return row


def tiers_of(agent: Any) -> list[ModelTier]:
    """All tiers in their order, those without a row too."""
    rows = {row.tier: row for row in agent.model_tiers.all()}
    return [rows.get(name) or ModelTier(agent=agent, tier=name) for name in TIERS]


def read_tier(raw: object) -> TierValues:
    """Read what was given for a tier; the base URL is looked up. Raises Invalid with every fault."""
    if not isinstance(raw, Mapping):
        raise Invalid([Fault("", "invalid_type", "The body must be an object.")])
    faults = [
        Fault(str(key)[:100], "unknown_field", f"is unknown here: use {', '.join(FIELDS)}.")
        for key in raw
        if key not in (*FIELDS, *READ_ONLY)
    ]
    deployment = raw.get("deployment") or ""
    if not isinstance(deployment, str) or len(deployment) > DEPLOYMENT_LIMIT or not deployment.isprintable():
        message = f"must be the name of a deployment, of at most {DEPLOYMENT_LIMIT} printable characters."
        faults.append(Fault("deployment", "invalid_type", message))
    base_url, prices = raw.get("baseUrl") or "", {}
    try:
        base_url = model_servers.check_url(_text(base_url)) if base_url else ""
    except ValueError as error:
        faults.append(Fault("baseUrl", "invalid_url", str(error)))
    for name in ("priceIn", "priceOut"):
        prices[name] = price = raw.get(name)
        if price is not None and not _is_price(price):
            message = f"must be US dollars per million tokens, from 0 to {PRICE_LIMIT:,}."
            faults.append(Fault(name, "out_of_range", message))
    if (prices["priceIn"] is None) != (prices["priceOut"] is None):
        lacking = "priceOut" if prices["priceOut"] is None else "priceIn"
        faults.append(
            Fault(lacking, "required", "is needed as well: a cost takes both prices. Leave out both, or none.")
        )
    if faults:
        raise Invalid(faults)
    return TierValues(
        deployment=deployment.strip(), base_url=base_url, price_in=prices["priceIn"], price_out=prices["priceOut"]
    )


@transaction.atomic
def save_tier(
    *,
    agent: Any,
    tier: str,
    values: TierValues,
    expected: str | None = None,
    create_only: bool = False,
    dry_run: bool = False,
    by: Actor,
) -> tuple[ModelTier, dict[str, Any]]:
    """Store what a tier is; return it and what stood there before. Raises NotFound, PreconditionFailed."""
    lock(agent)
    row = find_tier(agent=agent, tier=tier)
    check_precondition(row, expected=expected, create_only=create_only, tag=etag(row))
    before = describe(row)
    row.deployment, row.base_url = values.deployment, values.base_url
    row.price_in, row.price_out = values.price_in, values.price_out
    if _stored(describe(row)) != _stored(before):
        row.version += 1
        row.save()
        record(
            Verb.MODEL_TIER_UPDATED,
            by=by,
            object_type="model_tier",
            object_key=row.tier,
            object_text=row.tier,
            agent_name=agent.name,
            before=_stored(before),
            after=_stored(describe(row)),
        )
    if dry_run:
        transaction.set_rollback(True)
    return row, before


def etag(row: ModelTier) -> str:
    """Name this state of a tier: a row is never deleted, so its version tells."""
    return f'"{row.tier}.{row.version}"'


def describe(row: ModelTier) -> dict[str, Any]:
    """Show a tier as the API does: what is stored, and what is in force. Keys are not shown, only whether there is one."""
    from_environment = settings.MODEL_TIERS.get(row.tier, "")
    server = row.base_url or settings.OPENAI_BASE_URL or model_servers.OPENAI
    place = outbound.place_of(server)
    return {
        "tier": row.tier,
        "deployment": row.deployment or None,
        "baseUrl": row.base_url or None,
        "priceIn": row.price_in,
        "priceOut": row.price_out,
        "effective": {
            "deployment": row.deployment or from_environment or settings.DEFAULT_DEPLOYMENT,
            "source": "page" if row.deployment else "environment" if from_environment else "default",
            "server": place.shown if place else "",
            "hasKey": bool(place and model_servers.key_for(place)),
        },
        "version": row.version,
    }


def try_tier(*, agent: Any, tier: str, values: TierValues) -> Tried:
    """Ask the model of a tier for one word, with these values, stored or not."""
    row = find_tier(agent=agent, tier=tier)
    row.deployment, row.base_url = values.deployment, values.base_url
    deployment = runtime.resolve(row.tier, rows={row.tier: row})
    client = deployment.client or runtime.client()
    if client is None:
        return Tried(deployment=deployment.name, trouble=NO_MODEL)
    started = time.monotonic()
    try:
        reply = client.complete(
            deployment=deployment.name, messages=[{"role": "user", "content": QUESTION}], timeout=TRY_SECONDS
        )
    except ModelFailed as failure:
        said = f"The server answered {failure.status}: {failure.message}" if failure.status else failure.message
        return Tried(deployment=deployment.name, trouble=said, seconds=time.monotonic() - started)
    cost = None
    if values.price_in is not None and values.price_out is not None:
        cost = (reply.prompt_tokens * values.price_in + reply.completion_tokens * values.price_out) / 1_000_000
    return Tried(
        deployment=deployment.name,
        text=reply.text or reply.refusal or "",
        seconds=time.monotonic() - started,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost_usd=cost,
    )


def _stored(shown: Mapping[str, Any]) -> dict[str, Any]:
    return {name: shown[name] for name in FIELDS}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a URL, or null.")
    return value


def _is_price(value: object) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
        and 0 <= value <= PRICE_LIMIT
    )
