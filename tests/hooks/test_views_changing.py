"""The grid changed: order, several hooks at once, and Undo; YAML out and in."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agents.models import Agent
from hooks.engine import yamldoc
from hooks.models import Hook
from hooks.services import bulk as many
from portal.audit.models import AuditEvent
from tests.pages import HTMX, hook, words
from tests.shell import BY

ONE = "name: fresh\ntype: GlobalHook\nproperties:\n  eventType: Stop\n  hook: {type: command, command: 'true'}\n"


@pytest.fixture
def three(agent: Agent) -> list[Hook]:
    return [hook(agent, name) for name in ("zebra", "ant", "monkey")]


def order(agent: Agent) -> list[str]:
    return many.names_of(agent, "Stop")


def toast(page: Any) -> dict[str, str]:
    return json.loads(page.headers["HX-Trigger"])["toast"]  # type: ignore[no-any-return]


def undo(client: Client, page: Any) -> Any:
    key = client.session["undo"]["key"]
    assert key in page.content.decode()
    return client.post("/hooks/undo", {"key": key}, follow=True)


@pytest.mark.parametrize(
    ("asked", "after"),
    [
        ({"by": "up"}, ["ant", "zebra", "monkey"]),
        ({"by": "down"}, ["zebra", "monkey", "ant"]),
        ({"to": "3"}, ["zebra", "monkey", "ant"]),
        ({"to": "999"}, ["zebra", "monkey", "ant"]),
        ({"to": "0"}, ["ant", "zebra", "monkey"]),
        ({"to": "x"}, ["zebra", "ant", "monkey"]),
        ({}, ["zebra", "ant", "monkey"]),
    ],
)
def test_a_hook_is_moved(as_bob: Client, agent: Agent, three: Any, asked: dict[str, str], after: list[str]) -> None:
    page = as_bob.post("/hooks/ant/move", asked, headers=HTMX)
    assert order(agent) == after
    assert f"ant is number {after.index('ant') + 1} of 3 on Stop" in page.headers.get(
        "HX-Trigger", "ant is number 2 of 3 on Stop"
    )


def test_a_move_is_undone(as_bob: Client, agent: Agent, three: Any) -> None:
    page = as_bob.post("/hooks/ant/move", {"by": "up"}, follow=True)
    assert "ant is number 1 of 3 on Stop" in words(page)
    hook(agent, "late")
    assert "The order of Stop is as it was" in words(undo(as_bob, page))
    assert order(agent) == ["zebra", "ant", "monkey", "late"]


def test_several_are_disabled_and_enabled_again(as_bob: Client, agent: Agent, three: Any) -> None:
    page = as_bob.post("/hooks/bulk", {"action": "disable", "hook": ["zebra", "ant"]}, headers=HTMX)
    assert toast(page) == {"text": "2 hooks disabled", "undo": "undo-last"}
    assert list(Hook.objects.filter(enabled=True).values_list("name", flat=True)) == ["monkey"]
    assert "2 hooks enabled again" in words(undo(as_bob, page))
    assert Hook.objects.filter(enabled=True).count() == 3


def test_what_is_so_already_is_not_changed(as_bob: Client, three: Any) -> None:
    page = as_bob.post("/hooks/bulk", {"action": "enable", "hook": ["zebra"]}, follow=True)
    assert "All of them were enabled already" in words(page)
    assert "undo" not in as_bob.session


def test_deleting_names_what_it_hits_and_can_be_undone(as_bob: Client, agent: Agent, three: Any) -> None:
    page = as_bob.post("/hooks/bulk", {"action": "delete", "hook": ["zebra", "ant"], "query": "event=Stop"})
    text = words(page)
    assert "Delete 2 hooks?" in text and "zebra" in text and "ant" in text and "monkey" not in text
    assert "2 enabled hooks stop at once, for sre-agent" in text
    assert Hook.objects.count() == 3
    sent = {"action": "delete-confirmed", "query": "event=Stop"}
    sent |= {"hook": [name for name, _ in page.context["tags"]], "etag": [tag for _, tag in page.context["tags"]]}
    gone = as_bob.post("/hooks/bulk", sent, follow=True)
    assert gone.redirect_chain == [("/hooks/?event=Stop", 303)]
    assert order(agent) == ["monkey"] and "2 hooks deleted" in words(gone)
    assert "2 hooks restored" in words(undo(as_bob, gone))
    assert order(agent) == ["zebra", "ant", "monkey"]
    assert Hook.objects.get(name="zebra").version == 2


def test_what_was_changed_in_between_is_not_deleted(as_bob: Client, agent: Agent, three: Any) -> None:
    sent = {"action": "delete-confirmed", "hook": ["zebra", "ant"], "etag": [f'"{three[0].pk}.1"', '"0.0"']}
    page = as_bob.post("/hooks/bulk", sent)
    assert page.status_code == 409 and "changed or deleted in between" in words(page)
    assert len(order(agent)) == 3


def test_undo_does_not_overwrite_what_has_come_since(as_bob: Client, agent: Agent, three: Any) -> None:
    sent = {"action": "delete-confirmed", "hook": ["zebra"], "etag": [f'"{three[0].pk}.1"']}
    gone = as_bob.post("/hooks/bulk", sent, follow=True)
    hook(agent, "Zebra", "Start")
    page = undo(as_bob, gone)
    assert page.status_code == 409 and "cannot come back by that name" in words(page)


def test_undo_is_of_the_last_change_only(as_bob: Client, three: Any) -> None:
    assert as_bob.post("/hooks/undo", {"key": "x"}).status_code == 409
    assert as_bob.post("/hooks/undo").status_code == 409


def test_all_that_the_filters_leave(as_bob: Client, agent: Agent, three: Any) -> None:
    hook(agent, "other", "Start")
    as_bob.post("/hooks/bulk", {"action": "disable", "all": "1", "query": "event=Stop", "hook": ["zebra"]})
    assert list(Hook.objects.filter(enabled=True).values_list("name", flat=True)) == ["other"]


def test_nothing_selected(as_bob: Client, three: Any) -> None:
    for hooks in ([], ["nobody", "\x00"]):
        assert "No hook was selected" in words(
            as_bob.post("/hooks/bulk", {"action": "enable", "hook": hooks}, follow=True)
        )


@pytest.mark.parametrize("path", ["/hooks/bulk", "/hooks/zebra/move", "/hooks/undo", "/hooks/import-yaml"])
def test_a_viewer_changes_nothing(signed_in: Callable[[User], Client], dana: User, three: Any, path: str) -> None:
    assert signed_in(dana).post(path, {"action": "disable", "hook": "zebra", "by": "down"}).status_code == 403


def test_export(as_bob: Client, agent: Agent, three: Any) -> None:
    whole = as_bob.get("/hooks/export")
    assert whole.headers["Content-Disposition"] == 'attachment; filename="sre-agent-hooks.yaml"'
    assert [one["name"] for one in yamldoc.load(whole.content)["hooks"]] == ["zebra", "ant", "monkey"]
    some = as_bob.post("/hooks/export", {"hook": ["monkey", "zebra"]})
    bundle = yamldoc.load(some.content)
    assert [one["name"] for one in bundle["hooks"]] == ["zebra", "monkey"] and "agents" not in bundle
    told = AuditEvent.objects.filter(verb="export.made").order_by("sequence").last()
    assert told and told.after["hooks"] == ["zebra", "monkey"]


def test_yaml_is_looked_at_then_loaded(as_bob: Client, agent: Agent, three: Any) -> None:
    page = as_bob.post("/hooks/import-yaml", {"source": ONE, "do": "preview"})
    assert "1 change" in words(page) and "created hook fresh" in words(page)
    assert not Hook.objects.filter(name="fresh").exists()
    sent = {"source": ONE, "etag": page.context["form"].initial["etag"], "do": "load"}
    done = as_bob.post("/hooks/import-yaml", sent, follow=True)
    assert "1 change imported" in words(done) and order(agent)[-1] == "fresh"
    again = as_bob.post("/hooks/import-yaml", {"source": ONE})
    assert "Nothing would change" in words(again)


def test_an_export_comes_back_as_it_was(as_bob: Client, agent: Agent, three: Any) -> None:
    file = SimpleUploadedFile("hooks.yaml", as_bob.get("/hooks/export").content)
    page = as_bob.post("/hooks/import-yaml", {"upload": file, "prune": "on"})
    assert "Nothing would change" in words(page) and "3 as they are already" in words(page)
    assert "zebra" in page.context["form"].initial["source"]


def test_what_was_changed_since_the_preview_is_shown_anew(as_bob: Client, three: Any) -> None:
    page = as_bob.post("/hooks/import-yaml", {"source": ONE, "etag": '"old"', "do": "load"})
    assert page.status_code == 409 and "changed in between" in words(page)
    assert not Hook.objects.filter(name="fresh").exists()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "Not imported"),
        ("[", "Not imported"),
        ("hooks: [{name: x}]", "hooks[0]"),
        ("nothing: here", "no field of a bundle"),
        ("a\x00b", "Not imported"),
        ("- 1\n- 2", "must be an object"),
        (ONE.replace("Stop", "Sotp"), "Sotp"),
        ("<script>alert(1)</script>: 1", "no field of a bundle"),
    ],
)
def test_bad_yaml_is_said_in_words_and_kept(as_bob: Client, agent: Agent, source: str, said: str) -> None:
    page = as_bob.post("/hooks/import-yaml", {"source": source, "do": "load", "etag": "*"})
    assert page.status_code == 422
    assert said in words(page)
    assert "<script>alert" not in page.content.decode()
    assert Hook.objects.count() == 0


def test_restoring_takes_all_or_nothing(agent: Agent, three: Any) -> None:
    gone = many.delete_hooks(agent=agent, expected={"ant": f'"{three[1].pk}.1"'}, by=BY)
    assert gone.orders == {"Stop": ["zebra", "ant", "monkey"]}
    many.restore_hooks(agent=agent, versions=gone.versions, orders=gone.orders, by=BY)
    assert order(agent) == ["zebra", "ant", "monkey"]
