"""Builder → Custom agents: documents as YAML."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from tests.pages import words

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
    assert as_bob.get("/custom-agents/create").status_code == 200
    assert as_bob.post("/custom-agents/create", {"document": DOCUMENT}).status_code == 303
    assert agent.custom_agents.get().hooks.count() == 1
    assert "log-reader" in words(as_bob.get("/custom-agents/"))
    page = as_bob.get("/custom-agents/log-reader/edit")
    changed = {"document": DOCUMENT.replace("Read logs.", "Read."), "etag": page.context["etag"]}
    assert as_bob.post("/custom-agents/log-reader/edit", changed).status_code == 303
    assert agent.custom_agents.get().spec["instructions"] == "Read."


def test_what_is_no_yaml_says_where(as_bob: Client) -> None:
    page = as_bob.post("/custom-agents/create", {"document": "a: [1\nb: 2"})
    assert page.status_code == 422
    assert "Line 2, column 2" in words(page)
    assert "a: [1\nb: 2" in page.content.decode()


def test_it_cannot_be_renamed_or_taken_over(as_bob: Client) -> None:
    as_bob.post("/custom-agents/create", {"document": DOCUMENT})
    assert "exists. Choose another name" in words(as_bob.post("/custom-agents/create", {"document": DOCUMENT}))
    etag = as_bob.get("/custom-agents/log-reader/edit").context["etag"]
    other = {"document": DOCUMENT.replace("log-reader", "other"), "etag": etag}
    assert "they must be equal" in words(as_bob.post("/custom-agents/log-reader/edit", other))


def test_the_second_of_two_editors_is_told(as_bob: Client) -> None:
    as_bob.post("/custom-agents/create", {"document": DOCUMENT})
    etag = as_bob.get("/custom-agents/log-reader/edit").context["etag"]
    as_bob.post("/custom-agents/log-reader/edit", {"document": DOCUMENT.replace("logs", "traces"), "etag": etag})
    page = as_bob.post("/custom-agents/log-reader/edit", {"document": DOCUMENT, "etag": etag})
    assert page.status_code == 422
    assert "changed in between" in words(page)


def test_deleting_asks_first(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/custom-agents/create", {"document": DOCUMENT})
    assert "It goes with its 1 hook." in words(as_bob.get("/custom-agents/log-reader/delete"))
    assert as_bob.post("/custom-agents/log-reader/delete").status_code == 303
    assert not agent.custom_agents.exists()


def test_a_viewer_may_look_only(signed_in: Callable[[User], Client], dana: User, as_bob: Client) -> None:
    as_bob.post("/custom-agents/create", {"document": DOCUMENT})
    client = signed_in(dana)
    assert "Read logs." in words(client.get("/custom-agents/log-reader/edit"))
    assert client.post("/custom-agents/log-reader/edit", {"document": DOCUMENT}).status_code == 403
