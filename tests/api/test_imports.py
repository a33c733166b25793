"""Other products' files, by API, page and command."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from agents.models import Agent
from hooks.models import Hook
from portal.audit.models import AuditEvent
from tests.pages import as_bob, no_trouble, signed_in, words
from tests.shell import Answer, Caller, put_hook

__all__ = ["as_bob", "no_trouble", "signed_in"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
URL, HOOKS, PAGE = "/api/v2/imports", "/api/v2/extendedAgent/hooks", "/hooks/import"
CLAUDE = {
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 5}]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "true"}]}],
    }
}


def bring(api: Caller, file: Any = CLAUDE, query: str = "product=claude", **options: Any) -> Answer:
    return api.post(f"{URL}?{query}", file, **options)


def named(answer: Answer) -> list[str]:
    return [hook["name"] for hook in answer.body["hooks"]]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("import_hooks", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_it_works(api: Caller, agent: Agent) -> None:
    answer = bring(api)
    assert (answer.status, answer.body["product"]) == (201, "claude")
    assert named(answer) == ["claude-pretooluse-1", "claude-stop-1"]
    assert answer.body["hooks"][0] == api.get(f"{HOOKS}/claude-pretooluse-1").body
    assert "SessionEnd" in next(note["message"] for note in answer.body["notes"] if note["level"] == "no_equal")
    assert {tuple(note) for note in answer.body["notes"]} == {("path", "level", "hook", "message")}
    assert AuditEvent.objects.filter(verb="hook.created").count() == 2


def test_it_runs_as_it_did_there(api: Caller) -> None:
    bring(api)
    context = {"hook_event_name": "PreToolUse", "agent_name": "sre-agent", "tool_name": "Bash", "tool_input": {}}
    answer = api.post("/api/v2/hooks/evaluate", {"context": context}).body
    assert (answer["decision"], answer["reason"]) == ("deny", "no")


def test_a_dry_run_stores_nothing(api: Caller) -> None:
    events = AuditEvent.objects.count()
    answer = bring(api, query="product=claude&dryRun=true")
    assert (answer.status, len(answer.body["hooks"])) == (200, 2)
    assert (Hook.objects.count(), AuditEvent.objects.count()) == (0, events)


def test_the_same_file_twice_changes_nothing(api: Caller) -> None:
    first, events = bring(api), AuditEvent.objects.count()
    again = bring(api)
    assert (again.status, again.body["hooks"], again.body["unchanged"]) == (200, [], named(first))
    assert (Hook.objects.count(), AuditEvent.objects.count()) == (2, events)


def test_a_name_that_is_taken_gets_a_number(api: Caller) -> None:
    put_hook(api, "Claude-Stop-1", "Stop", {"prompt": "p"})
    answer = bring(api)
    assert named(answer) == ["claude-pretooluse-1", "claude-stop-1-2"]
    note = answer.body["notes"][-1]
    assert (note["hook"], note["level"]) == ("claude-stop-1-2", "translated")
    assert "The name claude-stop-1 is taken" in note["message"]
    assert bring(api).body["unchanged"] == ["claude-pretooluse-1", "claude-stop-1"]
    assert Hook.objects.count() == 3


def test_the_product_is_told_by_name_or_content(api: Caller) -> None:
    assert bring(api, query="filename=.claude/settings.json&dryRun=true").body["product"] == "claude"
    gemini = {"hooks": {"BeforeTool": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}]}}
    assert bring(api, gemini, query="").body["product"] == "gemini"
    assert bring(api, query="product=emacs").targets == ["product"]
    assert bring(api, {"hooks": {"What": []}}, query="").targets == ["product"]


@pytest.mark.parametrize(
    ("file", "targets"),
    [
        ({}, ["hooks"]),
        ([], [""]),
        ({"hooks": []}, ["hooks"]),
        (
            {"hooks": {"Stop": {}, "PreToolUse": [{"hooks": [{"type": "command", "timeout": "x"}]}]}},
            ["hooks.Stop", "hooks.PreToolUse[0].hooks[0].command", "hooks.PreToolUse[0].hooks[0].timeout"],
        ),
    ],
)
def test_faults(api: Caller, file: Any, targets: list[str]) -> None:
    answer = bring(api, file)
    assert (answer.status, sorted(answer.targets)) == (400, sorted(targets))


def test_bodies_that_are_no_file(api: Caller) -> None:
    assert bring(api, raw="{").code == "MalformedBody"
    assert "comments" in bring(api, raw='{"hooks": {} // none\n}').message
    assert bring(api, raw="").code == "MalformedBody"
    assert bring(api, raw=b"\xff").code == "MalformedBody"
    assert bring(api, raw='"' + "x" * 1_048_576 + '"').code == "PayloadTooLarge"
    assert bring(api, raw="hooks: {}", type="application/yaml").status == 415


def test_an_event_that_is_full(api: Caller, agent: Agent) -> None:
    Hook.objects.bulk_create(
        Hook(agent=agent, name=f"h{n}", event="Stop", position=n, type="prompt") for n in range(100)
    )
    answer = bring(api)
    assert (answer.status, answer.targets) == (400, ["claude-stop-1.properties.eventType"])
    assert Hook.objects.count() == 100


def test_the_command(agent: Agent, tmp_path: Path) -> None:
    place = tmp_path / ".claude" / "settings.json"
    place.parent.mkdir()
    place.write_text(json.dumps(CLAUDE))
    assert "2 hooks of Claude Code would be imported." in run(str(place), "--dry-run")
    assert agent.hooks.count() == 0
    said = run(str(place))
    assert "created   claude-stop-1 (Stop)" in said
    assert "no_equal  hooks.SessionEnd" in said
    assert "2 hooks of Claude Code imported." in said
    assert "unchanged claude-stop-1" in run(str(place), "--product", "claude", "--agent", "sre-agent")
    place.write_text("{")
    with pytest.raises(CommandError, match="not JSON"):
        run(str(place))
    with pytest.raises(CommandError, match="No such file"):
        run(str(tmp_path / "none.json"))


def test_the_page(as_bob: Client, agent: Agent) -> None:
    assert PAGE in as_bob.get("/hooks/").content.decode()
    assert "Paste it" in words(as_bob.get(PAGE))
    upload = SimpleUploadedFile("settings.json", json.dumps(CLAUDE).encode())
    preview = as_bob.post(PAGE, {"upload": upload, "product": "claude", "do": "preview"})
    assert preview.status_code == 200
    assert "Preview: 2 hooks of Claude Code" in words(preview)
    assert "SessionEnd" in words(preview)
    assert agent.hooks.count() == 0
    form = preview.context["form"]
    kept = {name: form[name].value() or "" for name in ("source", "product", "filename")}
    done = as_bob.post(PAGE, {**kept, "do": "import"})
    assert "Imported: 2 hooks of Claude Code" in words(done)
    assert agent.hooks.count() == 2
    again = words(as_bob.post(PAGE, {**kept, "do": "import"}))
    assert "left as they are: claude-pretooluse-1, claude-stop-1" in again


def test_the_pages_faults(as_bob: Client, agent: Agent) -> None:
    for source, said in (("", "The file is empty"), ("{", "not JSON"), ('{"hooks": {"Stop": 7}}', "must be a list")):
        answer = as_bob.post(PAGE, {"source": source, "product": "claude", "do": "import"})
        assert (answer.status_code, said in words(answer)) == (422, True)
    answer = as_bob.post(PAGE, {"source": json.dumps({"hooks": {"What": []}}), "product": ""})
    assert (answer.status_code, "Product" in words(answer)) == (422, True)
    broken = as_bob.post(PAGE, {"upload": SimpleUploadedFile("x.json", b"\xff\xfe"), "do": "preview"})
    assert (broken.status_code, "not UTF-8" in words(broken)) == (422, True)
