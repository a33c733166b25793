"""The OpenAPI document: whole, sound, in step with the URLconf, and open to read."""

import json
from typing import Any

import openapi_spec_validator
import pytest
from django.test import Client

from hooks.engine import yamldoc
from portal.openapi.routes import routes
from portal.urls import OPENAPI

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
def schema(client: Client) -> Any:
    return client.get("/api/schema/").json()


def test_it_works(schema: Any) -> None:
    assert schema["openapi"] == "3.1.0"
    stop = schema["paths"]["/api/v2/hooks/evaluate"]["post"]
    assert stop["requestBody"]["content"]["application/yaml"]["schema"] == {"$ref": "#/components/schemas/Event"}
    assert set(stop["responses"]) == {"200", "400", "401", "403", "406", "409", "413", "415", "429", "500"}


def test_every_path_and_method_is_in_it_and_no_other(schema: Any) -> None:
    there = {(route.path, method) for route in routes() for method in METHODS if hasattr(route.view, method)}
    assert {(path, method) for path, methods in schema["paths"].items() for method in methods} == there


def test_every_view_names_the_scope_of_each_of_its_methods() -> None:
    for route in routes():
        assert {method.lower() for method in route.view.scopes} == {m for m in METHODS if hasattr(route.view, m)}


def test_the_tables_have_no_more_than_there_is() -> None:
    there = {(route.name, method) for route in routes() for method in route.view.scopes}
    assert {(name, method) for name, methods in OPENAPI.operations.items() for method in methods} == there


def test_every_reference_leads_somewhere_and_nothing_is_left_over(schema: Any) -> None:
    used = {part.split('"')[0] for part in json.dumps(schema).split('"#/components/')[1:]}
    parts = schema["components"]
    there = {f"{kind}/{name}" for kind in ("schemas", "responses", "headers") for name in parts[kind]}
    assert used == there


def test_it_is_sound(schema: Any) -> None:
    openapi_spec_validator.validate(schema)


def test_it_comes_in_yaml_too_and_with_or_without_the_slash(client: Client, schema: Any) -> None:
    answer = client.get("/api/schema", headers={"Accept": "application/yaml"})
    assert answer["Content-Type"].startswith("application/yaml")
    assert yamldoc.load(answer.content) == schema


def test_it_says_what_any_case_and_null_mean_by_the_engine_s_own_limits(schema: Any) -> None:
    command = schema["components"]["schemas"]["ToolHook"]["oneOf"][1]
    assert command["properties"]["timeout"] == {
        "type": ["integer", "null"],
        "minimum": 1,
        "maximum": 300,
        "default": 30,
        "description": "Seconds.",
    }
    assert command["required"] == ["matcher", "type", "command"]


def test_the_page(client: Client) -> None:
    answer = client.get("/docs/api")
    assert (answer.status_code, b'data-schema="/api/schema"' in answer.content) == (200, True)
    assert b"<script>" not in answer.content
    assert "csrftoken" in answer.cookies
    moved = client.get("/api/docs")
    assert (moved.status_code, moved["Location"], moved.content) == (302, "/docs/api", b"")
