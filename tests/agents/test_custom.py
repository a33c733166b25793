"""Services of agents and their members that no endpoint has yet."""

import pytest
from django.contrib.auth.models import User

from agents import services
from agents.models import Agent
from hooks.engine.errors import Invalid
from hooks.engine.parsing import parse
from hooks.models import Hook
from portal.access.actors import Actor
from portal.access.members import set_role
from portal.access.roles import scopes_for
from portal.audit.models import AuditEvent
from portal.errors import Conflict, NotFound, PreconditionFailed
from tests.shell import Caller, command, put_agent

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("sandboxed")
def test_hooks_are_set_as_one_change(api: Caller, agent: Agent, by: Actor) -> None:
    put_agent(api, "worker", {"Stop": [command("true")]}, odd=1)
    worker = services.find_custom_agent(agent=agent, name="Worker")
    spec = parse({"prompt": "p"}, event="Stop", level="customAgent").spec
    assert spec
    saved = services.set_hooks(custom_agent=worker, lists={"Stop": [spec, spec]}, expected_version=1, by=by)
    assert saved.after["properties"] == {"instructions": "Help.", "odd": 1, "hooks": {"Stop": [{"prompt": "p"}] * 2}}
    assert AuditEvent.objects.filter(verb="custom_agent.updated").count() == 1
    with pytest.raises(PreconditionFailed):
        services.set_hooks(custom_agent=worker, lists={}, expected_version=1, by=by)
    services.delete_custom_agent(custom_agent=worker, by=by)
    assert Hook.objects.count() == 0
    for gone in (
        lambda: services.set_hooks(custom_agent=worker, lists={}, by=by),
        lambda: services.delete_custom_agent(custom_agent=worker, by=by),
    ):
        with pytest.raises(NotFound):
            gone()


def test_agents(agent: Agent, by: Actor) -> None:
    with pytest.raises(Conflict):
        services.create_agent(name="SRE-agent", by=by)
    with pytest.raises(Invalid):
        services.create_agent(name="a b", by=by)
    assert not services.create_agent(name="other", by=by).is_default
    services.create_agent(name="new", is_default=True, by=by)
    found = services.default_agent()
    assert found and found.name == "new"


def test_roles(agent: Agent, charlie: User, by: Actor) -> None:
    for role, scopes in (
        ("viewer", {"read"}),
        ("editor", {"read", "evaluate", "write"}),
        ("editor", None),
        (None, set()),
    ):
        set_role(agent=agent, user=charlie, role=role, by=by)
        if scopes is not None:
            assert scopes_for(charlie, agent) == scopes
    verbs = ["member.added", "member.changed", "member.removed"]
    assert [event.verb for event in AuditEvent.objects.filter(object_type="member").order_by("sequence")] == verbs
