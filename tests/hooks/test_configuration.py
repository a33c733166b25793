"""Services of agent-level hooks that no endpoint has yet."""

import pytest

from agents.models import Agent
from hooks import services
from hooks.engine.errors import Invalid
from hooks.engine.parsing import parse
from hooks.engine.spec import HookSpec
from hooks.models import Hook
from portal.access.actors import Actor
from portal.audit.models import AuditEvent
from portal.errors import Conflict, NotFound, PreconditionFailed

pytestmark = pytest.mark.django_db


def spec(name: str | None, event: str = "Stop", command: str = "true") -> HookSpec:
    raw = {"type": "command", "command": command, **({"name": name} if name else {})}
    parsed = parse({**raw, **({"matcher": "*"} if event == "PostToolUse" else {})}, event=event)
    assert parsed.spec
    return parsed.spec


@pytest.fixture
def three(agent: Agent, by: Actor) -> list[Hook]:
    return [services.save_hook(agent=agent, spec=spec(name), by=by).hook for name in ("a", "b", "c")]


def order(agent: Agent, event: str = "Stop") -> list[tuple[str, int]]:
    rows = agent.hooks.filter(event=event).order_by("position")
    return [(hook.name, hook.position) for hook in rows]


def test_it_works(agent: Agent, three: list[Hook], by: Actor) -> None:
    assert order(agent) == [("a", 0), ("b", 1), ("c", 2)]
    services.reorder_hooks(agent=agent, event="Stop", names=["C", "a", "b"], by=by)
    services.reorder_hooks(agent=agent, event="Stop", names=["c", "a", "b"], by=by)
    assert order(agent) == [("c", 0), ("a", 1), ("b", 2)]
    (event,) = AuditEvent.objects.filter(verb="hooks.reordered")
    assert (event.before, event.after) == (["a", "b", "c"], ["c", "a", "b"])
    for names in ([], ["a", "b"], ["a", "b", "b"], ["a", "b", "d"]):
        with pytest.raises(Invalid):
            services.reorder_hooks(agent=agent, event="Stop", names=names, by=by)


def test_a_hook_may_get_another_name_and_event(agent: Agent, three: list[Hook], by: Actor) -> None:
    saved = services.save_hook(agent=agent, spec=spec("z", "PostToolUse"), hook=three[0], by=by)
    assert (saved.hook.pk, saved.hook.version, saved.created) == (three[0].pk, 2, False)
    assert order(agent) == [("b", 0), ("c", 1)]
    assert order(agent, "PostToolUse") == [("z", 0)]
    assert [kept.name for kept in saved.hook.versions.order_by("version")] == ["a", "z"]


def test_names_that_are_taken(agent: Agent, three: list[Hook], by: Actor) -> None:
    for hook in (None, three[1]):
        with pytest.raises(Conflict) as refused:
            services.save_hook(agent=agent, spec=spec("A"), hook=hook, by=by)
        assert refused.value.target == "name"
    with pytest.raises(Invalid):
        services.save_hook(agent=agent, spec=spec(None), by=by)


def test_the_second_of_two_editors_is_refused(agent: Agent, three: list[Hook], by: Actor) -> None:
    services.save_hook(agent=agent, spec=spec("a", command="false"), hook=three[0], expected_version=1, by=by)
    with pytest.raises(PreconditionFailed) as refused:
        services.save_hook(agent=agent, spec=spec("a", command="exit"), hook=three[0], expected_version=1, by=by)
    assert refused.value.current.options["command"] == "false"
    services.delete_hook(hook=three[0], by=by)
    with pytest.raises(Conflict):
        services.save_hook(agent=agent, spec=spec("a"), hook=three[0], by=by)
    with pytest.raises(NotFound):
        services.delete_hook(hook=three[0], by=by)


def test_switched_together(agent: Agent, three: list[Hook], by: Actor) -> None:
    changed = services.set_enabled(agent=agent, names=["a", "c"], enabled=False, by=by)
    assert [hook.name for hook in changed] == ["a", "c"]
    assert services.set_enabled(agent=agent, names=["a"], enabled=False, by=by) == []
    hook = agent.hooks.get(name="a")
    assert (hook.enabled, hook.version, hook.content_hash == three[0].content_hash) == (False, 2, False)
    assert AuditEvent.objects.filter(verb="hook.disabled").count() == 2
    with pytest.raises(NotFound):
        services.set_enabled(agent=agent, names=["b", "nobody"], enabled=False, by=by)
    assert agent.hooks.get(name="b").enabled


def test_versions_come_back(agent: Agent, three: list[Hook], by: Actor) -> None:
    services.save_hook(agent=agent, spec=spec("a", command="false"), hook=three[0], by=by)
    restored = services.restore_hook(agent=agent, name="A", version=1, by=by)
    assert (restored.hook.options["command"], restored.hook.version) == ("true", 3)
    services.delete_hook(hook=restored.hook, by=by)
    again = services.restore_hook(agent=agent, name="a", version=2, by=by)
    assert (again.created, again.hook.options["command"], again.hook.version) == (True, "false", 4)
    assert AuditEvent.objects.filter(verb="hook.restored").count() == 2
    for name, version in (("a", 9), ("nobody", 1), ("x\x00", 1)):
        with pytest.raises(NotFound):
            services.restore_hook(agent=agent, name=name, version=version, by=by)


def test_a_dry_run_leaves_no_trace(agent: Agent, three: list[Hook], by: Actor) -> None:
    events = AuditEvent.objects.count()
    saved = services.save_hook(agent=agent, spec=spec("d"), dry_run=True, by=by)
    assert (saved.created, order(agent)[-1], AuditEvent.objects.count()) == (True, ("c", 2), events)


def test_seen_tools_are_bounded(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    from hooks.services import tools

    monkeypatch.setattr(tools, "KEPT", 3)
    for number in range(5):
        tools.note_tool(agent, f"bounded{number}")
    for junk in (None, 7, "", "x" * 201, "x\x00"):
        tools.note_tool(agent, junk)
    assert services.known_tools(agent) == ["bounded2", "bounded3", "bounded4"]
