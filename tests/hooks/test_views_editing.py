"""A hook created, edited and deleted through its form."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from hooks.models import Hook
from portal.audit.models import AuditEvent
from tests.pages import HTMX, fields, hook, words


def test_it_works(as_bob: Client, agent: Agent) -> None:
    assert as_bob.get("/hooks/create").status_code == 200
    page = as_bob.post("/hooks/create", fields(timeout="10", failMode="block"))
    assert page.status_code == 303
    one = agent.hooks.get()
    assert (one.name, one.event) == ("no-sudo", "PostToolUse")
    assert one.options == {
        "type": "command", "command": "true", "matcher": "Bash", "timeout": 10, "failMode": "block",
    }  # fmt: skip
    assert AuditEvent.objects.get(verb="hook.created").actor_text == "bob"
    assert "no-sudo created" in words(as_bob.get("/hooks/"))


def test_htmx_is_sent_on_by_a_header(as_bob: Client) -> None:
    page = as_bob.post("/hooks/create", fields(), headers=HTMX)
    assert page.headers["HX-Redirect"] == "/hooks/"


def test_faults_come_back_with_what_was_typed(as_bob: Client, agent: Agent) -> None:
    page = as_bob.post("/hooks/create", fields(name="bad name", timeout="301", matcher="Bash(", description="typed"))
    text = words(page)
    assert page.status_code == 422
    assert not agent.hooks.exists()
    assert "Not saved: 3 faults" in text
    assert "Timeout must be a whole number of seconds from 1 to 300, not 301." in text
    assert 'value="typed"' in page.content.decode() and 'value="bad name"' in page.content.decode()
    # In the order of the page: name before matcher before timeout.
    assert text.index("Name must") < text.index("The matcher is not") < text.index("Timeout must")


def test_htmx_gets_the_form_alone(as_bob: Client) -> None:
    page = as_bob.post("/hooks/create", fields(name=""), headers=HTMX)
    assert page.status_code == 422
    assert page.content.decode().lstrip().startswith('<form class="ed" id="hook-form"')


def test_what_does_not_apply_is_kept_but_not_stored(as_bob: Client, agent: Agent) -> None:
    set_aside = {"prompt": "an earlier thought", "aside": "prompt,model,script,maxRejections"}
    page = as_bob.post("/hooks/create", fields(**set_aside, timeout="0"))
    assert "an earlier thought" in page.content.decode()
    as_bob.post("/hooks/create", fields(**set_aside))
    assert "prompt" not in agent.hooks.get().options


def test_without_scripts_every_field_that_is_filled_in_counts(as_bob: Client) -> None:
    page = as_bob.post("/hooks/create", fields(prompt="a thought", aside=""))
    assert "Prompt is for prompt hooks only" in words(page)


def test_warnings_are_shown_and_do_not_block(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/hooks/create", fields(event="Stop", aside="prompt,model,script"))
    assert agent.hooks.exists()
    assert "A matcher has no effect on Stop" in words(as_bob.get("/hooks/"))


def test_scripts_are_stored_with_unix_line_ends(as_bob: Client, agent: Agent) -> None:
    as_bob.post("/hooks/create", fields(script="#!/bin/bash\r\ntrue\r\n", command="", aside="prompt,command"))
    assert agent.hooks.get().options["script"] == "#!/bin/bash\ntrue\n"


def test_the_form_shows_what_is_stored(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse", type="command", command="exit 2", matcher="Bash|Shell", timeout=7)
    page = as_bob.get("/hooks/no-sudo/edit").content.decode()
    assert "exit 2</textarea>" in page and 'value="Bash|Shell"' in page and 'value="7"' in page
    assert "Version 1" in page
    assert "has already run" in page and "Exit code 2 always blocks" in page and "no limit of rejections" in page


def test_a_hook_may_get_another_name(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse")
    page = as_bob.post("/hooks/no-sudo/edit", fields(name="never-sudo", version="1"))
    assert page.status_code == 303
    assert agent.hooks.get().name == "never-sudo"


def test_a_name_that_is_taken_is_a_fault_of_the_name(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo")
    page = as_bob.post("/hooks/create", fields(name="NO-SUDO"))
    assert page.status_code == 422
    assert "The name 'NO-SUDO' is taken" in words(page)


def test_the_second_of_two_editors_is_told_and_loses_nothing(
    as_bob: Client, signed_in: Callable[[User], Client], alice: User, agent: Agent
) -> None:
    hook(agent, "no-sudo", "PostToolUse")
    signed_in(alice).post("/hooks/no-sudo/edit", fields(version="1", matcher="Alice.*"))
    page = as_bob.post("/hooks/no-sudo/edit", fields(version="1", matcher="Bob.*"))
    text = words(page)
    assert page.status_code == 409
    assert "alice changed this hook 0 s ago" in text
    assert "Tool matcher Alice.* Bob.*" in text
    assert 'value="Bob.*"' in page.content.decode()
    assert agent.hooks.get().options["matcher"] == "Alice.*"
    assert 'name="version" value="2"' in page.content.decode()
    assert as_bob.post("/hooks/no-sudo/edit", fields(version="2", matcher="Bob.*")).status_code == 303


def test_a_viewer_may_look_and_not_save(signed_in: Callable[[User], Client], dana: User, agent: Agent) -> None:
    hook(agent, "no-sudo")
    client = signed_in(dana)
    page = client.get("/hooks/no-sudo/edit").content.decode()
    assert "disabled" in page and "Save hook" not in page
    assert client.post("/hooks/no-sudo/edit", fields()).status_code == 403
    assert client.get("/hooks/create").status_code == 403
    assert client.post("/hooks/create", fields()).status_code == 403


def test_deleting_asks_first_and_names_what_it_hits(as_bob: Client, agent: Agent) -> None:
    one = hook(agent, "no-sudo", "PostToolUse")
    page = as_bob.get("/hooks/no-sudo/delete")
    assert "It stops at once, on every PostToolUse of sre-agent" in words(page)
    assert Hook.objects.filter(pk=one.pk).exists()
    etag = page.context["etag"]
    assert as_bob.post("/hooks/no-sudo/delete", {"etag": etag}).status_code == 303
    assert not Hook.objects.filter(pk=one.pk).exists()


def test_a_hook_that_was_changed_in_between_is_not_deleted(as_bob: Client, agent: Agent) -> None:
    hook(agent, "no-sudo", "PostToolUse")
    etag = as_bob.get("/hooks/no-sudo/delete").context["etag"]
    as_bob.post("/hooks/no-sudo/edit", fields(version="1"))
    page = as_bob.post("/hooks/no-sudo/delete", {"etag": etag})
    assert page.status_code == 409
    assert "changed in between" in words(page)
    assert agent.hooks.exists()


@pytest.mark.parametrize("name", ["nothing", "..", "%00", "a" * 300])
def test_what_is_not_there_is_404(as_bob: Client, name: str) -> None:
    assert as_bob.get(f"/hooks/{name}/edit").status_code == 404


def test_nothing_typed_ends_a_textarea(as_bob: Client) -> None:
    page = as_bob.post("/hooks/create", fields(script="</textarea><script>alert(1)</script>", timeout="0"))
    assert "<script>alert" not in page.content.decode()


def test_the_pages_of_a_hook_ask_few_questions(
    as_bob: Client, agent: Agent, django_assert_max_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    for number in range(30):
        hook(agent, f"hook-{number}", "PostToolUse")
    for version in range(1, 31):
        as_bob.post("/hooks/hook-1/edit", fields(name="hook-1", version=str(version), timeout=str(version + 30)))
    for address in ("create", "create?template=cost-guard", "templates", "hook-1/edit", "hook-1/clone",
                    "hook-1/history", "hook-1/versions/3/restore"):  # fmt: skip
        with django_assert_max_num_queries(12):
            assert as_bob.get(f"/hooks/{address}").status_code == 200
