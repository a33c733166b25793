"""Model tiers as resources. There are always the same; a PUT says what one of them is."""

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from hooks.services import tiers
from portal.api import ApiView
from portal.errors import Conflict


class ModelTiersView(ApiView):
    """GET all tiers."""

    scopes: ClassVar = {"GET": "admin"}

    def get(self, request: Request) -> Response:
        return Response({"value": [tiers.describe(row) for row in tiers.tiers_of(self.agent)], "nextLink": None})


class ModelTierView(ApiView):
    """GET or PUT one tier."""

    scopes: ClassVar = {"GET": "admin", "PUT": "admin"}

    def get(self, request: Request, tier: str) -> Response:
        row = tiers.find_tier(agent=self.agent, tier=tier)
        return Response(tiers.describe(row), headers={"ETag": tiers.etag(row)})

    def put(self, request: Request, tier: str) -> Response:
        raw = _named(self.body(), tiers.find_tier(agent=self.agent, tier=tier).tier)
        values, conditions = tiers.read_tier(raw), self.preconditions()
        row, before = tiers.save_tier(agent=self.agent, tier=tier, values=values, by=self.by, **conditions)
        shown = tiers.describe(row)
        return self.written(
            shown, before=before, after=shown, etag=tiers.etag(row), warnings=[], dry_run=conditions["dry_run"]
        )


def _named(raw: Any, name: str) -> Any:
    """Return a body whose tier is that of the path, if it names one. Raises Conflict."""
    if isinstance(raw, dict) and isinstance(raw.get("tier"), str) and raw["tier"].lower() != name.lower():
        raise Conflict(f"The body names {raw['tier'][:64]!r}, the path {name!r}: they must be equal.", "tier")
    return raw
