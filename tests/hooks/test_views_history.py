"""What a hook was: listed, compared, restored."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from portal.audit.lines import compare
from portal.audit.models import AuditEvent
from tests.pages import fields, hook, words


def changed(client: Client, version: int, **values: str) -> None:
    assert client.post("/hooks/no-sudo/edit", fields(version=str(version), **values)).status_code == 303


def test_it_works(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse", type="command", command="true", matcher="Bash")
    changed(as_bob, 1, matcher="Bash|Shell", timeout="10")
    page = as_bob.get("/hooks/no-sudo/history")
    text = words(page)
    assert "Version 2 in force" in text and "by bob" in text and "Version 1 to version 2" in text
    assert "Tool matcher" in text and "Timeout" in text
    assert "Bash<mark>|Shell</mark>" in page.content.decode()


def test_two_versions_are_chosen_in_the_address(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse", type="command", command="true", matcher="Bash")
    changed(as_bob, 1, matcher="Shell")
    changed(as_bob, 2, matcher="Bash")
    assert "The two are the same." not in words(as_bob.get("/hooks/no-sudo/history?from=1&to=2"))
    assert "Version 1 to version 3" in words(as_bob.get("/hooks/no-sudo/history?from=1&to=3"))
    assert as_bob.get("/hooks/no-sudo/history?from=x&to=99999999999").status_code == 200
    assert "first version" in words(as_bob.get("/hooks/no-sudo/history?to=1"))


def test_restoring_asks_first_and_can_be_undone(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse", type="command", command="true", matcher="Bash")
    changed(as_bob, 1, matcher="Shell")
    page = as_bob.get("/hooks/no-sudo/versions/1/restore")
    assert "Restore version 1 of no-sudo?" in words(page) and "It takes the place of version 2 at once" in words(page)
    assert agent.hooks.get().options["matcher"] == "Shell"
    done = as_bob.post("/hooks/no-sudo/versions/1/restore", {"etag": page.context["etag"]})
    assert done.status_code == 303
    assert agent.hooks.get().options["matcher"] == "Bash" and agent.hooks.get().version == 3
    assert AuditEvent.objects.filter(verb="hook.restored", actor_text="bob").exists()
    page = as_bob.get("/hooks/no-sudo/history")
    assert (
        "in force again, as version 3" in words(page) and "/hooks/no-sudo/versions/2/restore" in page.content.decode()
    )


def test_a_hook_that_was_changed_in_between_is_not_restored(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse", type="command", command="true", matcher="Bash")
    changed(as_bob, 1, matcher="Shell")
    etag = as_bob.get("/hooks/no-sudo/versions/1/restore").context["etag"]
    changed(as_bob, 2, matcher="Other")
    page = as_bob.post("/hooks/no-sudo/versions/1/restore", {"etag": etag})
    assert page.status_code == 409 and "changed in between" in words(page)
    assert agent.hooks.get().options["matcher"] == "Other"


def test_a_deleted_hook_has_a_history_and_comes_back(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse").delete()
    assert "Deleted" in words(as_bob.get("/hooks/no-sudo/history"))
    page = as_bob.get("/hooks/no-sudo/versions/1/restore")
    assert "The hook was deleted. It comes back" in words(page)
    assert as_bob.post("/hooks/no-sudo/versions/1/restore", {"etag": ""}).status_code == 303
    assert agent.hooks.get().name == "no-sudo"


def test_a_hook_made_anew_in_between_is_not_replaced(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse").delete()
    hook(agent, "no-sudo", "PostToolUse", type="command", command="false")
    page = as_bob.post("/hooks/no-sudo/versions/1/restore", {"etag": ""})
    assert page.status_code == 409
    assert agent.hooks.get().options["command"] == "false"


def test_what_is_not_there_is_404(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo")
    for address in ("nothing/history", "no-sudo/versions/9/restore", "no-sudo/versions/x/restore"):
        assert as_bob.get(f"/hooks/{address}").status_code == 404


def test_a_viewer_may_look_and_not_restore(signed_in: Callable[[User], Client], dana: User, agent: Agent) -> None:
    hook(agent, "no-sudo")
    client = signed_in(dana)
    assert "Restore" not in words(client.get("/hooks/no-sudo/history"))
    assert client.get("/hooks/no-sudo/versions/1/restore").status_code == 403


def test_lines_are_compared_by_word() -> None:
    lines = compare("a\nsame\nkeep this word\n", "a\nsame\nkeep that word\n")
    assert [line.sign for line in lines] == [" ", " ", "-", "+", " "]
    assert lines[2].parts == [("keep ", False), ("this", True), (" word", False)]
    assert (lines[3].old, lines[3].new) == (None, 3)


def test_comparing_is_bounded() -> None:
    lines = compare("\n".join(map(str, range(5_000))), "\n".join(f"x{n}" for n in range(5_000)))
    assert len(lines) <= 401 and lines[-1].sign == "…"
    assert len(str(compare("a" * 100_000, "b" * 100_000))) < 5_000
    assert "\u202e" not in str(compare("\u202ea", "b")[0].parts)
    far = compare("\n".join("abcdefghijklmnopqrstuvwxyz"), "\n".join("Abcdefghijklmnopqrstuvwxy!"))
    assert "…" in [line.sign for line in far]


def test_the_toast_takes_a_restored_version_back(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse", type="command", command="true", matcher="Bash")
    changed(as_bob, 1, matcher="Shell")
    etag = as_bob.get("/hooks/no-sudo/versions/1/restore").context["etag"]
    page = as_bob.post("/hooks/no-sudo/versions/1/restore", {"etag": etag}, follow=True)
    key = as_bob.session["undo"]["key"]
    assert agent.hooks.get().options["matcher"] == "Bash" and key in page.content.decode()
    as_bob.post("/hooks/undo", {"key": key})
    assert agent.hooks.get().options["matcher"] == "Shell"


def test_the_toast_brings_a_deleted_hook_back(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse", type="command", command="true", matcher="Bash")
    etag = as_bob.get("/hooks/no-sudo/delete").context["etag"]
    as_bob.post("/hooks/no-sudo/delete", {"etag": etag})
    assert not agent.hooks.exists()
    as_bob.post("/hooks/undo", {"key": as_bob.session["undo"]["key"]})
    assert agent.hooks.get().name == "no-sudo"
