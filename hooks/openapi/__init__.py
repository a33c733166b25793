"""What the OpenAPI document says of hooks, evaluations, test runs, samples and imports."""

from hooks.openapi import imports, killswitch, operations, schemas, tiers
from portal.openapi.operations import Operations, Schema

OPERATIONS: Operations = {**operations.OPERATIONS, **imports.OPERATIONS, **tiers.OPERATIONS, **killswitch.OPERATIONS}
SCHEMAS: dict[str, Schema] = {**schemas.SCHEMAS, **imports.SCHEMAS, **tiers.SCHEMAS, **killswitch.SCHEMAS}

__all__ = ["OPERATIONS", "SCHEMAS"]
