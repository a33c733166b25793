"""The Agent Canvas: where cards stand, what the pages say, and the history of each custom agent."""

from typing import Any

from django.test import Client

from agents.canvas import Card, handoffs_of, lay_out
from agents.documents import parse_agent
from agents.models import Agent, CustomAgent
from agents.services import save_custom_agent
from tests.agents.cast import RUN, custom_agent
from tests.pages import HTMX, hook, words
from tests.shell import BY


def placed(**handoffs: list[str]) -> dict[str, int]:
    """The layer of each card."""
    layout = lay_out(Card("", "agent"), [Card(name, name, handoffs=list(to)) for name, to in handoffs.items()])
    return {card.key: card.layer for card in layout.cards}


def test_it_works(agent: Agent, as_bob: Client) -> None:
    assert "No custom agents yet" in words(as_bob.get("/custom-agents/"))
    hook(agent, "of-the-agent")
    custom_agent(agent, "triage", {"Stop": [RUN, RUN]}, handoffs=["Fixer", "gone"], tools=["Bash"])
    custom_agent(agent, "fixer", handoffDescription="Mends <b>")
    for address in ("/custom-agents/", "/custom-agents/?view=table"):
        said = words(as_bob.get(address))
        assert "2 custom agents · 1 agent-level hook · 2 own hooks" in said
        assert "1 tool" in said and "Stop 2" in said and "gone" in said
    page = as_bob.get("/custom-agents/triage/")
    assert "Manage Hooks (2)" in words(page) and "gone (no custom agent of this name)" in words(page)
    assert page.content.decode().count('class="hot"') == 3
    part = as_bob.get("/custom-agents/triage/", headers=HTMX).content.decode()
    assert part.startswith("<section") and "<b>" not in part


def test_cards_stand_in_layers() -> None:
    assert placed(a=["b"], b=["c"], c=[], d=[]) == {"": 0, "a": 1, "d": 1, "b": 2, "c": 3}


def test_circles_and_handoffs_to_oneself_end() -> None:
    assert placed(a=["b"], b=["a"], c=["c"]) == {"": 0, "c": 1, "a": 1, "b": 2}


def test_every_handoff_is_an_arrow_and_no_two_cards_overlap() -> None:
    cards = [Card(str(n), str(n), chips=[100] * (n % 6), handoffs=[str(n * 7 % 200), "nobody"]) for n in range(200)]
    layout = lay_out(Card("", "agent"), cards)
    assert layout.unknown == 1 and len(layout.cards) == 202
    boxes = [(card.x, card.y, card.height) for card in layout.cards]
    for index, (x, y, height) in enumerate(boxes):
        assert 0 <= x < layout.width - 284 and 0 <= y <= layout.height - height
        assert not any(x == x2 and y < y2 + h2 and y2 < y + height for x2, y2, h2 in boxes[index + 1 :])


def test_handoffs_of_any_spec() -> None:
    assert handoffs_of({"handoffs": ["a", "A", 1, None, "b"]}) == ["A", "b"]
    assert handoffs_of({"handoffs": "a"}) == handoffs_of(None) == []


def test_many_custom_agents_few_queries(agent: Agent, as_bob: Client, django_assert_max_num_queries: Any) -> None:
    CustomAgent.objects.bulk_create(
        CustomAgent(agent=agent, name=f"agent-{n}", spec={"handoffs": [f"agent-{n * 2}", f"unknown-{n}"], "tools": "x"})
        for n in range(200)
    )
    for address in ("/custom-agents/", "/custom-agents/?view=table", "/custom-agents/agent-3/"):
        with django_assert_max_num_queries(12):
            assert as_bob.get(address).status_code == 200
    for tab in ("edit", "yaml", "hooks", "history", "effective", "delete"):
        with django_assert_max_num_queries(12):
            assert as_bob.get(f"/custom-agents/agent-3/{tab}").status_code == 200


def test_the_history_tells_what_changed_by_field(agent: Agent, as_bob: Client) -> None:
    custom_agent(agent, "triage", {"Stop": [{"name": "one", **RUN}]})
    document = {
        "name": "triage",
        "properties": {"instructions": "Look <b>closely</b>.", "hooks": {"Stop": [{"name": "two", **RUN}]}},
    }
    save_custom_agent(agent=agent, name="triage", parsed=parse_agent(document), by=BY)
    page = as_bob.get("/custom-agents/triage/history")
    said = words(page)
    assert "Custom agent created" in said and "Custom agent changed" in said and "Version 2" in said
    assert "instructions" in said and "hooks.Stop[0].name" in said
    assert "<b>closely" not in page.content.decode()
    assert "Custom agent created" not in words(as_bob.get("/custom-agents/triage/history?before=1"))


def test_old_changes_are_on_further_pages(agent: Agent, as_bob: Client) -> None:
    for number in range(25):
        custom_agent(agent, "triage", instructions=f"Version {number}")
    first = as_bob.get("/custom-agents/triage/history")
    assert len(first.context["made"]) == 20
    older = as_bob.get(f"/custom-agents/triage/history?before={first.context['older']}")
    assert len(older.context["made"]) == 5
