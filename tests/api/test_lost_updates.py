"""Two who write the same resource at the same time, a hundred times: no change is lost without a 412."""

from collections.abc import Callable

import pytest

from agents.models import Agent
from hooks.models import HookVersion
from tests.concurrency import again, at_once
from tests.shell import Caller, command, put_agent, put_hook

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandboxed")]
HOOK, AGENT = "/api/v2/extendedAgent/hooks/h", "/api/v2/extendedAgent/agents/worker"
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
