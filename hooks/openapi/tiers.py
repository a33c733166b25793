"""What the OpenAPI document says of model tiers."""

from typing import Any

from hooks.engine.fields import TIERS
from hooks.openapi.configuration import IGNORED
from hooks.services.tiers import DEPLOYMENT_LIMIT, PRICE_LIMIT, READ_ONLY
from portal.openapi.operations import Answer, Body, Operation, Operations, Schema, ref
from portal.openapi.shared import DIFF, DRY_RUN, IF_MATCH, IF_NONE_MATCH, TEXT, nullable, record

TAG = "Model tiers"
TIER = {"tier": {"type": "string", "enum": list(TIERS)}}
PRICE = {"type": ["number", "null"], "minimum": 0, "maximum": PRICE_LIMIT, "description": "US$ per million tokens."}
URL: dict[str, Any] = {
    "type": ["string", "null"],
    "format": "model-server",
    "description": "Any OpenAI-compatible server on a public address, or one that the operator allows. Null: the environment's.",
}
NAME = {"type": ["string", "null"], "maxLength": DEPLOYMENT_LIMIT, "pattern": "^[A-Za-z0-9._:/-]*$"}
GIVEN: dict[str, Schema] = {"deployment": NAME, "baseUrl": URL, "priceIn": PRICE, "priceOut": PRICE}
PRICES = [
    {"properties": {"priceIn": {"type": kind}, "priceOut": {"type": kind}}, "required": required}
    for kind, required in (("number", ["priceIn", "priceOut"]), ("null", []))
]
SCHEMAS: dict[str, Schema] = {
    "ModelTier": {
        "type": "object",
        "properties": {
            **GIVEN,
            **dict.fromkeys(READ_ONLY, IGNORED),
        },
        "additionalProperties": False,
        "anyOf": PRICES,
    },
    "StoredModelTier": record(
        {
            "tier": TIER["tier"],
            **{name: nullable(schema) if "null" not in schema["type"] else schema for name, schema in GIVEN.items()},
            "effective": record(
                {
                    "deployment": TEXT,
                    "source": {"type": "string", "enum": ["page", "environment", "default"]},
                    "server": {
                        "type": "string",
                        "description": "Scheme, host, and port where it is another than the scheme's.",
                    },
                    "hasKey": {"type": "boolean", "description": "Whether the environment has a key for this server."},
                }
            ),
            "version": {"type": "integer", "minimum": 0},
        },
        optional={"diff": DIFF},
    ),
    "ModelTiers": record({"value": {"type": "array", "items": ref("StoredModelTier")}, "nextLink": {"type": "null"}}),
}
STORED = Answer(text="What is stored, and what is in force.", schema=ref("StoredModelTier"), headers=("ETag",))
OPERATIONS: Operations = {
    "model_tiers": {
        "GET": Operation(
            summary="List the model tiers",
            tag=TAG,
            answers={200: Answer(text="All of them.", schema=ref("ModelTiers"))},
        )
    },
    "model_tier": {
        "GET": Operation(summary="Read a model tier", tag=TAG, answers={200: STORED}, path=TIER),
        "PUT": Operation(
            summary="Say what a model tier is",
            tag=TAG,
            text="In force for the next evaluation. What is left out or null is as the environment has it; keys stay there.",
            answers={200: STORED},
            body=Body(
                schema=ref("ModelTier"),
                examples={
                    "A deployment with its prices": {"deployment": "gpt-5-mini", "priceIn": 0.25, "priceOut": 2},
                    "As the environment has it": {},
                },
            ),
            path=TIER,
            query=(DRY_RUN,),
            headers=(IF_MATCH, IF_NONE_MATCH),
            refusals=(409,),
        ),
    },
}
