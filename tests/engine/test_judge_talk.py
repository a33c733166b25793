"""The judge's talk: tools over the transcript, the one extra request, schemas that a server refuses (R16)."""

import json

import pytest

from hooks.engine.verdict import Verdict
from tests.judging import ask, court
from tests.scripted_model import call, calls, failure, said

HELLO = "user: my favourite colour is BLUE\nassistant: noted\n"
VERDICT = '{"ok": true}'
ALLOWED = Verdict(outcome="allow")


def test_a_transcript_brings_the_two_tools_and_no_schema():
    request = ask(VERDICT, transcript=HELLO).requests[0]
    assert [tool["function"]["name"] for tool in request["tools"]] == ["ReadFile", "GrepSearch"]
    assert "response_format" not in request


@pytest.mark.parametrize("transcript", [None, ""])
def test_without_a_transcript_no_tools_are_offered(transcript):
    asked = ask(VERDICT, transcript=transcript)
    assert "tools" not in asked.requests[0]
    assert "ReadFile" not in asked.system


def test_the_judge_sees_what_it_searched_for():
    asked = ask(call("GrepSearch", pattern="BLUE"), VERDICT, transcript=HELLO)
    assert asked.answer == ALLOWED
    echoed, result = asked.requests[1]["messages"][-2:]
    assert echoed["tool_calls"][0]["function"] == {"name": "GrepSearch", "arguments": '{"pattern": "BLUE"}'}
    assert (result["role"], result["tool_call_id"]) == ("tool", "call_0")
    assert "1: user: my favourite colour is BLUE" in result["content"]
    assert asked.call.tool_calls == [{"name": "GrepSearch", "arguments": {"pattern": "BLUE"}}]


def test_the_tokens_of_all_requests_are_added_up():
    assert ask(call("GrepSearch", pattern="BLUE"), VERDICT, transcript=HELLO).call.prompt_tokens == 200


def test_another_file_is_an_error_that_the_judge_sees():
    asked = ask(call("ReadFile", path="/etc/passwd"), VERDICT, transcript=HELLO)
    assert asked.answer == ALLOWED
    assert "Error: no such file" in asked.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("arguments", ["not json", "[1]", '{"pattern": "a", "pattern": "b"}'])
def test_arguments_that_are_no_object_are_an_error_that_the_judge_sees(arguments):
    asked = ask(calls(("GrepSearch", arguments)), VERDICT, transcript=HELLO)
    echoed, result = asked.requests[1]["messages"][-2:]
    assert echoed["tool_calls"][0]["function"]["arguments"] == "{}"
    assert "not a JSON object" in result["content"]
    assert asked.call.tool_calls == [{"name": "GrepSearch", "arguments": arguments}]


def test_blank_arguments_are_none():
    asked = ask(calls(("ReadFile", "")), VERDICT, transcript=HELLO)
    assert "path is missing" in asked.requests[1]["messages"][-1]["content"]


def test_arguments_too_long_for_the_record_are_cut():
    asked = ask(call("GrepSearch", pattern="x" * 30_000), VERDICT, transcript=HELLO)
    assert len(asked.call.tool_calls[0]["arguments"]) == 20_000


def test_two_calls_in_one_reply_get_two_answers_and_count_twice():
    both = calls(("GrepSearch", '{"pattern": "BLUE"}'), ("GrepSearch", '{"pattern": "noted"}'))
    asked = ask(both, VERDICT, transcript=HELLO)
    assert [message["role"] for message in asked.requests[1]["messages"][-3:]] == ["assistant", "tool", "tool"]
    assert len(asked.call.tool_calls) == 2


def test_twenty_calls_are_allowed():
    assert ask(*[call("GrepSearch", pattern="BLUE")] * 20, VERDICT, transcript=HELLO).answer == ALLOWED


def test_past_twenty_calls_there_is_no_verdict():
    asked = ask(*[call("GrepSearch", pattern="BLUE")] * 21, VERDICT, transcript=HELLO)
    assert asked.answer.code == "model_error"
    assert "more than 20 tool calls" in asked.answer.message
    assert (len(asked.requests), len(asked.call.tool_calls)) == (21, 20)


@pytest.mark.parametrize("key", ["tool", "name"])
def test_a_call_written_as_text_is_taken_as_the_call(key):
    asked = ask(json.dumps({key: "GrepSearch", "arguments": {"pattern": "BLUE"}}), VERDICT, transcript=HELLO)
    assert asked.answer == ALLOWED
    said_before, result = asked.requests[1]["messages"][-2:]
    assert said_before["role"] == "assistant"
    assert result["role"] == "user"
    assert "1: user: my favourite colour is BLUE" in result["content"]
    assert asked.call.tool_calls == [{"name": "GrepSearch", "arguments": {"pattern": "BLUE"}}]


def test_a_call_written_as_text_is_no_call_where_no_tools_are_offered():
    assert ask('{"tool": "ReadFile", "arguments": {}}').answer.code == "invalid_decision"


def test_neither_a_call_nor_an_object_is_asked_once_more_without_tools():
    asked = ask("Let me think about {it}.", VERDICT, transcript=HELLO)
    assert asked.answer == ALLOWED
    last = asked.requests[1]
    assert "tools" not in last
    assert last["response_format"]["type"] == "json_schema"
    assert [message["content"] for message in last["messages"][2:3]] == ["Let me think about {it}."]


def test_an_empty_reply_is_asked_once_more_too():
    asked = ask(said(None), VERDICT, transcript=HELLO)
    assert asked.answer == ALLOWED
    assert asked.requests[1]["messages"][2]["content"] == "(no answer)"


def test_the_extra_request_is_made_once():
    asked = ask("Hm.", "Hm again.", VERDICT, transcript=HELLO)
    assert asked.answer.code == "output_not_json"
    assert len(asked.requests) == 2


def test_a_tool_that_was_not_offered_is_not_run():
    asked = ask("Hm.", call("GrepSearch", pattern="BLUE"), transcript=HELLO)
    assert asked.answer.code == "output_not_json"
    assert "not offered (GrepSearch)" in asked.answer.message
    assert asked.call.tool_calls == []


def test_a_verdict_beside_a_call_that_was_not_offered_counts():
    assert ask(call("GrepSearch", text=VERDICT, pattern="x")).answer == ALLOWED


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("word", ["response_format", "JSON_SCHEMA", "the schema you sent"])
def test_a_server_that_refuses_the_schema_is_asked_in_plain_text(status, word):
    asked = ask(failure(status, f"{word} is not supported"), VERDICT)
    assert asked.answer == ALLOWED
    assert "response_format" not in asked.requests[1]


def test_the_refusal_of_a_schema_is_remembered_for_that_deployment_alone():
    with court() as sitting:
        sitting.ask(failure(400, "json_schema is not supported"), VERDICT, model="old")
        assert "response_format" not in sitting.ask(VERDICT, model="old").requests[0]
        assert "response_format" in sitting.ask(VERDICT, model="new").requests[0]


def test_the_extra_request_falls_back_to_plain_text_as_well():
    asked = ask("Hm.", failure(400, "no json_schema here"), VERDICT, transcript=HELLO)
    assert asked.answer == ALLOWED
    assert len(asked.requests) == 3


def test_a_schema_is_not_blamed_for_what_fails_without_it_too():
    with court() as sitting:
        asked = sitting.ask(failure(400, "bad schema"), failure(400, "context length exceeded"))
        assert asked.answer.message == "the model server answered 400: context length exceeded"
        assert "response_format" in sitting.ask(VERDICT).requests[0]


@pytest.mark.parametrize("refusal", [failure(400, "too long"), failure(403, "no json_schema for you")])
def test_any_other_refusal_is_final(refusal):
    asked = ask(refusal)
    assert asked.answer.code == "model_error"
    assert len(asked.requests) == 1


def test_what_names_a_schema_where_none_was_sent_is_final():
    assert len(ask(failure(400, "schema"), transcript=HELLO).requests) == 1
