"""What a new portal begins with, and that the demo does what it says."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from agents.models import Agent
from hooks import services
from hooks.engine.events import EVENTS
from hooks.models import Hook, SampleContext, TestRun
from portal.access.actors import Actor
from portal.audit.verifying import verify
from tests.shell import Caller

pytestmark = pytest.mark.django_db
BY = Actor.system("test")
# Each sample with the hooks of the demo that bring its expected decision about.
CASES = {
    "completion-marker": ["answer-with-marker", "answer-without-marker"],
    "demo-no-secrets": ["result-with-password"],
    "demo-production-gate": ["change-in-production", "look-in-production"],
    "on-call-note": ["thread-begins"],
}


def setup(*arguments: str) -> str:
    out = StringIO()
    call_command("setup_instance", *arguments, stdout=out)
    return out.getvalue()


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTAL_ADMIN_PASSWORD", "correct-horse")
    assert setup() == ""
    admin = User.objects.get()
    assert (admin.username, admin.is_superuser, admin.check_password("correct-horse")) == ("admin", True, True)
    agent = Agent.objects.get()
    assert (agent.name, agent.is_default, agent.custom_agents.count()) == ("sre-agent", True, 4)
    assert {sample.event for sample in SampleContext.objects.all()} == set(EVENTS)
    names = {one.name for one in agent.custom_agents.all()}
    assert all(set(one.spec["handoffs"]) <= names for one in agent.custom_agents.all())
    assert verify().broken is None


def test_a_second_time_changes_nothing() -> None:
    first = setup()
    assert "password" in first
    made_up = first.split("password ")[1].split()[0]
    assert User.objects.get().check_password(made_up)
    Hook.objects.all().delete()
    assert setup() == ""
    assert Hook.objects.count() == 0


def test_without_the_demo() -> None:
    setup("--no-demo")
    assert (Agent.objects.count(), Hook.objects.count(), SampleContext.objects.count()) == (1, 0, 0)


def test_the_demo_stays_out_of_the_way() -> None:
    setup()
    for hook in Hook.objects.filter(custom_agent=None):
        on_demand = hook.activation_mode == "onDemand"
        assert on_demand or hook.options["matcher"].startswith("Demo"), hook


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize(("hook", "sample"), [(hook, sample) for hook, samples in CASES.items() for sample in samples])
def test_the_demo_does_what_it_says(hook: str, sample: str, django_capture_on_commit_callbacks: object) -> None:
    setup()
    run = TestRun.objects.create(
        agent=Agent.objects.get(),
        hook=Hook.objects.get(name=hook),
        target={"hook": hook},
        input={"samples": [sample]},
        total=1,
    )
    services.execute_test_run(run_id=run.pk)
    result = services.describe_test_run(TestRun.objects.get(pk=run.pk))["results"][0]
    assert (result["fired"], result["passed"]) == (True, True), result


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize(("sample", "decision"), [("shell-harmless", "allow"), ("shell-dangerous", "block")])
def test_the_change_operator_keeps_to_the_rules(sample: str, decision: str) -> None:
    setup()
    found = SampleContext.objects.get(name=sample)
    assert found.expected["decision"] == decision
    request = services.read_event({"context": {"hook_event_name": found.event, **found.context}})
    record = services.evaluate(agent=Agent.objects.get(), request=request, by=BY)
    assert (record.evaluation.decision, [one.level for one in record.results]) == (decision, ["customAgent"])


@pytest.mark.usefixtures("sandboxed")
def test_scripts_of_the_demo_parse() -> None:
    from hooks import runtime

    setup()
    for hook in Hook.objects.filter(type="command"):
        source = hook.options.get("script") or hook.options["command"]
        language = "python" if "python" in source.split("\n")[0] else "bash"
        assert runtime.syntax()(language, source) is None, hook


def test_tokens_by_command(agent: Agent) -> None:
    out = StringIO()
    arguments = ["--agent", "sre-agent", "--name", "ci", "--scope", "read", "--expires-days", "1"]
    call_command("create_token", *arguments, stdout=out)
    secret = out.getvalue().removesuffix("\n")
    assert Caller(secret).get("/api/v2/evaluations").status == 200
    for wrong, word in (
        (["--agent", "nobody"], "no agent"),
        (["--expires-days", "0"], "36500"),
        (["--name", " "], "name"),
    ):
        with pytest.raises(CommandError, match=word):
            call_command("create_token", *arguments, *wrong)


@pytest.mark.usefixtures("sandboxed")
def test_the_sandbox_by_command() -> None:
    out = StringIO()
    call_command("check_sandbox", stdout=out)
    assert "checks hold" in out.getvalue()


def test_a_sandbox_that_does_not_run(settings: object) -> None:
    from hooks import runtime

    runtime.reset()
    out = StringIO()
    with pytest.raises(CommandError, match="does not run"):
        call_command("check_sandbox", stdout=out)
    assert "FAILED" in out.getvalue()
    runtime.reset()
