"""The Agent Canvas in a browser: cards by keyboard, zoom, hooks gathered and saved, YAML checked as one types."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import focused, overflow, violations

ONE = "/custom-agents/change_operator"
PAGES = [
    "/custom-agents/",
    "/custom-agents/?view=table",
    f"{ONE}/",
    f"{ONE}/edit",
    f"{ONE}/yaml",
    f"{ONE}/hooks",
    f"{ONE}/history",
    f"{ONE}/effective?event=PostToolUse&tool=Bash&all=1",
    f"{ONE}/delete",
    "/custom-agents/create",
    "/custom-agents/create-yaml",
]


@pytest.mark.parametrize("address", PAGES)
def test_pages(page: Page, address: str) -> None:
    page.goto(address)
    assert violations(page) == []
    too_wide = {}
    for width in (360, 768, 1000, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        if over := overflow(page):
            too_wide[width] = over
    assert too_wide == {}


def test_cards_by_keyboard(page: Page) -> None:
    page.goto("/custom-agents/")
    first = page.locator("a.node[data-key=incident_triage], a.node[data-key]").first
    first.focus()
    before = focused(page)
    page.keyboard.press("ArrowRight")
    assert focused(page) != before
    chosen = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/custom-agents/{chosen}/")
    expect(page.locator("#panel-title")).to_have_text(chosen)
    expect(page.locator("#panel-title")).to_be_focused()
    assert page.locator(".wires .hot").count() > 0


def test_zoom_and_fit(page: Page) -> None:
    page.goto("/custom-agents/")
    width = float(page.locator("#map").get_attribute("width") or 0)
    page.get_by_role("button", name="Zoom in").click()
    assert float(page.locator("#map").get_attribute("width") or 0) == pytest.approx(width * 1.25)
    page.get_by_role("button", name="Fit").click()
    view = page.locator(".cv-view")
    assert view.evaluate("view => view.scrollWidth <= view.clientWidth")


def test_hooks_are_gathered_and_saved_together(page: Page) -> None:
    page.goto("/custom-agents/kubernetes_investigator/hooks")
    page.get_by_role("button", name="Add a hook on Stop").click()
    expect(page.locator("#id_name")).to_be_focused()
    page.locator("#id_name").fill("added")
    page.locator("#id_type").get_by_text("Command").click()
    expect(page.locator("#id_prompt")).to_be_hidden()
    page.locator("#language").select_option("command")
    page.locator("#id_command").fill("true")
    page.locator("#id_timeout").fill("0")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Not kept: 1 fault")).to_be_focused()
    page.locator("#id_timeout").fill("9")
    page.get_by_role("button", name="Keep in the draft").click()
    up = page.get_by_role("button", name="Move added up")
    expect(up).to_be_visible()
    page.wait_for_timeout(200)  # until what was swapped in has settled, a key posts the form with a reload
    up.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#live")).to_have_text("added is now number 1 of 2")
    expect(page.locator("#down-Stop-0")).to_be_focused()
    page.get_by_role("button", name="Show diff").click()
    expect(page.locator(".diff")).to_contain_text("name: added")
    page.get_by_role("button", name="Save 1 change").click()
    expect(page.locator("#toasts")).to_contain_text("Hooks of kubernetes_investigator saved")
    expect(page.get_by_role("link", name="Hooks (2)")).to_be_visible()


def test_leaving_a_draft_asks(page: Page) -> None:
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.goto(f"{ONE}/hooks")
    page.get_by_role("button", name="Delete Stop[0]").click()
    expect(page.get_by_role("button", name="Save 1 change")).to_be_visible()
    page.goto("/hooks/")
    assert asked == ["beforeunload"]


def test_yaml_is_checked_as_one_types(page: Page) -> None:
    page.goto(f"{ONE}/yaml")
    document = page.locator("#id_document")
    text = document.input_value()
    document.fill(text.replace("Carries out changes.", "Does changes."))
    expect(page.locator("#check .diff")).to_contain_text("Does changes.")
    document.fill(text.replace("type: command", "type: nothing"))
    expect(page.locator("#check")).to_contain_text("Not valid: 1 fault")
    document.fill(text)
    expect(page.locator("#check")).to_contain_text("Nothing differs")


def test_effective_hooks_follow_the_question(page: Page) -> None:
    page.goto(f"{ONE}/effective?event=PostToolUse&tool=Bash")
    # Other tests may have left agent-level hooks that run too.
    expect(page.locator("#would-run")).to_contain_text("would run")
    expect(page.locator("main")).to_contain_text("PostToolUse[0]")
    page.get_by_label("When this event fires").select_option("Stop")
    expect(page.get_by_label("for the tool")).to_have_count(0)
    page.wait_for_url("**event=Stop**")


def test_without_scripts(scriptless: Page) -> None:
    page = scriptless
    page.goto("/custom-agents/create")
    page.locator("#id_name").fill("no_scripts")
    page.locator("#id_tools").fill("Bash")
    page.get_by_role("button", name="Save custom agent").click()
    page.wait_for_url("**/custom-agents/")
    page.locator("a.node", has_text="no_scripts").click()
    page.get_by_role("link", name="Manage Hooks (0)").click()
    page.get_by_role("button", name="Add a hook on PostToolUse").click()
    page.locator("#id_type_1").check(force=True)
    page.locator("#id_command").fill("true")
    page.locator("#id_matcher").fill("Bash")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="Hooks (1)")).to_be_visible()
    page.get_by_role("link", name="Effective hooks").click()
    expect(page.locator("#would-run")).to_contain_text("would run")
    expect(page.locator("main")).to_contain_text("PostToolUse[0]")
    page.get_by_role("link", name="Delete…").click()
    page.get_by_role("button", name="Delete custom agent").click()
    page.wait_for_url("**/custom-agents/")
    expect(page.locator("a.node", has_text="no_scripts")).to_have_count(0)
