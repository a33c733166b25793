"""The editor of a hook: what it shows as one types, and that the keyboard gets in and out of it."""

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.driver import focused, overflow, violations
from tests.browser.test_main_flow import BLOCKS, NUMBERS, create, reach


def test_the_preview_follows_what_is_typed(page: Page) -> None:
    page.goto("/hooks/demo-no-secrets/edit")
    expect(page.get_by_text("Unsaved changes")).to_be_hidden()
    page.locator("#id_matcher").press("End")
    page.locator("#id_matcher").press_sequentially("x|DemoKubectl")
    expect(page.locator("#yaml")).to_contain_text("matcher: Demo.*x|DemoKubectl")
    expect(page.locator("#matcher-head")).to_contain_text("hits 1 of")
    expect(page.locator("#id_matcher")).to_be_focused()
    expect(page.get_by_text("Unsaved changes")).to_be_visible()
    page.locator("#try").press_sequentially("DemoX")
    expect(page.locator(".tried")).to_contain_text("no match")
    page.locator("#try").press("Backspace")
    page.locator("#try").press_sequentially("yx")
    expect(page.locator(".tried")).to_contain_text("Demoyx")
    expect(page.locator(".tried .yes")).to_be_visible()
    expect(page.locator("#try")).to_be_focused()
    page.locator("#try").press("Enter")
    expect(page).to_have_url("/hooks/demo-no-secrets/edit")


def test_trying_a_name_is_no_change(page: Page) -> None:
    page.goto("/hooks/demo-no-secrets/edit")
    page.locator("#try").press_sequentially("Demo")
    expect(page.locator(".tried")).to_be_visible()
    expect(page.get_by_text("Unsaved changes")).to_be_hidden()


def test_a_field_says_its_fault_as_one_leaves_it(page: Page) -> None:
    page.goto("/hooks/demo-no-secrets/edit")
    timeout = page.locator("#id_timeout")
    timeout.fill("301")
    page.keyboard.press("Tab")
    expect(page.locator("#id_timeout_said")).to_contain_text("must be a whole number of seconds from 1 to 300")
    expect(timeout).to_have_attribute("aria-invalid", "true")
    expect(timeout).to_have_attribute("aria-describedby", "id_timeout_helptext id_timeout_error")
    assert focused(page).startswith("id_failMode")
    timeout.fill("30")
    expect(page.locator("#id_timeout_said")).to_be_empty()
    expect(timeout).not_to_have_attribute("aria-invalid", "true")


def test_a_fault_of_a_script_is_marked_at_its_line(page: Page) -> None:
    page.goto("/hooks/demo-no-secrets/edit")
    page.locator("#id_script").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("if x\n")
    bar = page.locator("#id_script_state")
    expect(bar).to_contain_text("Line 18: expected ':'")
    expect(page.locator(".cm-fault")).to_have_text("if x")
    expect(page.locator(".cm-fault-mark")).to_be_visible()
    page.keyboard.press("Backspace")
    page.keyboard.type(": pass")
    expect(bar).to_contain_text("Parses")
    expect(page.locator(".cm-fault")).to_have_count(0)
    expect(page.locator("textarea[name=script]")).to_have_value(re.compile("if x: pass"))


def test_the_keyboard_leaves_the_editor(page: Page) -> None:
    page.goto("/hooks/demo-no-secrets/edit")
    reach(page, "id_script")
    page.keyboard.press("Tab")
    assert focused(page) == "id_script"  # Tab indents
    page.keyboard.press("Escape")
    expect(page.locator("#live")).to_have_text("Tab now leaves the editor")
    page.keyboard.press("Tab")
    assert focused(page) == "id_matcher"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    assert focused(page) == "language"


def test_the_language_sets_the_first_line(page: Page) -> None:
    page.goto("/hooks/demo-no-secrets/edit")
    language = page.get_by_label("Language")
    expect(language).to_have_value("#!/usr/bin/env python3")
    language.select_option("#!/bin/bash")
    expect(page.locator("#id_script .cm-line").first).to_have_text("#!/bin/bash")
    language.select_option("command")
    expect(page.locator("#id_script")).to_be_hidden()
    page.locator("#id_command").fill("exit 2")
    expect(page.locator("#yaml")).to_contain_text("command: exit 2")
    expect(page.locator("#yaml")).not_to_contain_text("script:")
    language.select_option("#!/usr/bin/env python3")
    expect(page.locator("#id_script .cm-line").first).to_have_text("#!/usr/bin/env python3")


def test_a_tier_is_chosen_and_a_deployment_typed(page: Page) -> None:
    page.goto("/hooks/create")
    fast = page.get_by_role("button", name="Fast", exact=True)
    fast.click()
    expect(page.locator("#id_model")).to_have_value("Fast")
    expect(fast).to_have_attribute("aria-pressed", "true")
    page.locator("#id_model").fill("my-deployment")
    expect(fast).to_have_attribute("aria-pressed", "false")
    page.locator("#id_prompt").fill("Is it done?")
    page.get_by_role("button", name="Insert $ARGUMENTS").click()
    expect(page.locator("#id_prompt")).to_contain_text("$ARGUMENTS")
    expect(page.locator(".tok-arguments")).to_be_visible()
    expect(page.locator("#yaml")).to_contain_text("model: my-deployment")


def test_history_compares_and_restores(page: Page) -> None:
    name = create(page, BLOCKS)
    page.goto(f"/hooks/{name}/edit")
    page.locator("#id_matcher").fill("Bash|Shell")
    page.get_by_role("button", name="Save hook").click()
    page.wait_for_url("**/hooks/")
    page.goto(f"/hooks/{name}/edit")
    page.get_by_role("link", name="History").click()
    expect(page.locator(".diff mark")).to_have_text("|Shell")
    page.get_by_role("link", name="Restore… version 1").click()
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.locator("#toasts")).to_contain_text("Version 1 of")
    expect(page.get_by_role("heading", name="Version 2 to version 3")).to_be_visible()


def test_nothing_that_axe_finds(page: Page) -> None:
    name = create(page, "#!/bin/bash\ntrue\n")
    page.goto(f"/hooks/{name}/edit")
    page.locator("#id_script").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("if\n")
    page.locator("#id_timeout").fill("0")
    expect(page.locator(".cm-fault-mark")).to_be_visible()
    assert violations(page) == []
    for width in (360, 768, 1000, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert overflow(page) == 0
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/hooks/{name}/history")
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) == 0


def test_the_editor_is_no_heavy_page(page: Page, browser: BrowserContext) -> None:
    wire = browser.new_cdp_session(page)
    wire.send("Network.enable")
    wire.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[float] = []
    wire.on("Network.loadingFinished", lambda done: sizes.append(done["encodedDataLength"]))
    page.goto("/hooks/demo-no-secrets/edit", wait_until="networkidle")
    expect(page.locator("#id_script_state")).to_have_text("Parses")
    assert 100_000 < sum(sizes) < 200 * 1024


def test_a_hook_begins_as_a_template(page: Page) -> None:
    page.goto("/hooks/create")
    page.get_by_role("link", name="Start from a template").click()
    page.get_by_role("link", name="Cost guard").click()
    name = f"cost-guard-{next(NUMBERS)}"
    page.locator("#id_name").fill(name)
    expect(page.locator("#yaml")).to_contain_text(name)
    page.get_by_role("button", name="Save hook").click()
    page.wait_for_url("**/hooks/")
    expect(page.locator("#toasts")).to_contain_text("3 sample contexts added")
    page.goto(f"/hooks/{name}/clone")
    expect(page.locator("#id_name")).to_have_value(f"{name}-copy")


def test_without_scripts_it_is_a_plain_form(scriptless: Page) -> None:
    page = scriptless
    page.goto("/hooks/templates")
    page.get_by_role("link", name="Audit all tools").click()
    expect(page.locator("#id_script")).to_be_visible()
    expect(page.locator("#yaml")).to_contain_text("eventType: PostToolUse")
    expect(page.locator("#try")).to_be_hidden()
    page.locator("#id_name").fill(name := f"audit-{next(NUMBERS)}")
    page.get_by_role("button", name="Save hook").click()
    page.wait_for_url("**/hooks/")
    page.goto(f"/hooks/{name}/edit")
    page.locator("#id_timeout").fill("20")
    page.get_by_role("button", name="Save hook").click()
    page.goto(f"/hooks/{name}/history")
    expect(page.locator(".diff")).to_contain_text("20")
