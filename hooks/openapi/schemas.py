"""All schemas of this application."""

from hooks.openapi import configuration, evaluations, imports
from portal.openapi.operations import Schema

SCHEMAS: dict[str, Schema] = {**configuration.SCHEMAS, **evaluations.SCHEMAS, **imports.SCHEMAS}
