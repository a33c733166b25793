"""Hooks of one thread (R10)."""

import pytest

from agents.models import Agent
from agents.playground import entries, threads
from portal.audit.models import AuditEvent
from tests.shell import BY, Caller, command, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]


def test_it_works(api: Caller) -> None:
    put_hook(api, "demand", "Stop", command("true"), activationMode="onDemand", description="d")
    put_hook(api, "always", "Stop", command("true"))
    put_hook(api, "off", "Stop", command("true"), enabled=False)
    url = "/api/v1/threads/t1/hooks"

    def active() -> list[bool]:
        return [hook["isActive"] for hook in api.get(url).body["hooks"]]

    assert api.get(url).body["hooks"][0] == {
        "name": "demand",
        "eventType": "Stop",
        "activationMode": "onDemand",
        "description": "d",
        "isActive": False,
        "isSystemHook": False,
        "canModify": True,
    }
    assert active() == [False, True, False]
    assert api.post(f"{url}/demand/activate", {}).body["isActive"] is True
    assert api.post(f"{url}/always/deactivate").body["isActive"] is False
    assert api.post(f"{url}/off/activate").body["isActive"] is False
    assert active() == [True, False, False]
    assert [hook["isActive"] for hook in api.get("/api/v1/threads/t2/hooks").body["hooks"]] == [False, True, False]
    api.post(f"{url}/demand/activate", {})
    verbs = list(
        AuditEvent.objects.filter(verb__startswith="thread").order_by("sequence").values_list("verb", flat=True)
    )
    assert verbs == ["thread_hook.activated", "thread_hook.deactivated", "thread_hook.activated"]


def test_what_is_not_there(api: Caller) -> None:
    assert api.post("/api/v1/threads/t/hooks/nobody/activate", {}).status == 404
    assert api.post("/api/v1/threads/t/hooks/nobody/switch", {}).status == 404
    assert api.get(f"/api/v1/threads/{'x' * 201}/hooks").targets == ["threadId"]
    assert api.get("/api/v1/threads/x%00/hooks").status == 400


def test_a_thread_of_the_playground_is_read_whole(api: Caller, agent: Agent) -> None:
    made = threads.create_thread(agent=agent, by=BY, title="Disk full")
    entries.append(made, "user", "Hello\x00", by="bob")
    agent.threads.create(key="live-1")
    listed = api.get("/api/v1/threads?top=1").body
    assert [one["id"] for one in listed["value"]] == ["live-1"] and listed["nextLink"]
    assert api.get(listed["nextLink"]).body["value"][0]["title"] == "Disk full"
    found = api.get(f"/api/v1/threads/{made.key}").body
    assert (found["mode"], found["length"]) == ("hand", 1)
    assert [(one["kind"], one["text"], one["by"]) for one in found["entries"]] == [("user", "Hello\x00", "bob")]
    assert api.get("/api/v1/threads/none").status == 404
