"""Reading the verdict out of a reply (R23)."""

import pytest

from hooks.engine.judge.reply import call_in_text, holds_object, only_object

VERDICT = '{"ok": true}'


@pytest.mark.parametrize(
    "text",
    [
        VERDICT,
        f"  \n{VERDICT}\n ",
        f"\ufeff{VERDICT}",
        f"```json\n{VERDICT}\n```",
        f"```\n{VERDICT}```",
        f"```json {VERDICT}",
        f"The work appears complete. {VERDICT}",
        f"The work appears complete:\n```json\n{VERDICT}\n```\n",
        f"```\nThe work appears complete. {VERDICT}\n```",
        f'<think>maybe {{"ok": false, "reason": "x"}}?</think>\n{VERDICT}',
        f"<think></think>```json\n{VERDICT}\n```",
        f"<think>hm</think> It is complete. {VERDICT}",
    ],
)
def test_the_one_object_is_found(text):
    assert only_object(text).value == {"ok": True}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("## Report\nAll fine.", "holds no JSON object: ## Report\nAll fine."),
        ('<think>surely {"ok": true}', "is empty"),
        ("true", "holds no JSON object"),
        (f"{VERDICT} or {VERDICT}", "more text follows"),
        (f"{VERDICT} is my verdict", "more text follows"),
        (f'The text says {VERDICT}. My verdict: {{"ok": false}}', "more text follows"),
        (f"The set {{a, b}} is fine. {VERDICT}", "is not JSON"),
        (f"[{VERDICT}]", "more text follows"),
        ('"{\\"ok\\": true}"', "is not JSON"),
        (f"{VERDICT}\n```", "more text follows"),
        (f"```a```\n```json\n{VERDICT}\n```", "more text follows"),
        (f"```json\n{VERDICT}\n```\nas I said", "more text follows"),
        (f"{VERDICT}<think>{VERDICT}</think>", "more text follows"),
        ('{"ok": true', "is not JSON"),
        ('{"ok": true, "ok": false}', "stands twice"),
        ('{"ok": true, "score": NaN}', "NaN"),
        ('{"ok":' + '{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_anything_else_is_refused_with_the_reason(text, why):
    with pytest.raises(ValueError) as refused:
        only_object(text)
    assert why in str(refused.value)
    assert len(str(refused.value)) < 500


def test_lone_surrogates_do_not_get_through():
    assert only_object('{"ok": false, "reason": "\\ud800"}').value["reason"] == "\ufffd"


@pytest.mark.parametrize("text", [VERDICT, f"a {{b}} c {VERDICT} d", '{"a": 1, "a": NaN}', "{}", "{" * 200])
def test_a_reply_holds_an_object(text):
    assert holds_object(text)


@pytest.mark.parametrize("text", ["", "Let me think about {it}.", '{"ok": tr', "<think>{}</think>", '{"a":' * 50_000])
def test_a_reply_holds_no_object(text):
    assert holds_object(text) is (text.count("{") > 100)


@pytest.mark.parametrize("key", ["tool", "name"])
@pytest.mark.parametrize("wrapped", ["{}", "<think>I look</think>{}", "```json\n{}\n```"])
def test_a_call_is_read(key, wrapped):
    text = wrapped.replace("{}", f'{{"{key}": "ReadFile", "arguments": {{"path": "/x"}}}}')
    assert call_in_text(text) == ("ReadFile", {"path": "/x"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        VERDICT,
        'I call {"tool": "ReadFile", "arguments": {}}',
        '{"tool": "Bash", "arguments": {}}',
        '{"tool": ["ReadFile"], "arguments": {}}',
        '{"verb": "ReadFile", "arguments": {}}',
        '{"tool": "ReadFile", "arguments": "{}"}',
        '{"tool": "ReadFile"}',
        '{"tool": "ReadFile", "arguments": {}, "ok": true}',
    ],
)
def test_this_is_no_call(text):
    assert call_in_text(text) is None
