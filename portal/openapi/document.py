"""The document itself, put together from routes, tables and schemas."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings

from portal.openapi import shared
from portal.openapi.operations import BOTH, Answer, Body, Operation, Source, ref
from portal.openapi.routes import Route, camel, routes

ABOUT = """\
Hooks decide what an AI agent may answer and what becomes of its tools' results. A program sends
`Authorization: Bearer hk_…`; a token belongs to one agent and has scopes. A signed-in browser may call as well, with its
CSRF token in `X-CSRFToken` for everything that changes something.

Bodies are JSON or YAML, answers as `Accept` asks. An option that is null counts as left out, and words such as
`onDemand` have one spelling in this document though any case is read. A whole number has no decimal point: 30.0 is refused
where 30 is meant. Every error has the same shape and names all faults at once.
"""
REFUSALS = {
    400: "The request is not sound: `ValidationFailure` with every fault, or `MalformedBody`.",
    401: "There is no token and no session, or the token is malformed, unknown, expired or revoked.",
    403: "The scope or the role is missing, or the agent is another's. The message says which.",
    404: "There is no such thing on this agent.",
    406: "The answer can be JSON or YAML only.",
    409: "It contradicts what is there, or another request is at it.",
    412: "`If-Match` or `If-None-Match` does not hold. Nothing was changed.",
    413: "The body, or a part of it, is too large.",
    415: "The body must be JSON or YAML, and `Content-Type` must say so.",
    429: "Too many requests; `Retry-After` says how long to wait.",
    500: "A bug. The request id finds it in the log.",
}
REFUSAL_HEADERS = {401: ("WWW-Authenticate",), 429: ("Retry-After",)}
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "An API token: `hk_…`."},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": settings.SESSION_COOKIE_NAME,
        "description": "A signed-in browser.",
    },
}


def document(source: Source) -> dict[str, Any]:
    """Write the OpenAPI document. What the tables say nothing of is left out, and a test fails."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes():
        for method, scope in route.view.scopes.items():
            if said := source.operations.get(route.name, {}).get(method):
                paths.setdefault(route.path, {})[method.lower()] = _operation(route, method, scope, said)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hook portal",
            "version": "2.0",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [
            {"name": tag}
            for tag in dict.fromkeys(one.tag for many in source.operations.values() for one in many.values())
        ],
        "paths": paths,
        "components": {
            "schemas": {**source.schemas, **shared.SCHEMAS},
            "responses": {_refusal_name(status): _refusal(status) for status in REFUSALS},
            "headers": shared.HEADERS,
            "securitySchemes": SECURITY,
        },
    }


def _operation(route: Route, method: str, scope: str, said: Operation) -> dict[str, Any]:
    written: dict[str, Any] = {
        "operationId": f"{method.lower()}_{route.name}",
        "tags": [said.tag],
        "summary": said.summary,
        "description": " ".join(
            filter(None, [said.text, f"Takes the scope `{scope}`." if scope else "Open to everybody."])
        ),
        "security": [] if said.open else [{name: []} for name in SECURITY],
        "parameters": list(_parameters(route, said)),
    }
    if said.body is not None:
        written["requestBody"] = _body(said.body)
    written["responses"] = {
        **{str(status): _answer(answer) for status, answer in said.answers.items()},
        **{
            str(status): {"$ref": f"#/components/responses/{_refusal_name(status)}"}
            for status in _statuses(route, said)
        },
    }
    return written


def _parameters(route: Route, said: Operation) -> Iterator[dict[str, Any]]:
    for name in route.parameters:
        yield {"name": camel(name), "in": "path", "required": True, "schema": said.path[name]}
    yield from (dict(one) for one in said.query)
    if not said.open:
        yield shared.AGENT
    yield from (dict(one) for one in said.headers)
    yield shared.REQUEST_ID


def _body(body: Body) -> dict[str, Any]:
    content = {kind: {"schema": body.schema} for kind in body.media}
    if body.examples:
        examples = {
            f"example{number}": {"summary": title, "value": value}
            for number, (title, value) in enumerate(body.examples.items(), 1)
        }
        content = {kind: {**said, "examples": examples} for kind, said in content.items()}
    return {"required": not body.optional, "content": content}


def _answer(answer: Answer) -> dict[str, Any]:
    written: dict[str, Any] = {"description": answer.text, "headers": _headers(answer.headers)}
    if answer.schema is None:
        return written
    schemas = dict.fromkeys(answer.media, answer.schema)
    if answer.yaml is not None:
        schemas["application/yaml"] = answer.yaml
    written["content"] = {kind: {"schema": schema} for kind, schema in schemas.items()}
    if answer.example is not None:
        written["content"]["application/json"]["example"] = answer.example
    return written


def _statuses(route: Route, said: Operation) -> list[int]:
    """Name the refusals that any operation of this kind may answer, and its own."""
    found = {400, 406, 429, 500, *said.refusals}
    found |= set() if said.open else {401, 403}
    found |= {404} if route.parameters else set()
    found |= {413, 415} if said.body is not None else set()
    found |= {412} if shared.IF_MATCH in said.headers else set()
    return sorted(found)


def _refusal_name(status: int) -> str:
    return f"Refused{status}"


def _refusal(status: int) -> dict[str, Any]:
    return {
        "description": REFUSALS[status],
        "headers": _headers(REFUSAL_HEADERS.get(status, ())),
        "content": {kind: {"schema": ref("Error")} for kind in BOTH},
    }


def _headers(names: tuple[str, ...]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *names)}
