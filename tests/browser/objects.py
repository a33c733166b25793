"""Stores one of each thing that addresses of pages name, in the database of a running portal, and prints what they name.

Run by `manage.py shell`: see tests/browser/test_accessibility.py.
"""

import json

from django.contrib.auth.models import User
from django.utils import timezone

from agents.models import Agent
from hooks.models import Evaluation, HookResult, SampleContext, TestRun
from portal.access.actors import Actor
from portal.access.models import Membership
from portal.access.tokens import create_token
from portal.audit.models import AuditEvent

agent = Agent.objects.get(is_default=True)
hook = agent.hooks.get(name="demo-no-secrets")
now, event = timezone.now(), "PostToolUse"
context = {"tool_name": "Bash", "tool_input": {}, "tool_result": "x", "tool_succeeded": True}
came = {"kind": "test", "created_at": now, "reason": "no", "duration_ms": 5.0}
for _ in range(2):
    run = TestRun.objects.create(
        agent=agent,
        name=hook.name,
        hook=hook,
        target={"hook": hook.name},
        input={},
        status="succeeded",
        total=1,
        done=1,
    )
    one = Evaluation.objects.create(agent=agent, test_run=run, event=event, context=context, decision="block", **came)
    HookResult.objects.create(
        agent=agent,
        evaluation=one,
        index=0,
        hook=hook,
        name=hook.name,
        level="agent",
        position=0,
        type="command",
        outcome="block",
        exit_code=2,
        stderr="no",
        **came,
    )
SampleContext.objects.get_or_create(agent=agent, name="seen", event=event, defaults={"context": context})
agent.custom_agents.get_or_create(name="looked_at", defaults={"spec": {"instructions": "Help."}})
somebody, _ = User.objects.get_or_create(username="somebody")
Membership.objects.get_or_create(agent=agent, user=somebody)
token, _ = create_token(agent=agent, name="seen", scopes=["read"], by=Actor.system("test"))
thread, _ = agent.threads.get_or_create(key="seen", defaults={"mode": "hand", "title": "Seen"})
print(  # noqa: T201
    json.dumps(
        {
            "hooks": {"name": hook.name, "version": "1"},
            "test-runs": {"run_id": run.pk},
            "evaluations": {"evaluation_id": one.pk},
            "samples": {"name": "seen"},
            "model-tiers": {"tier": "ReasoningFast"},
            "custom-agents": {"name": "looked_at"},
            "playground": {"pk": thread.pk},
            "audit": {"sequence": AuditEvent.objects.latest("sequence").sequence},
            "tokens": {"number": token.pk},
            "members": {"number": somebody.pk},
        }
    )
)
