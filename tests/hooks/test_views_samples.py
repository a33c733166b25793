"""Builder → Sample contexts."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from tests.pages import HTMX, words

CONTEXT = '{"final_output": "4"}'


def filled(**changed: Any) -> dict[str, Any]:
    return {
        "name": "four",
        "event": "Stop",
        "description": "too short",
        "context": CONTEXT,
        "transcript": "",
        "decision": "block",
        "reason": "marker",
        "etag": "",
        **changed,
    }


def test_it_works(as_bob: Client, agent: Agent) -> None:
    assert "No sample contexts yet" in words(as_bob.get("/samples/"))
    assert as_bob.post("/samples/create", filled()).status_code == 303
    sample = agent.samples.get()
    assert sample.context == {"final_output": "4"}
    assert sample.expected == {"decision": "block", "reasonContains": "marker"}
    assert "four too short Stop Rejected" in words(as_bob.get("/samples/"))
    page = as_bob.get("/samples/four/edit")
    assert "final_output" in page.content.decode()
    changed = filled(etag=page.context["etag"], transcript='[{"role": "user", "text": "2 + 2?"}]')
    assert as_bob.post("/samples/four/edit", changed).status_code == 303
    sample.refresh_from_db()
    assert sample.transcript == [{"role": "user", "text": "2 + 2?"}]


def test_faults_stand_at_their_fields(as_bob: Client, agent: Agent) -> None:
    page = as_bob.post("/samples/create", filled(context="{", decision="deny"), headers=HTMX)
    text = words(page)
    assert page.status_code == 422
    assert "Context is no JSON" in text
    assert "Expected decision" in text and "must be allow or block" in text
    assert "context is required" not in text
    page = as_bob.post("/samples/create", filled(name="a b"))
    assert "must have 1 to 64 letters" in words(page)
    assert "context.final_output is required" in words(as_bob.post("/samples/create", filled(context="{}")))
    assert not agent.samples.exists()


def test_a_name_is_not_taken_over(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/samples/create", filled())
    page = as_bob.post("/samples/create", filled(context='{"final_output": "5"}'))
    assert page.status_code == 422
    assert "Name is taken by another sample" in words(page)
    assert agent.samples.get().context == {"final_output": "4"}


def test_the_second_of_two_editors_is_told(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/samples/create", filled())
    etag = as_bob.get("/samples/four/edit").context["etag"]
    as_bob.post("/samples/four/edit", filled(etag=etag, description="first"))
    page = as_bob.post("/samples/four/edit", filled(etag=etag, description="second"))
    assert page.status_code == 422
    assert "Somebody changed this sample" in words(page) and 'value="second"' in page.content.decode()


def test_what_databases_refuse_survives_the_form(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/samples/create", filled(context='{"final_output": "a\\u0000b\\u2028"}'))
    page = as_bob.get("/samples/four/edit")
    assert "a\\u0000b" in page.content.decode()
    shown = page.context["form"]["rest"].value()
    as_bob.post("/samples/four/edit", filled(etag=page.context["etag"], shape="fields", rest=shown))
    assert agent.samples.get().context == {"final_output": "a\x00b\u2028"}


def test_deleting_asks_first(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/samples/create", filled())
    assert "Delete the sample four?" in words(as_bob.get("/samples/four/delete"))
    assert as_bob.post("/samples/four/delete").status_code == 303
    assert not agent.samples.exists()


def test_a_viewer_may_look_only(signed_in: Callable[[User], Client], dana: User, as_bob: Client) -> None:
    as_bob.post("/samples/create", filled())
    client = signed_in(dana)
    assert client.get("/samples/four/edit").status_code == 200
    assert client.post("/samples/four/edit", filled()).status_code == 403
    assert client.get("/samples/create").status_code == 403
