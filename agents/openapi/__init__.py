"""What the OpenAPI document says of custom agents and bundles."""

from agents.openapi import bundle, custom
from agents.openapi.operations import OPERATIONS
from portal.openapi.operations import Schema

SCHEMAS: dict[str, Schema] = {**custom.SCHEMAS, **bundle.SCHEMAS}

__all__ = ["OPERATIONS", "SCHEMAS"]
