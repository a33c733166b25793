"""What every endpoint under /api/ does with requests that are not sound: the documented shape, never HTML, never a 500."""

import io
import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from tests.shell import STOP, Answer, Caller

pytestmark = pytest.mark.django_db
CHECK = "/api/v2/hooks/check"


def in_shape(answer: Answer, status: int, code: str) -> Answer:
    assert (answer.status, answer.code) == (status, code), answer.text
    assert set(answer.body["error"]) == {"code", "message", "details"}
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Request-Id"]
    assert answer.message
    return answer


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/v2/nothing", "/api/v2/hooks/check/", "/api/%00", "/api/%FF%zz", "/api//v2"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_paths_that_are_not_there(api: Caller, path: str, method: str) -> None:
    in_shape(api.call(method, path), 404, "NotFound")


def test_methods_that_are_not_possible(api: Caller) -> None:
    for method in ("GET", "PUT", "DELETE", "OPTIONS", "BREW"):
        answer = in_shape(api.call(method, CHECK), 405, "MethodNotAllowed")
        assert "POST" in answer.headers["Allow"]


def test_answers_that_cannot_be_given(api: Caller) -> None:
    in_shape(api.get("/api/v2/evaluations", accept="text/html"), 406, "NotAcceptable")
    assert api.get("/api/v2/evaluations", accept="text/html, */*;q=0.1").status == 200
    in_shape(api.get("/api/v2/evaluations?format=html"), 400, "ValidationFailure")
    for junk in (";;;", "application/json;q=zz", "a/b/c", "*", "", "application/*"):
        assert api.get("/api/v2/evaluations", accept=junk).status in (200, 406)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "junk", "a/b; c", ""]
)
def test_bodies_of_other_kinds(api: Caller, kind: str) -> None:
    answer = api.post(CHECK, raw="a=b", type=kind)
    assert (answer.status, answer.code) in [(415, "UnsupportedMediaType"), (400, "MalformedBody")]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"{} {}",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": 1e400}',
        b'{"a": ' + b"9" * 4001 + b"}",
        b'{"a": 1, "a": 2}',
        b'{"a": "\x00"}',
        b"'a'",
        b"[" * 100_000,
        b"[" * 500 + b"]" * 500,
        b'{"a":' * 500 + b"1" + b"}" * 500,
    ],
    ids=lambda raw: raw[:12].decode("latin-1"),
)
def test_bodies_that_are_not_json(api: Caller, raw: bytes) -> None:
    in_shape(api.post(CHECK, raw=raw), 400, "MalformedBody")


@pytest.mark.parametrize(
    "raw",
    ["a: [", "a: 1\na: 2", "a: !!python/object:os.system x", "\x01", "a: &x [*x]\nb", "[" * 300, "- &a [x]\n" + "- *b"],
)
def test_bodies_that_are_not_yaml(api: Caller, raw: str) -> None:
    answer = api.post(CHECK, raw=raw, type="application/yaml")
    in_shape(answer, 400, "MalformedBody")


def test_a_yaml_fault_tells_where(api: Caller) -> None:
    assert (
        "Line 2, column" in api.post(CHECK, raw="a: 1\nb: [", type="application/yaml").message
        or "line" in api.post(CHECK, raw="a: 1\nb: [", type="application/yaml").message.lower()
    )


def test_an_alias_bomb_is_refused(api: Caller) -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(8)
    )
    in_shape(api.post(CHECK, raw=bomb, type="application/yaml"), 400, "MalformedBody")


def test_yaml_of_more_than_a_mebibyte(api: Caller) -> None:
    in_shape(api.post(CHECK, raw="a: " + "x" * 1_048_600, type="application/yaml"), 413, "PayloadTooLarge")


def test_a_body_over_64_mib_is_refused_before_it_is_read(api: Caller) -> None:
    class Unread(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise AssertionError("it was read")

    headers = {"CONTENT_LENGTH": str(64 * 1024 * 1024 + 1), "wsgi.input": Unread()}
    client = Client()
    response = client.generic("POST", CHECK, b"", content_type="application/json", headers=api.headers, **headers)
    assert (response.status_code, response.json()["error"]["code"]) == (413, "PayloadTooLarge")


def test_a_length_that_lies(api: Caller) -> None:
    for length in ("9999", "-5", "x", "1.5", "0"):
        meta = {"CONTENT_LENGTH": length, "wsgi.input": io.BytesIO(b"{}")}
        response = Client().generic("POST", CHECK, b"{}", content_type="application/json", headers=api.headers, **meta)
        assert response.status_code == 400, (length, response.content)


def test_a_body_in_chunks(api: Caller) -> None:
    body = json.dumps({"context": STOP, "hooks": {}}).encode()
    headers = {**api.headers, "Transfer-Encoding": "chunked"}
    meta = {
        "wsgi.input": io.BytesIO(body),
        "wsgi.input_terminated": True,
        "CONTENT_LENGTH": "",
        "CONTENT_TYPE": "application/json",
    }
    response = Client().generic("POST", CHECK, b"", content_type="application/json", headers=headers, **meta)
    assert response.status_code == 200, response.content


def test_a_transcript_over_32_mib(api: Caller) -> None:
    body = {"context": STOP, "hooks": {}, "transcript": "x" * (32 * 1024 * 1024 + 1)}
    answer = in_shape(api.post(CHECK, body), 413, "PayloadTooLarge")
    assert answer.targets == ["transcript"]


def test_query_strings_may_be_junk(api: Caller) -> None:
    for query in ("%", "%00", "a=%ff", "top=%00", "event=%zz", "&&&=", "top=١", "top=" + "9" * 5000):
        assert api.get(f"/api/v2/evaluations?{query}").status in (200, 400), query
    in_shape(api.get("/api/v2/evaluations?" + "&".join(["a=1"] * 1100)), 400, "MalformedBody")


def test_a_host_that_is_not_ours(api: Caller) -> None:
    response = api.client.get("/api/v2/evaluations", headers=api.headers, HTTP_HOST="evil.example")
    assert (response.status_code, response.json()["error"]["code"]) == (400, "MalformedBody")


@pytest.mark.parametrize("debug", [False, True])
def test_a_bug_shows_no_traceback(api: Caller, monkeypatch: pytest.MonkeyPatch, debug: bool) -> None:
    from hooks import services

    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(services, "read_check", fail)
    monkeypatch.setattr(settings, "DEBUG", debug)
    api.client.raise_request_exception = False
    answer = api.post(CHECK, {}, X_Request_Id="find-me")
    assert (answer.status, answer.code) == (500, "InternalError")
    assert answer.body["error"]["requestId"] == answer.headers["X-Request-Id"] == "find-me"
    assert "secret" not in answer.text


def test_request_ids(api: Caller) -> None:
    assert api.get("/api/v2/evaluations", X_Request_Id="abc-1.2_3").headers["X-Request-Id"] == "abc-1.2_3"
    for unsound in ("x" * 65, "a b", "<script>", "é"):
        made = api.get("/api/v2/evaluations", X_Request_Id=unsound).headers["X-Request-Id"]
        assert made != unsound
        assert len(made) == 32
    assert Client().get("/healthz").headers["X-Request-Id"]


def test_errors_in_yaml(api: Caller) -> None:
    answer = api.post(CHECK, {"context": {}}, accept="application/yaml")
    assert (answer.status, answer.code) == (400, "ValidationFailure")
