"""The list of evaluations, and what can be done with one of them."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from agents.models import Agent
from agents.services import create_agent
from hooks.models import Evaluation, HookResult, TestRun
from portal.audit.models import AuditEvent
from portal.paging import written
from tests.hooks.test_views_evaluations import evaluation
from tests.pages import HTMX, words
from tests.shell import BY

URL = "/evaluations/"


def many(agent: Agent, count: int, **more: Any) -> list[Evaluation]:
    given = {"kind": "runtime", "event": "Stop", "decision": "allow", "context": {}, "duration_ms": 1.0, **more}
    return [Evaluation.objects.create(agent=agent, created_at=timezone.now(), **given) for _ in range(count)]


def test_it_works(as_bob: Client, agent: Agent) -> None:
    one = evaluation(agent, thread_key="t-1", source="hook", source_hook="no-sudo")
    page = as_bob.get(URL)
    text = words(page)
    assert "PostToolUse Bash Blocked no-sudo sudo is not allowed" in text and "t-1" in text and "1 evaluation" in text
    assert f"/evaluations/{one.pk}" in page.content.decode()
    assert 'aria-current="page"' in page.content.decode()


def test_nothing_yet_and_nothing_that_matches(as_bob: Client, agent: Agent) -> None:
    assert "No evaluations yet" in words(as_bob.get(URL))
    text = words(as_bob.get(f"{URL}?decision=deny&hook=x"))
    assert "No evaluation matches" in text and "Decision: Denied" in text and "Clear this filter" in text


def test_filters_are_those_of_the_api(as_bob: Client, agent: Agent) -> None:
    one = evaluation(agent)
    HookResult.objects.update(agent=agent)
    many(agent, 1, custom_agent="helper", errors=1)
    for query in ("event=Stop", "decision=allow", "customAgent=helper", "error=yes", "until=2998-01-01&event=Stop"):
        assert f"/evaluations/{one.pk}" not in as_bob.get(f"{URL}?{query}").content.decode(), query
    for query in ("hook=no-sudo", "outcome=block", "decision=block", "error=no", "kind=runtime&since=2020-01-01"):
        assert f"/evaluations/{one.pk}" in as_bob.get(f"{URL}?{query}").content.decode(), query


def test_filters_that_are_none_say_so_and_keep_what_was_typed(as_bob: Client, agent: Agent) -> None:
    page = as_bob.get(f"{URL}?since=soon&event=Sotp&cursor=x")
    text = words(page)
    assert page.status_code == 400 and "These filters cannot be read" in text
    assert "From must be a time such as" in text and "Event must be one of" in text
    assert 'value="soon"' in page.content.decode()
    for cursor in ("%00", "x" * 5000, written([1]), written(["a\x00b"]), written(["a", "b"])):
        assert as_bob.get(f"{URL}?cursor={cursor}").status_code == 400
    hostile = as_bob.get(f"{URL}?hook=<b>%00</b>&threadId=\x1b[31m")
    assert hostile.status_code == 200 and "<b>" not in hostile.content.decode()


def test_a_page_at_a_time(as_bob: Client, agent: Agent, django_assert_num_queries: Any) -> None:
    many(agent, 52)
    first = as_bob.get(URL)
    assert "52 evaluations" in words(first) and first.content.decode().count('class="e-when"><a') == 50
    older = next(part.split('"')[0] for part in first.content.decode().split('rel="next" href="')[1:]).replace(
        "&amp;", "&"
    )
    many(agent, 3)
    second = as_bob.get(older)
    assert second.content.decode().count('class="e-when"><a') == 2 and "Newest" in words(second)


def test_what_is_new_is_offered_and_moves_nothing(as_bob: Client, agent: Agent) -> None:
    first = many(agent, 1)[0]
    watch = f"{URL}?event=Stop&after={written([first.pk])}"
    quiet = as_bob.get(watch, headers=HTMX).content.decode()
    assert "<a" not in quiet and escape(watch) in quiet
    many(agent, 2)
    many(agent, 2, event="Start")
    assert "2 new: show them" in words(as_bob.get(watch, headers=HTMX))
    many(agent, 60)
    assert "More than 50 new" in words(as_bob.get(watch, headers=HTMX))
    assert as_bob.get(f"{URL}?after=x", headers=HTMX).status_code == 400


def test_the_export_is_exactly_what_is_shown(as_bob: Client, agent: Agent) -> None:
    evaluation(agent, context={"x": "a\nb\x00"})
    many(agent, 3)
    answer = as_bob.post("/evaluations/export", {"decision": "block"})
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert [json.loads(line)["decision"] for line in lines] == ["block"] and json.loads(lines[0])["context"] == {
        "x": "a\nb\x00"
    }
    assert json.loads(lines[0])["hooks"][0]["name"] == "no-sudo"
    event = AuditEvent.objects.get(verb="evaluations.exported")
    assert event.after == {"filter": {"decision": "block"}} and event.actor_text == "bob"
    assert as_bob.post("/evaluations/export", {"since": "x"}).status_code == 400
    abandoned = as_bob.post("/evaluations/export")
    assert next(iter(abandoned.streaming_content))  # and no more is read
    assert as_bob.get(URL).status_code == 200


def test_another_agents_are_not_there(as_bob: Client, agent: Agent) -> None:
    theirs = evaluation(create_agent(name="other", by=BY))
    assert theirs.pk not in as_bob.get(URL).content.decode()
    assert as_bob.post(f"/evaluations/{theirs.pk}/replay").status_code == 404
    assert as_bob.get(f"/samples/create?evaluation={theirs.pk}").status_code == 404


def test_queries_and_size_do_not_grow(as_bob: Client, agent: Agent, django_assert_max_num_queries: Any) -> None:
    for _ in range(60):
        Evaluation.objects.create(
            agent=agent,
            kind="runtime",
            event="PostToolUse",
            tool_name="T" * 200,
            thread_key="t" * 200,
            decision="block",
            reason="r" * 100_000,
            context={"x": "y" * 10_000},
            duration_ms=1,
            created_at=timezone.now(),
        )
    with django_assert_max_num_queries(12):
        page = as_bob.get(URL)
    assert len(page.content) < 100 * 1024


@pytest.mark.parametrize("few", [1, 1000])
def test_refusals_of_a_hook_are_found_from_either_side(
    as_bob: Client, agent: Agent, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hooks.services.evaluationlog.FEW", few)
    one = evaluation(agent)
    HookResult.objects.update(agent=agent)
    assert "1 evaluation" in words(as_bob.get(f"/evaluations/?hook=no-sudo&decision={one.decision}"))
    assert "0 evaluations" in words(as_bob.get(f"/evaluations/?hook=gone&decision={one.decision}"))
    assert "0 evaluations" in words(as_bob.get("/evaluations/?hook=no-sudo&decision=deny"))


def test_a_replay_is_a_test_run_of_all_hooks(as_bob: Client, agent: Agent) -> None:
    one = evaluation(agent)
    answer = as_bob.post(f"/evaluations/{one.pk}/replay")
    run = TestRun.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/test-runs/{run.pk}")
    assert run.input == {"evaluation": one.pk} and run.target == {}


def test_a_replay_is_compared_with_its_original(as_bob: Client, agent: Agent) -> None:
    one = evaluation(agent)
    again = many(agent, 1, kind="replay", event="PostToolUse", replay_of=one.pk)[0]
    text = words(as_bob.get(f"/evaluations/{again.pk}"))
    assert "Then Blocked" in text and "differs" in text and "Now Allowed" in text and "no-sudo: Blocked" in text
    assert "Replays" in words(as_bob.get(f"/evaluations/{one.pk}"))
    one.delete()
    assert "is no longer kept" in words(as_bob.get(f"/evaluations/{again.pk}"))


def test_a_sample_is_filled_with_the_event(as_bob: Client, agent: Agent) -> None:
    one = evaluation(agent, context={"tool_name": "Bash", "tool_input": {}, "tool_result": "x", "tool_succeeded": True})
    page = as_bob.get(f"/samples/create?evaluation={one.pk}").content.decode()
    assert 'name="in_tool_name" value="Bash"' in page and '<option value="block" selected' in page
    large = many(agent, 1, context={"x": "y" * 200_000})[0]
    assert as_bob.get(f"/samples/create?evaluation={large.pk}").status_code == 413
    assert as_bob.get("/samples/create?evaluation=gone%00").status_code == 404


def test_a_timeline_and_what_decided(as_bob: Client, agent: Agent) -> None:
    one = evaluation(agent, source="fail_mode", source_hook="no-sudo", source_error="timeout")
    one.results.update(started_at=timezone.now(), duration_ms=1234)
    page = as_bob.get(f"/evaluations/{one.pk}")
    assert "Decided by the fail mode of no-sudo, which timed out: block." in words(page)
    assert '<rect class="mark" x="0.0"' in page.content.decode() and "1.2 s, Blocked" in words(page)


def test_the_next_ones_are_those_of_the_list(as_bob: Client, agent: Agent) -> None:
    first, other, last = (many(agent, 1, event=event)[0] for event in ("Stop", "PreToolUse", "Stop"))
    page = as_bob.get(URL + "?event=Stop").content.decode()
    assert f'href="/evaluations/{last.pk}?event=Stop"' in page
    page = as_bob.get(f"{URL}{last.pk}?event=Stop").content.decode()
    assert f'rel="next" href="/evaluations/{first.pk}?event=Stop"' in page and 'rel="prev"' not in page
    page = as_bob.get(f"{URL}{other.pk}").content.decode()
    assert f'rel="next" href="/evaluations/{first.pk}"' in page and f'rel="prev" href="/evaluations/{last.pk}"' in page
    assert as_bob.get(f"{URL}{other.pk}?since=never").status_code == 200
