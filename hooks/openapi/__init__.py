"""What the OpenAPI document says of hooks, evaluations, test runs and samples."""

from hooks.openapi.operations import OPERATIONS
from hooks.openapi.schemas import SCHEMAS

__all__ = ["OPERATIONS", "SCHEMAS"]
