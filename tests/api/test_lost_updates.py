"""Two who write the same resource at the same time, a hundred times: no change is lost without a 412."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import Agent
from hooks.models import HookVersion
from portal.audit.models import AuditEvent
from portal.audit.verifying import verify
from tests.concurrency import again, at_once
from tests.shell import Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandboxed")]
HOOK, AGENT = "/api/v2/extendedAgent/hooks/h", "/api/v2/extendedAgent/agents/worker"
BUNDLE = "/api/v2/extendedAgent/hooks:bundle"
ROUNDS = 100


def test_two_writers_race_a_hundred_times(api: Caller) -> None:
    """Each adds one to what it read. In every round, one of two who read the same is refused."""
    put_hook(api, "h", "Stop", command("true"), description="0")

    def add_one(number: int) -> Callable[[], int]:
        def write() -> int:
            own = again(api)
            read = own.get(HOOK)
            body = {**read.body, "owner": str(number)}
            body["properties"]["description"] = str(int(body["properties"]["description"]) + 1)
            return own.put(HOOK, body, If_Match=read.headers["ETag"]).status

        return write

    statuses = [status for _ in range(ROUNDS) for status in at_once(add_one(1), add_one(2))]
    assert set(statuses) <= {200, 412}
    written = statuses.count(200)
    assert written >= ROUNDS
    assert api.get(HOOK).body["properties"]["description"] == str(written)
    assert HookVersion.objects.count() == written + 1


def test_patches_of_two_fields_are_both_kept(api: Caller) -> None:
    put_hook(api, "h", "Stop", command("true"))

    def patch(change: dict[str, object]) -> Callable[[], int]:
        return lambda: again(api).call("PATCH", HOOK, change).status

    for number in range(20):
        words = patch({"properties": {"description": str(number)}}), patch({"owner": str(number)})
        assert at_once(*words) == [200, 200]
        kept = api.get(HOOK).body
        assert (kept["properties"]["description"], kept["owner"]) == (str(number), str(number))


def test_patches_of_a_custom_agent_are_both_kept(api: Caller, agent: Agent) -> None:
    put_agent(api, "worker", {"Stop": [command("true")]})

    def patch(key: str, number: int) -> Callable[[], int]:
        return lambda: again(api).call("PATCH", AGENT, {"properties": {key: number}}).status

    for number in range(10):
        assert at_once(patch("left", number), patch("right", number)) == [200, 200]
        kept = api.get(AGENT).body["properties"]
        assert (kept["left"], kept["right"]) == (number, number)


def test_two_bundles_at_once_come_one_after_the_other(api: Caller, agent: Agent) -> None:
    def bundle(mark: str) -> dict[str, Any]:
        names = [f"{mark}{number}" for number in range(6)] + ["shared"]
        hooks = [{"name": n, "properties": {"eventType": "Stop", "hook": command(f"echo {mark}")}} for n in names]
        agents = [{"name": f"{mark}-agent", "properties": {"hooks": {"Stop": [command(f"echo {mark}")]}}}]
        return {"hooks": hooks, "agents": agents}

    def apply(mark: str) -> Callable[[], int]:
        return lambda: again(api).put(f"{BUNDLE}?prune=true", bundle(mark)).status

    for _ in range(5):
        assert at_once(apply("x"), apply("y")) == [200, 200]
        kept = api.get(BUNDLE, accept="application/json").body
        mark = kept["agents"][0]["metadata"]["name"][0]
        assert [one["name"] for one in kept["hooks"]] == [one["name"] for one in bundle(mark)["hooks"]]
        assert {one["properties"]["hook"]["command"] for one in kept["hooks"]} == {f"echo {mark}"}
        assert len(kept["agents"]) == 1
    walk = verify()
    assert (walk.count, walk.broken) == (AuditEvent.objects.count(), None)
