"""Secrets are in no stored evaluation, while hooks and the agent get the true text."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from agents.models import Agent
from hooks.models import Evaluation, HookResult
from portal import env
from portal.redaction import redactor
from tests.scripted_model import ScriptedModel
from tests.shell import STOP, TOOL, Caller, command, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
KEY = "sk-proj-abcdefghijklmnop"
ECHO = "grep -o 'sk-proj-[a-z]*' | sort -u | tee /dev/stderr; exit 2"
EVALUATE = "/api/v2/hooks/evaluate"


def stored() -> str:
    return "".join(str(row) for model in (Evaluation, HookResult) for row in model.objects.values())


def test_it_works(api: Caller) -> None:
    put_hook(api, "gate", "PostToolUse", command(ECHO, matcher="Bash"))
    context = {**TOOL, "tool_result": {"out": f"key {KEY}"}, "tool_input": {"password": "hunter2"}}
    body = {"context": context, "transcript": [{"role": "user", "text": f"it is {KEY}"}], "idempotencyKey": "once"}
    answer = api.post(EVALUATE, body).body
    assert answer["decision"] == "block" and answer["reason"] == KEY  # what the hook got, and what the agent gets
    assert answer["hooks"][0]["stdout"].strip() == answer["hooks"][0]["stderr"].strip() == KEY
    assert KEY not in stored() and "hunter2" not in stored()
    kept = api.get(f"/api/v2/evaluations/{answer['id']}").body
    assert kept["context"]["tool_result"] == {"out": "key [redacted]"}
    assert kept["context"]["tool_input"] == {"password": "[redacted]"}
    assert kept["transcript"] == "user: it is [redacted]\n" and kept["reason"] == "[redacted]"
    again = api.post(EVALUATE, body).body  # the same key answers what is stored
    assert (again["id"], again["decision"], again["reason"]) == (answer["id"], "block", "[redacted]")


def test_a_judges_answer(api: Caller, model: ScriptedModel) -> None:
    model.script('{"ok": false, "reason": "The password is password=hunter2"}')
    put_hook(api, "judge", "Stop", {"type": "prompt", "prompt": "Good?"})
    answer = api.post(EVALUATE, {"context": STOP}).body
    assert answer["reason"] == "The password is password=hunter2"
    assert "hunter2" not in stored()


def test_settings_add_patterns_and_names(api: Caller, settings: object) -> None:
    settings.REDACT_PATTERNS, settings.REDACT_NAMES = ["EMP-\\d{6}"], ["iban"]  # type: ignore[attr-defined]
    redactor.cache_clear()
    try:
        context = {**STOP, "final_output": "EMP-123456", "iban": "NL00"}
        api.post(EVALUATE, {"context": context})
    finally:
        redactor.cache_clear()
    assert (
        Evaluation.objects.get().context | {"iban": "[redacted]", "final_output": "[redacted]"}
        == Evaluation.objects.get().context
    )


@pytest.mark.parametrize(("lines", "said"), [("ok\n(", "pattern 2, '('"), ("a*", "matches where there is nothing")])
def test_a_pattern_that_is_none_stops_the_start(monkeypatch: pytest.MonkeyPatch, lines: str, said: str) -> None:
    monkeypatch.setenv("REDACT_PATTERNS", lines)
    with pytest.raises(ImproperlyConfigured, match="REDACT_PATTERNS") as refused:
        env.patterns("REDACT_PATTERNS")
    assert said in str(refused.value)


def test_what_people_type_to_test_with_stays(api: Caller, agent: Agent) -> None:
    """A sample is configuration: a hook that looks for secrets needs one to be tested with."""
    body = {"event": "Stop", "context": {**STOP, "final_output": KEY}}
    assert api.put("/api/v2/sampleContexts/leak", body).status == 201
    assert agent.samples.get().context["final_output"] == KEY
