"""The model client, against a real HTTP server."""

import logging
import os
import socket
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from hooks import model_client
from hooks.engine.model import ModelFailed, ModelReply, ToolCall
from hooks.model_client import OpenAIClient
from tests.scripted_model import Reply, ScriptedModel, answered, call, failure, said

KEY = "sk-very-secret-1234"
HI = [{"role": "user", "content": "hi"}]


@pytest.fixture
def model():
    with ScriptedModel() as server:
        yield server


@pytest.fixture
def client(model):
    opened = OpenAIClient(KEY, model.url)
    yield opened
    opened.close()


def ask(client, timeout=10.0, **options):
    return client.complete(deployment="small", messages=HI, timeout=timeout, **options)


def failed(client, **options):
    with pytest.raises(ModelFailed) as raised:
        ask(client, **options)
    return raised.value


@pytest.fixture
def at(request):
    """Open a client to another place, and close it after the test."""

    def opened(url, key=KEY):
        client = OpenAIClient(key, url)
        request.addfinalizer(client.close)
        return client

    return opened


def test_it_works(model, client):
    model.script("hello")
    assert ask(client) == ModelReply(text="hello", finish_reason="stop", prompt_tokens=100, completion_tokens=10)
    assert model.requests == [{"model": "small", "messages": HI}]
    assert model.headers[0]["authorization"] == f"Bearer {KEY}"


def test_tools_and_schema_are_sent_where_there_are_some(model, client):
    model.script("hello")
    ask(client, tools=[{"type": "function"}], json_schema={"name": "verdict"})
    assert model.requests[0]["tools"] == [{"type": "function"}]
    assert model.requests[0]["response_format"] == {"type": "json_schema", "json_schema": {"name": "verdict"}}


def test_a_tool_call_comes_back_as_it_was_written(model, client):
    model.script(call("ReadFile", path="/x"))
    assert ask(client).tool_calls == (ToolCall("call_0", "ReadFile", '{"path": "/x"}'),)


def test_many_threads_share_one_client(model, client):
    model.script(*["hello"] * 20)
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(ask(client).text)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies == ["hello"] * 20


def test_a_closed_client_opens_again(model, client):
    model.script("one", "two")
    assert ask(client).text == "one"
    client.close()
    assert ask(client).text == "two"


def test_closing_what_was_never_used_does_nothing():
    OpenAIClient(KEY, None).close()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_can_ask_too(model, client):
    model.script("parent", "child")
    assert ask(client).text == "parent"
    child = os.fork()
    if child == 0:
        os._exit(0 if ask(client).text == "child" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_importing_the_client_does_not_import_openai():
    program = "import sys, hooks.model_client; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_an_empty_key_suits_servers_that_need_none(model, at):
    model.script("hello")
    assert ask(at(model.url, key="")).text == "hello"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 599])
def test_what_may_pass_is_retried_once(model, client, status, monkeypatch):
    model.script(failure(status), "hello")
    assert ask(client).text == "hello"
    assert 0.4 < model.times[1] - model.times[0] < 3


def test_it_is_not_retried_twice(model, client):
    model.script(failure(503, "first"), failure(503, "second"), "hello")
    failure_seen = failed(client)
    assert (failure_seen.message, failure_seen.status) == ("second", 503)
    assert len(model.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 413, 422])
def test_any_other_refusal_is_final(model, client, status):
    model.script(failure(status, "no"))
    failure_seen = failed(client)
    assert (failure_seen.message, failure_seen.status, failure_seen.timed_out) == ("no", status, False)
    assert len(model.requests) == 1


def test_a_dropped_connection_is_retried_once(model, client):
    model.script(Reply(drop=True), "hello")
    assert ask(client).text == "hello"


def test_a_certificate_that_cannot_be_had_is_an_error_that_says_so(model, at):
    assert "[SSL" in failed(at(model.url.replace("http:", "https:"))).message


def test_a_connection_refused_is_an_error_that_says_where(at):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound but not listening: nobody else gets the port
        port = held.getsockname()[1]
        message = failed(at(f"http://user:hunter2hunter2@127.0.0.1:{port}/v1")).message
    assert message == f"no answer from 127.0.0.1:{port}: Connection refused"


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry-After": "1"}, 0.9, 3),
        ({"Retry-After": "0"}, 0, 0.4),
        ({"Retry-After": "-5"}, 0, 0.4),
        ({"Retry-After-Ms": "20"}, 0, 0.4),
        ({"Retry-After": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0, 0.4),
        ({"Retry-After": "soon"}, 0.4, 3),
        ({"Retry-After": "nan"}, 0.4, 3),
        ({"Retry-After": "Mon, 01 Jan 99999999999 00:00:00 GMT"}, 0.4, 3),
    ],
)
def test_it_waits_as_long_as_the_server_asks(model, client, headers, least, most):
    model.script(failure(429, "slow down", headers), "hello")
    assert ask(client).text == "hello"
    assert least <= model.times[1] - model.times[0] < most


@pytest.mark.parametrize(
    "wait",
    ["60", "inf", "1e300", format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)],
    ids=["seconds", "infinite", "huge", "date"],  # the date differs from process to process
)
def test_it_does_not_wait_past_the_time_that_is_left(model, client, wait):
    model.script(failure(429, "slow down", {"Retry-After": wait}))
    start = time.monotonic()
    failure_seen = failed(client)
    assert time.monotonic() - start < 5
    assert failure_seen.message.startswith("slow down (it asks to wait ")
    assert (failure_seen.status, failure_seen.timed_out) == (429, False)


def test_it_does_not_retry_where_no_time_is_left(model, client):
    model.script(failure(503, "busy"))
    assert failed(client, timeout=0.3).message == "busy"


@pytest.mark.parametrize("reply", [said("hi", sleep=9), Reply(drip="headers"), Reply(drip="body")])
def test_the_deadline_is_hard(model, client, reply):
    model.script(reply)
    start = time.monotonic()
    assert failed(client, timeout=0.3).timed_out
    assert time.monotonic() - start < 5


def test_the_caller_does_not_wait_for_a_loop_that_is_stuck(model, client, monkeypatch):
    monkeypatch.setattr(model_client, "GRACE_SECONDS", 0.1)
    model.script("hello")
    ask(client)
    client._running.loop.call_soon_threadsafe(time.sleep, 0.7)
    assert failed(client, timeout=0.1).timed_out
    time.sleep(0.7)


def test_a_cancelled_request_closes_its_connection(model, client):
    model.script(said("hi", sleep=9))
    start = time.monotonic()
    assert failed(client, cancelled=lambda: len(model.requests) > 0).message == "the run was cancelled"
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": {"message": "in the usual place"}}', "in the usual place"),
        ('{"error": {"message": "odd value", "param": "response_format"}}', "odd value (response_format)"),
        ('{"error": {"message": "odd response_format", "param": "response_format"}}', "odd response_format"),
        ('{"error": "a text"}', "a text"),
        ('{"object": "error", "message": "at the top"}', "at the top"),
        ('{"detail": "of FastAPI"}', "of FastAPI"),
        ('{"detail": [{"loc": ["body", "response_format"]}]}', '{"detail": [{"loc": ["body", "response_format"]}]}'),
        ('{"error": {"message": "\\ud800"}}', "\ufffd"),
        ("[1]", "[1]"),
        ("plain words", "plain words"),
        ("", "(no message)"),
        ("<html><title> 403 Forbidden </title><p>x", "403 Forbidden"),
        ("<html><p>nothing to cite", "<html><p>nothing to cite"),
        ("[" * 100_000, "[" * 1000 + "…"),
    ],
)
def test_the_servers_own_words_are_shown(model, client, body, message):
    model.script(Reply(body=body.encode(), status=403, content_type="text/html"))
    assert failed(client).message == message


def completion(**message):
    return answered({"choices": [{"message": message, "finish_reason": "stop"}]})


@pytest.mark.parametrize(
    ("reply", "said_so"),
    [
        (Reply(body=b"not JSON", content_type="text/plain"), "not JSON"),
        (Reply(body=b"not JSON"), "not JSON"),
        (Reply(body=b""), "an empty body"),
        (Reply(body=b"[1]"), "[1]"),
        (Reply(body=b"<html>"), "<html>"),
        (answered({"error": {"message": "out of credit"}}), "out of credit"),
        (answered({"choices": []}), "holds no message"),
        (answered({"choices": None}), "holds no message"),
        (answered({"choices": [None]}), "holds no message"),
        (answered({"choices": [{"message": "hello"}]}), "holds no message"),
        (completion(content=7), "neither a text nor a list"),
        (completion(tool_calls="ReadFile"), "no list of objects"),
        (completion(tool_calls=["ReadFile"]), "no list of objects"),
    ],
)
def test_what_is_no_completion_is_an_error(model, client, reply, said_so):
    model.script(reply)
    message = failed(client).message
    assert "answered what is no chat completion" in message
    assert said_so in message
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ({"content": "a text"}, ModelReply(text="a text", finish_reason="stop")),
        ({"content": None}, ModelReply(finish_reason="stop")),
        ({"content": ""}, ModelReply(text="", finish_reason="stop")),
        ({"content": "\ud800"}, ModelReply(text="\ufffd", finish_reason="stop")),
        ({"content": None, "refusal": "no"}, ModelReply(refusal="no", finish_reason="stop")),
        (
            {"content": [{"type": "text", "text": "a"}, {"type": "image"}, "x", {"type": "text", "text": "b"}]},
            ModelReply(text="ab", finish_reason="stop"),
        ),
        (
            {"content": [{"type": "refusal", "refusal": "no"}]},
            ModelReply(text="", refusal="no", finish_reason="stop"),
        ),
        (
            {"tool_calls": [{"function": {"name": "ReadFile", "arguments": {"path": "/x"}}}]},
            ModelReply(tool_calls=(ToolCall("call_1", "ReadFile", '{"path": "/x"}'),), finish_reason="stop"),
        ),
        ({"tool_calls": [{"id": ""}]}, ModelReply(tool_calls=(ToolCall("call_1", "", ""),), finish_reason="stop")),
        ({"tool_calls": []}, ModelReply(finish_reason="stop")),
    ],
)
def test_messages_of_all_kinds_are_read(model, client, message, reply):
    model.script(completion(**message))
    assert ask(client) == reply


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "7"}, {"prompt_tokens": -1}, {"prompt_tokens": True}])
def test_tokens_that_are_not_counted_are_none(model, client, usage):
    model.script(answered({"choices": [{"message": {"content": "hi"}, "finish_reason": 7}], "usage": usage}))
    assert ask(client) == ModelReply(text="hi")


def test_an_endless_answer_is_cut_off(model, client, monkeypatch):
    from hooks.model_client import wire

    monkeypatch.setattr(wire, "BODY_LIMIT", 1000)
    model.script(Reply(body=b" " * 1001), Reply(body=b" " * 1001))
    assert "longer than 1,000 bytes" in failed(client).message


def test_the_key_is_in_no_message_log_or_repr(model, client, caplog):
    caplog.set_level(logging.DEBUG)
    echo = f"Authorization: Bearer {KEY}"
    model.script(failure(401, echo), Reply(body=echo.encode()), f"my key is {KEY}")
    seen = [failed(client), failed(client), ask(client)]
    assert "[redacted]" in seen[0].message
    assert "[redacted]" in seen[1].message
    assert seen[2].text == "my key is [redacted]"
    assert KEY not in repr(seen) + repr(client) + caplog.text
    assert caplog.text


def test_a_short_key_is_redacted_as_a_word_of_errors_alone(model, at):
    model.script(failure(401, "bad key none, nonetheless"), "none")
    client = at(model.url, key="none")
    assert failed(client).message == "bad key [redacted], nonetheless"
    assert ask(client).text == "none"


@pytest.mark.parametrize("key", ["sk-broken\nkey", "sk-schlüssel"])
def test_a_key_that_no_header_can_carry_is_not_shown(model, at, key):
    assert failed(at(model.url, key)).message == "OPENAI_API_KEY holds characters that no HTTP header can carry"


def test_white_space_round_the_key_is_none_of_it(model, at):
    model.script("hello")
    ask(at(model.url, f" {KEY}\n"))
    assert model.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("url", "said_so"),
    [
        ("http://[::1", "is no URL"),
        ("localhost:8080/v1", "missing an 'http://' or 'https://' protocol"),
        ("http://nowhere.invalid/v1", "no answer from nowhere.invalid: "),
    ],
)
def test_a_base_url_that_leads_nowhere_is_an_error(at, url, said_so):
    assert said_so in failed(at(url)).message


def test_a_request_that_cannot_be_written_is_an_error(client):
    with pytest.raises(ModelFailed, match="could not be made"):
        client.complete(deployment="\ud800", messages=HI, timeout=5)
