"""Whose file it is: by folder, by content, or by asking."""

import json
from typing import Any

import pytest

from hooks.engine.errors import Invalid
from hooks.imports import PRODUCTS, read

GROUP = [{"hooks": [{"type": "command", "command": "true"}]}]
FLAT = [{"command": "true"}]


def product_of(document: dict[str, Any], filename: str | None = None, product: str | None = None) -> str:
    return read(json.dumps(document), filename=filename, product=product).product


@pytest.mark.parametrize(
    ("filename", "event", "items", "product"),
    [
        (".claude/settings.json", "SessionStart", GROUP, "claude"),
        ("C:\\me\\.claude\\settings.local.json", "SessionStart", GROUP, "claude"),
        (".gemini/settings.json", "SessionStart", GROUP, "gemini"),
        ("/repo/.github/hooks/guard.json", "preToolUse", FLAT, "copilot"),
        ("~/.codex/hooks.json", "Stop", GROUP, "codex"),
        (".cursor/hooks.json", "preToolUse", FLAT, "cursor"),
    ],
)
def test_the_folder_tells(filename: str, event: str, items: Any, product: str) -> None:
    assert product_of({"hooks": {event: items}}, filename) == product


@pytest.mark.parametrize(
    ("document", "filename", "product"),
    [
        ({"hooks": {"BeforeTool": GROUP}}, None, "gemini"),
        ({"hooks": {"AfterAgent": GROUP, "enabled": True}}, "settings.json", "gemini"),
        ({"hooks": {"PostToolUseFailure": GROUP}}, None, "claude"),
        ({"hooks": {"PreToolUse": GROUP}}, "settings.json", "claude"),
        ({"permissions": {}, "hooks": {"PreToolUse": GROUP}}, None, "claude"),
        ({"hooks": {"PreToolUse": [{"hooks": [{"command": "$CLAUDE_PLUGIN_ROOT/x"}]}]}}, "hooks.json", "claude"),
        ({"hooks": {"PreToolUse": GROUP}}, "hooks.json", "codex"),
        ({"version": 1, "hooks": {"beforeShellExecution": FLAT}}, None, "cursor"),
        ({"version": 1, "hooks": {"preToolUse": FLAT}}, "hooks.json", "cursor"),
        ({"version": 1, "hooks": {"stop": [{"command": "true", "loop_limit": 1}]}}, None, "cursor"),
        ({"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "true"}]}}, None, "copilot"),
        ({"version": 1, "hooks": {"userPromptSubmitted": [], "agentStop": FLAT}}, None, "copilot"),
    ],
)
def test_the_content_tells(document: dict[str, Any], filename: str | None, product: str) -> None:
    assert product_of(document, filename) == product


@pytest.mark.parametrize(
    ("document", "filename", "words"),
    [
        ({"hooks": {"PreToolUse": GROUP}}, None, "could be of several products. Say which one: claude, codex"),
        ({"hooks": {"SessionStart": GROUP}}, "settings.json", "Say which one: claude, codex, gemini"),
        ({"hooks": {"preToolUse": FLAT}}, None, "Say which one: copilot, cursor"),
        ({"hooks": {"onSave": FLAT}}, None, "no product that is known here. Say which one: claude, copilot, codex"),
        ({"hooks": {}}, None, "no product that is known here"),
    ],
)
def test_what_could_be_several_is_asked(document: dict[str, Any], filename: str | None, words: str) -> None:
    with pytest.raises(Invalid) as caught:
        product_of(document, filename)
    (fault,) = caught.value.faults
    assert (fault.target, fault.code) == ("product", "required")
    assert words in fault.message


@pytest.mark.parametrize("name", ["claude", "Claude Code", "claude-code", "CLAUDE"])
def test_the_caller_may_say(name: str) -> None:
    assert product_of({"hooks": {"PreToolUse": GROUP}}, ".gemini/settings.json", name) == "claude"


@pytest.mark.parametrize("name", [*PRODUCTS, "Gemini CLI", "github copilot", "copilot-cli"])
def test_keys_and_titles_are_known(name: str) -> None:
    assert product_of({"hooks": {}}, product=name) in PRODUCTS


def test_an_unknown_product_is_refused() -> None:
    with pytest.raises(Invalid) as caught:
        product_of({"hooks": {}}, product="claud")
    (fault,) = caught.value.faults
    assert (fault.target, fault.code) == ("product", "invalid_choice")
    assert "did you mean 'claude'" in fault.message
