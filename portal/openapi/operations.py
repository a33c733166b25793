"""What a table of operations is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = Mapping[str, Any]
JSON, YAML, MERGE_PATCH = "application/json", "application/yaml", "application/merge-patch+json"
BOTH = (JSON, YAML)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What is sent. `examples` by their title; the first is the one to begin with."""

    schema: Schema
    examples: Mapping[str, Any] = field(default_factory=dict)
    optional: bool = False
    media: tuple[str, ...] = BOTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What comes back when all is well. Without a schema it has no body. `yaml` is the schema where YAML has another shape."""

    text: str
    schema: Schema | None = None
    yaml: Schema | None = None
    headers: tuple[str, ...] = ()
    media: tuple[str, ...] = BOTH
    example: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path.

    path      the schema of each path parameter, by its name in the URLconf
    query     the parameters beyond `agent`, as OpenAPI writes them; `headers` likewise
    refusals  the statuses beyond those that every operation of its kind may answer
    open      whether anybody may call it
    """

    summary: str
    tag: str
    answers: Mapping[int, Answer]
    text: str = ""
    body: Body | None = None
    path: Mapping[str, Schema] = field(default_factory=dict)
    query: tuple[Schema, ...] = ()
    headers: tuple[Schema, ...] = ()
    refusals: tuple[int, ...] = ()
    open: bool = False


Operations = Mapping[str, Mapping[str, Operation]]
"""Route name → method → operation."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """What the applications say of their operations, and the schemas that they refer to by `ref`."""

    operations: Operations
    schemas: Mapping[str, Schema]


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
