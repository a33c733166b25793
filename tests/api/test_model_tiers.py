"""Model tiers as resources, and what they change about evaluations."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Agent
from agents.services import create_agent
from hooks.models import ModelTier
from portal.access.actors import Actor
from portal.audit.models import AuditEvent
from tests.scripted_model import ScriptedModel
from tests.shell import STOP, Caller, put_hook

pytestmark = pytest.mark.django_db
TIERS = "/api/v2/modelTiers"
FAST = f"{TIERS}/Fast"
PROMPT = {"type": "prompt", "prompt": "Is it done? $ARGUMENTS", "model": "Fast"}
NAMES = ["Reasoning", "ReasoningFast", "GeneralPurpose", "Fast", "LongContext"]


def test_it_works(api: Caller, settings: Any) -> None:
    settings.OPENAI_API_KEY, settings.MODEL_TIERS = "sk-secret", {"Reasoning": "thinker"}
    listed = api.get(TIERS).body
    assert [one["tier"] for one in listed["value"]] == NAMES and listed["nextLink"] is None
    assert listed["value"][0]["effective"] == {
        "deployment": "thinker",
        "source": "environment",
        "server": "https://api.openai.com",
        "hasKey": True,
    }
    given = {"deployment": "small", "baseUrl": "https://8.8.8.8/v1/", "priceIn": 0.25, "priceOut": 2}
    put = api.put(FAST, given)
    assert (put.status, put.headers["ETag"]) == (200, '"Fast.1"')
    assert put.body == {
        "tier": "Fast",
        **given,
        "baseUrl": "https://8.8.8.8/v1",
        "effective": {"deployment": "small", "source": "page", "server": "https://8.8.8.8", "hasKey": False},
        "version": 1,
    }
    assert api.get(f"{TIERS}/fast").body == put.body
    assert "sk-secret" not in api.get(TIERS).text
    assert api.put(FAST, put.body).body["version"] == 1
    reset = api.put(FAST, {})
    assert reset.body["effective"]["source"] == "default" and reset.body["version"] == 2
    events = AuditEvent.objects.filter(object_type="model_tier").order_by("sequence")
    assert [(event.after["deployment"], event.actor_kind) for event in events] == [("small", "token"), (None, "token")]


def test_a_dry_run_and_conditions(api: Caller) -> None:
    dry = api.put(f"{FAST}?dryRun=true", {"deployment": "small"})
    assert {change["path"] for change in dry.body["diff"]} >= {"deployment", "effective.deployment"}
    assert not ModelTier.objects.exists()
    assert api.put(FAST, {"deployment": "small"}, If_Match='"Fast.0"').status == 200
    assert api.put(FAST, {"deployment": "other"}, If_Match='"Fast.0"').status == 412
    assert api.put(FAST, {"deployment": "other"}, If_None_Match="*").status == 412
    assert api.put(FAST, {"tier": "Reasoning"}).status == 409
    assert api.get(f"{TIERS}/Nothing").status == 404


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ([], [""]),
        ({"deployment": 1, "baseUrl": 1, "priceIn": "1", "priceOut": True, "key": "sk"}, None),
        ({"deployment": "x" * 201}, ["deployment"]),
        ({"deployment": "a\nb"}, ["deployment"]),
        ({"priceIn": 1}, ["priceOut"]),
        ({"priceOut": 1}, ["priceIn"]),
        ({"priceIn": -1, "priceOut": 100_001}, ["priceIn", "priceOut"]),
        ({"baseUrl": "http://127.0.0.1:6379"}, ["baseUrl"]),
        ({"baseUrl": "http://169.254.169.254/latest"}, ["baseUrl"]),
        ({"baseUrl": "http://[::1]/"}, ["baseUrl"]),
        ({"baseUrl": "http://2130706433/"}, ["baseUrl"]),
        ({"baseUrl": "https://user:pass@8.8.8.8/"}, ["baseUrl"]),
        ({"baseUrl": "ftp://8.8.8.8/"}, ["baseUrl"]),
    ],
)
def test_every_fault_is_named(api: Caller, body: Any, targets: list[str] | None) -> None:
    refused = api.put(FAST, body)
    assert refused.status == 400
    assert refused.targets == (targets or ["key", "deployment", "baseUrl", "priceIn", "priceOut"])
    assert not ModelTier.objects.exists()


def test_a_tier_is_in_force_for_the_next_evaluation_at_its_price(
    api: Caller, model: ScriptedModel, sandboxed: object
) -> None:
    """A save counts at once (R11), and an evaluation keeps what it cost then."""
    put_hook(api, "judge", "Stop", PROMPT)

    def call() -> dict[str, Any]:
        model.script('{"ok": true}')
        return dict(api.post("/api/v2/hooks/evaluate", {"context": STOP}).body["hooks"][0]["modelCall"])

    first = call()
    assert (first["tier"], first["deployment"], first["costUsd"]) == ("Fast", "gpt-5-mini", None)
    api.put(FAST, {"deployment": "small", "priceIn": 1.5, "priceOut": 20})
    second = call()
    assert (second["deployment"], second["costUsd"]) == ("small", pytest.approx((100 * 1.5 + 10 * 20) / 1e6))
    assert model.requests[-1]["model"] == "small"
    api.put(FAST, {"deployment": "small", "priceIn": 0, "priceOut": 0})
    assert call()["costUsd"] == 0
    kept = [api.get(f"/api/v2/evaluations/{one['id']}").body for one in api.get("/api/v2/evaluations").body["value"]]
    costs = [one["hooks"][0]["modelCall"]["costUsd"] for one in kept]
    assert costs == [0, second["costUsd"], None]


def test_a_tier_leads_to_a_server_of_its_own(
    api: Caller, model: ScriptedModel, settings: Any, sandboxed: object
) -> None:
    settings.MODEL_HOSTS_ALLOWED = []
    put_hook(api, "judge", "Stop", {**PROMPT, "failMode": "block"})
    ModelTier.objects.create(agent=Agent.objects.get(), tier="Fast", base_url="http://127.0.0.1:9/v1")
    settings.OPENAI_BASE_URL = "http://127.0.0.1:8/v1"
    found = api.post("/api/v2/hooks/evaluate", {"context": STOP}).body["hooks"][0]
    assert found["error"]["code"] == "model_error"
    assert "127.0.0.1 is no public address" in found["error"]["message"]
    assert not model.requests


def test_agents_do_not_share_tiers(agent: Agent, caller: Callable[..., Caller], by: Actor) -> None:
    other = create_agent(name="other", by=by)
    caller(of=other).put(FAST, {"deployment": "theirs"})
    assert caller().get(FAST).body["deployment"] is None


def test_hooks_without_a_prompt_read_no_tiers(api: Caller, sandboxed: object) -> None:
    put_hook(api, "guard", "Stop", {"type": "command", "command": "true"})
    with CaptureQueriesContext(connection) as queries:
        api.post("/api/v2/hooks/evaluate", {"context": STOP})
    assert "hooks_modeltier" not in str([query["sql"] for query in queries.captured_queries])
