"""A custom agent created, edited and deleted: as a form, and as its document."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from tests.pages import HTMX, words

DOCUMENT = """\
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata:
  name: log-reader
spec:
  instructions: Read logs.
  hooks:
    Stop:
      - type: command
        command: "true"
"""


def test_it_works(as_bob: Client, agent: Agent) -> None:
    assert "No custom agents yet" in words(as_bob.get("/custom-agents/"))
    assert as_bob.get("/custom-agents/create-yaml").status_code == 200
    assert as_bob.post("/custom-agents/create-yaml", {"document": DOCUMENT}).status_code == 303
    assert agent.custom_agents.get().hooks.count() == 1
    assert "log-reader" in words(as_bob.get("/custom-agents/"))
    page = as_bob.get("/custom-agents/log-reader/yaml")
    changed = {"document": DOCUMENT.replace("Read logs.", "Read."), "etag": page.context["etag"]}
    assert as_bob.post("/custom-agents/log-reader/yaml", changed).status_code == 303
    assert agent.custom_agents.get().spec["instructions"] == "Read."


def test_what_is_no_yaml_says_where(as_bob: Client) -> None:
    page = as_bob.post("/custom-agents/create-yaml", {"document": "a: [1\nb: 2"})
    assert page.status_code == 422
    assert "Line 2, column 2" in words(page)
    assert "a: [1\nb: 2" in page.content.decode()


def test_it_cannot_be_renamed_or_taken_over(as_bob: Client) -> None:
    as_bob.post("/custom-agents/create-yaml", {"document": DOCUMENT})
    assert "exists. Choose another name" in words(as_bob.post("/custom-agents/create-yaml", {"document": DOCUMENT}))
    etag = as_bob.get("/custom-agents/log-reader/yaml").context["etag"]
    other = {"document": DOCUMENT.replace("log-reader", "other"), "etag": etag}
    assert "they must be equal" in words(as_bob.post("/custom-agents/log-reader/yaml", other))


def test_the_second_of_two_editors_is_told(as_bob: Client) -> None:
    as_bob.post("/custom-agents/create-yaml", {"document": DOCUMENT})
    etag = as_bob.get("/custom-agents/log-reader/yaml").context["etag"]
    as_bob.post("/custom-agents/log-reader/yaml", {"document": DOCUMENT.replace("logs", "traces"), "etag": etag})
    page = as_bob.post("/custom-agents/log-reader/yaml", {"document": DOCUMENT, "etag": etag})
    assert page.status_code == 422
    assert "changed in between" in words(page)


def test_deleting_asks_first(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/custom-agents/create-yaml", {"document": DOCUMENT})
    other = DOCUMENT.replace("log-reader", "asks-it").replace(
        "  instructions", "  handoffs: [Log-Reader]\n  instructions"
    )
    as_bob.post("/custom-agents/create-yaml", {"document": other})
    asked = words(as_bob.get("/custom-agents/log-reader/delete"))
    assert "It goes with its 1 hook." in asked and "1 custom agent hands over to it: asks-it" in asked
    assert as_bob.post("/custom-agents/log-reader/delete").status_code == 303
    assert [one.name for one in agent.custom_agents.all()] == ["asks-it"]


def test_a_viewer_may_look_only(signed_in: Callable[[User], Client], dana: User, as_bob: Client) -> None:
    as_bob.post("/custom-agents/create-yaml", {"document": DOCUMENT})
    client = signed_in(dana)
    assert "Read logs." in words(client.get("/custom-agents/log-reader/yaml"))
    assert client.post("/custom-agents/log-reader/yaml", {"document": DOCUMENT}).status_code == 403


def test_a_document_is_checked_and_compared_before_it_is_saved(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/custom-agents/create-yaml", {"document": DOCUMENT})
    changed = {"document": DOCUMENT.replace("Read logs.", "Read traces."), "do": "check"}
    for headers in ({}, HTMX):
        said = words(as_bob.post("/custom-agents/log-reader/yaml", changed, headers=headers))
        assert "Valid." in said and "traces" in said
    assert agent.custom_agents.get().spec["instructions"] == "Read logs."
    wrong = {"document": DOCUMENT.replace("type: command", "type: nothing"), "do": "check"}
    said = words(as_bob.post("/custom-agents/log-reader/yaml", wrong, headers=HTMX))
    assert "Not valid: 1 fault" in said and "spec.hooks.Stop[0].type" in said
    same = {"document": DOCUMENT, "do": "check"}
    assert "Nothing differs" in words(as_bob.post("/custom-agents/log-reader/yaml", same, headers=HTMX))
    assert "Valid." in words(as_bob.post("/custom-agents/create-yaml", same, headers=HTMX))


FORM = {
    "name": "log-reader",
    "instructions": "Read.\r\nThen say.",
    "handoffDescription": "Reads logs",
    "handoffs": "other\r\n\r\n third ",
    "tools": "QueryLogs\nGrep",
    "tags": "a, b",
    "owner": "sre",
}


def test_the_form_creates_and_changes(as_bob: Client, agent: Agent) -> None:
    assert as_bob.get("/custom-agents/create").status_code == 200
    assert as_bob.post("/custom-agents/create", FORM).status_code == 303
    found = agent.custom_agents.get()
    assert found.spec == {
        "instructions": "Read.\nThen say.",
        "handoffDescription": "Reads logs",
        "handoffs": ["other", "third"],
        "tools": ["QueryLogs", "Grep"],
    }
    assert (found.tags, found.owner) == (["a", "b"], "sre")
    etag = as_bob.get("/custom-agents/log-reader/edit").context["etag"]
    again = {**FORM, "etag": etag, "handoffs": "", "enableVanillaMode": "on"}
    assert as_bob.post("/custom-agents/log-reader/edit", again).status_code == 303
    found.refresh_from_db()
    assert found.spec["handoffs"] == [] and found.spec["enableVanillaMode"] is True
    assert as_bob.post("/custom-agents/log-reader/edit", {**again, "etag": etag}).status_code == 422


def test_the_form_keeps_what_it_does_not_show(as_bob: Client, agent: Agent) -> None:
    more = "  hooks:"
    document = DOCUMENT.replace(more, f"  tools: [{{name: odd}}]\n  temperature: 0.5\n{more}")
    as_bob.post("/custom-agents/create-yaml", {"document": document})
    before = agent.custom_agents.get()
    page = as_bob.get("/custom-agents/log-reader/edit")
    assert "temperature: 0.5" in words(page) and "name: odd" in words(page)
    same = {"instructions": "Read logs.", "etag": page.context["etag"]}
    assert as_bob.post("/custom-agents/log-reader/edit", same).status_code == 303
    after = agent.custom_agents.get()
    assert (after.version, list(after.spec)) == (before.version, list(before.spec))
    assert as_bob.post("/custom-agents/log-reader/edit", {**same, "instructions": "Other."}).status_code == 303
    after = agent.custom_agents.get()
    assert after.spec["temperature"] == 0.5 and after.hooks.count() == 1 and after.version == before.version + 1


def test_what_is_wrong_in_the_form_stands_at_its_field(as_bob: Client) -> None:
    page = as_bob.post("/custom-agents/create", {**FORM, "name": "<b>"})
    assert page.status_code == 422
    assert "Name must have 1 to 64 letters" in words(page) and "Then say." in page.content.decode()
    as_bob.post("/custom-agents/create", FORM)
    assert "exists. Choose another name" in words(as_bob.post("/custom-agents/create", FORM))
