"""What the OpenAPI document says of hooks, evaluations, test runs, samples and imports."""

from hooks.openapi import imports, operations, schemas, tiers
from portal.openapi.operations import Operations, Schema

OPERATIONS: Operations = {**operations.OPERATIONS, **imports.OPERATIONS, **tiers.OPERATIONS}
SCHEMAS: dict[str, Schema] = {**schemas.SCHEMAS, **imports.SCHEMAS, **tiers.SCHEMAS}

__all__ = ["OPERATIONS", "SCHEMAS"]
