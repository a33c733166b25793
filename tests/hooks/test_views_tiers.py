"""Settings → Model tiers: what is in force, what is saved, and what trying shows."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from hooks.models import ModelTier
from portal.audit.models import AuditEvent
from tests.pages import HTMX, words
from tests.scripted_model import ScriptedModel, failure, said

EDIT, TRY = "/model-tiers/Fast/edit", "/model-tiers/Fast/try"
FILLED = {"deployment": "small", "baseUrl": "", "priceIn": "1.5", "priceOut": "20", "etag": '"Fast.0"'}


@pytest.fixture
def as_alice(signed_in: Callable[[User], Client], alice: User) -> Client:
    return signed_in(alice)


def test_it_works(as_alice: Client, settings: Any) -> None:
    settings.MODEL_TIERS = {"Reasoning": "thinker"}
    page = words(as_alice.get("/model-tiers/"))
    assert "thinker from the environment" in page and "gpt-5-mini the default model" in page
    assert "the default model serves this tier" in words(as_alice.get(EDIT))
    saved = as_alice.post(EDIT, FILLED)
    assert saved.headers["Location"] == "/model-tiers/"
    page = words(as_alice.get("/model-tiers/"))
    assert "small set here" in page and "1.5 / 20" in page and "Fast saved: in force for the next evaluation" in page
    assert 'value="1.5"' in as_alice.get(EDIT).content.decode()
    event = AuditEvent.objects.get(verb="model_tier.updated")
    assert (event.actor_text, event.object_text, event.after["priceIn"]) == ("alice", "Fast", 1.5)


@pytest.mark.parametrize(
    ("changed", "said_so"),
    [
        ({"priceIn": "much"}, "Price in must be US dollars per million tokens"),
        ({"priceOut": ""}, "Price out is needed as well"),
        ({"baseUrl": "http://localhost:6379"}, "Base URL is not allowed"),
        ({"baseUrl": "http://169.254.169.254/latest/"}, "Base URL is not allowed"),
        ({"baseUrl": "https://me:secret@8.8.8.8"}, "Base URL must hold no user name or password"),
    ],
)
@pytest.mark.parametrize("address", [EDIT, TRY])
def test_faults_stand_at_their_fields(as_alice: Client, address: str, changed: dict[str, str], said_so: str) -> None:
    page = as_alice.post(address, FILLED | changed)
    assert page.status_code == 422
    assert said_so in words(page) and "Not saved: 1 fault" in words(page)
    assert not ModelTier.objects.exists()


def test_two_people_at_one_tier(as_alice: Client) -> None:
    as_alice.post(EDIT, FILLED)
    page = as_alice.post(EDIT, FILLED | {"deployment": "other"})
    assert page.status_code == 422 and "Somebody changed this tier in between" in words(page)
    assert 'name="etag" value="&quot;Fast.1&quot;"' in page.content.decode()
    for address, changed in ((EDIT, {"priceIn": "x"}), (TRY, {"priceIn": "x"})):
        page = as_alice.post(address, FILLED | changed)
        assert 'name="etag" value="&quot;Fast.0&quot;"' in page.content.decode()
    assert as_alice.post(EDIT, FILLED | {"deployment": "other", "etag": '"Fast.1"'}).status_code == 303


def test_trying_asks_what_is_typed_and_saves_nothing(as_alice: Client, model: ScriptedModel) -> None:
    model.script(said("<b>ready</b>\u202e"))
    page = as_alice.post(TRY, FILLED, headers=HTMX)
    assert "small answered: <b>ready</b>⟨U+202E⟩" in words(page)
    assert "100 tokens in, 10 out · $0.000350" in words(page)
    assert "&lt;b&gt;" in page.content.decode() and page.content.decode().startswith('<form id="tier-form"')
    assert model.requests[0]["model"] == "small"
    assert not ModelTier.objects.exists() and not AuditEvent.objects.filter(object_type="model_tier").exists()


def test_trying_tells_the_plain_reason(as_alice: Client, model: ScriptedModel, settings: Any) -> None:
    model.script(failure(404, "the model small does not exist"))
    assert "The server answered 404: the model small does not exist" in words(as_alice.post(TRY, FILLED))
    settings.MODEL_HOSTS_ALLOWED = []
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    from hooks import runtime

    runtime.reset()
    assert "No model is configured" in words(as_alice.post(TRY, FILLED))


def test_admins_alone(signed_in: Callable[[User], Client], bob: User) -> None:
    for address, method in (("/model-tiers/", "get"), (EDIT, "get"), (EDIT, "post"), (TRY, "post")):
        assert getattr(signed_in(bob), method)(address).status_code == 403
    assert "Model tiers" not in words(signed_in(bob).get("/hooks/"))


def test_a_tier_that_there_is_not(as_alice: Client) -> None:
    assert as_alice.get("/model-tiers/Best/edit").status_code == 404
