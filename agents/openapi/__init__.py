"""What the OpenAPI document says of custom agents, bundles and threads."""

from agents.openapi import bundle, custom, operations, threads
from portal.openapi.operations import Operations, Schema

OPERATIONS: Operations = {**operations.OPERATIONS, **threads.OPERATIONS}
SCHEMAS: dict[str, Schema] = {**custom.SCHEMAS, **bundle.SCHEMAS, **threads.SCHEMAS}

__all__ = ["OPERATIONS", "SCHEMAS"]
