"""The templates to start from: each sample comes to the decision that it promises, through the one evaluator."""

import json

import pytest
from django.test import Client

from agents.models import Agent
from hooks import services
from hooks.gallery import ORDER, PLACE, HookTemplate, templates
from hooks.models import Evaluation, TestRun
from tests.pages import fields, hook, words
from tests.scripted_model import ScriptedModel
from tests.shell import BY

SAMPLES = [(one, name) for one in templates().values() for name in one.samples]


def run(agent: Agent, one: HookTemplate, name: str) -> Evaluation:
    values = services.read_sample(one.samples[name], agent_name=agent.name)
    services.save_sample(agent=agent, name=name, values=values, by=BY)
    definition = {"event": one.spec.event, "name": one.spec.name, **one.spec.options()}
    made = TestRun.objects.create(agent=agent, target={"definition": definition}, input={"samples": [name]}, total=1)
    services.execute_test_run(run_id=made.pk)
    made.refresh_from_db()
    assert made.status == "succeeded", made.error
    return made.evaluations.get()


def test_every_file_is_shown_and_there_are_at_least_ten() -> None:
    assert sorted(path.stem for path in PLACE.glob("*.yaml")) == sorted(ORDER)
    assert len(ORDER) >= 10
    assert {one.spec.event for one in templates().values()} == {"Start", "PreToolUse", "PostToolUse", "Stop"}


def test_names_are_theirs_alone() -> None:
    assert all(one.spec.name == one.key for one in templates().values())
    assert len({name for _, name in SAMPLES}) == len(SAMPLES)


@pytest.mark.parametrize(("one", "name"), SAMPLES, ids=[f"{one.key}:{name}" for one, name in SAMPLES])
@pytest.mark.usefixtures("sandboxed")
@pytest.mark.django_db(transaction=True)
def test_samples_pass(one: HookTemplate, name: str, agent: Agent, model: ScriptedModel) -> None:
    expected = one.samples[name]["expected"]
    if one.spec.type == "prompt":
        model.script(json.dumps({"ok": expected["decision"] == "allow", "reason": "The second question is open."}))
    evaluation = run(agent, one, name)
    assert (evaluation.decision, evaluation.passed) == (expected["decision"], True)
    result = evaluation.results.get()
    assert result.outcome != "error" and not result.warnings


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("key", "sample"), [
    ("audit-all-tools", "audit-call-that-failed"),
    ("pii-redaction-notice", "result-with-an-e-mail-address"),
    ("ground-rules", "thread-that-begins"),
])  # fmt: skip
def test_notices_reach_the_agent(key: str, sample: str, agent: Agent) -> None:
    assert run(agent, templates()[key], sample).additional_context


def test_it_works(as_bob: Client, agent: Agent) -> None:
    text = words(as_bob.get("/hooks/templates"))
    assert all(one.title in text and one.about in text for one in templates().values())
    page = as_bob.get("/hooks/create?template=cost-guard")
    assert "ASK, DENY = 10, 100" in page.content.decode() and "Add its 3 sample contexts" in words(page)
    assert 'value="cost-guard"' in page.content.decode()


def test_samples_come_along_if_they_are_wanted(as_bob: Client, agent: Agent) -> None:
    given = fields(name="guard", event="Start", matcher="", command="true")
    assert as_bob.post("/hooks/create?template=ground-rules", given).status_code == 303
    assert not agent.samples.exists()
    given = fields(name="guard-2", event="Start", matcher="", command="true", samples="on")
    assert as_bob.post("/hooks/create?template=ground-rules", given).status_code == 303
    assert agent.samples.get().name == "thread-that-begins"
    assert "1 sample context added" in words(as_bob.get("/hooks/"))
    assert as_bob.post("/hooks/create?template=ground-rules", given | {"name": "guard-3"}).status_code == 303
    assert "0 sample contexts added" in words(as_bob.get("/hooks/"))


def test_a_template_that_is_not_there_is_404(as_bob: Client) -> None:
    for key in ("nothing", "../../manage", "%00"):
        assert as_bob.get(f"/hooks/create?template={key}").status_code == 404


def test_a_clone_begins_as_its_source(as_bob: Client, agent: Agent) -> None:
    source = hook(agent, "no-sudo", "PostToolUse", type="command", command="exit 2", matcher="Bash", timeout=7)
    source.tags = ["security"]
    source.save(update_fields=["tags"])
    page = as_bob.get("/hooks/no-sudo/clone")
    body = page.content.decode()
    assert 'value="no-sudo-copy"' in body and "exit 2</textarea>" in body and "a copy of no-sudo" in words(page)
    assert as_bob.post("/hooks/no-sudo/clone", fields(name="no-sudo-copy")).status_code == 303
    assert agent.hooks.get(name="no-sudo-copy").tags == ["security"]
    assert 'value="no-sudo-copy-2"' in as_bob.get("/hooks/no-sudo/clone").content.decode()
