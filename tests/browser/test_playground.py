"""The playground as people use it: an example watched, a thread played by hand and by a model."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.browser.driver import PHONE, THEMES, chromium, overflow, paint, sign_in, violations
from tests.scripted_model import ScriptedModel, said
from tests.stack import Stack


def test_an_example_in_one_click_then_by_hand(page: Page) -> None:
    page.goto("/playground/")
    page.get_by_role("button", name="Watch it: Require a completion marker").click()
    log = page.get_by_role("log", name="Messages")
    expect(log.get_by_text("That was the example.")).to_be_visible(timeout=30_000)
    expect(log.get_by_text("held back, not shown to the user")).to_be_visible()
    expect(log.get_by_text("final answer")).to_be_visible()
    for theme in THEMES:
        paint(page, theme)
        assert violations(page) == []
    # The same by hand, with the keyboard; what comes is appended without a reload.
    page.evaluate("window.same = true")
    page.get_by_label("Final answer of the agent").fill("5")
    page.keyboard.press("Control+Enter")
    expect(log.get_by_text("held back, not shown to the user")).to_have_count(2, timeout=30_000)
    page.get_by_role("switch", name="completion-marker in this thread").click()
    expect(page.get_by_role("switch", name="completion-marker in this thread")).to_have_attribute(
        "aria-checked", "false"
    )
    page.get_by_label("Final answer of the agent").fill("5")
    page.get_by_role("button", name="Answer").click()
    expect(log.get_by_text("final answer")).to_have_count(2, timeout=30_000)
    assert page.evaluate("window.same")
    ids = log.locator(".entry").evaluate_all("all => all.map(one => one.id)")
    assert ids == [f"e-{number}" for number in range(1, len(ids) + 1)]
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert overflow(page) == 0
    page.goto("/playground/")
    assert overflow(page) == 0 and violations(page) == []


@pytest.fixture
def modelled(playwright: Playwright) -> Iterator[tuple[Page, ScriptedModel, Stack]]:
    """A portal of its own whose model says what the test scripts."""
    with ScriptedModel() as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "sk-test-key-of-a-test"}
        with Stack(env=env) as portal, chromium(playwright, portal.url) as context:
            page = context.new_page()
            sign_in(page, portal)
            yield page, model, portal


def test_a_model_is_rejected_corrected_and_killed(modelled: tuple[Page, ScriptedModel, Stack]) -> None:
    page, model, portal = modelled
    model.script("4", "4\n\nTask complete.")
    page.goto("/playground/")
    page.get_by_role("button", name="With the model: Require a completion marker").click()
    log = page.get_by_role("log", name="Messages")
    expect(log.get_by_text("final answer")).to_be_visible(timeout=30_000)
    expect(log.get_by_text("held back, not shown to the user")).to_be_visible()
    assert [one["role"] for one in model.requests[1]["messages"]] == ["system", "user", "assistant", "user"]
    # The worker is killed in the middle of a turn: the thread says so, and goes on.
    model.script(said("never heard", sleep=60))
    page.get_by_label("Message to the agent").fill("And 3 + 3?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Working")).to_be_visible(timeout=30_000)
    portal.kill("player")
    expect(log.get_by_text("The worker stopped in the middle of this thread.")).to_be_visible(timeout=60_000)
    model.script("6\n\nTask complete.")
    page.get_by_role("button", name="Continue").click()
    expect(log.get_by_text("final answer")).to_have_count(2, timeout=60_000)
