"""From nothing to a tested hook, with the mouse, with the keyboard alone, and without scripts."""

import itertools
import json

from playwright.sync_api import Page, expect

from tests.browser.driver import focused, sign_in, violations
from tests.stack import Stack

NUMBERS = itertools.count(1)
SUDO = json.dumps(
    {"tool_name": "Bash", "tool_input": {"command": "sudo ls"}, "tool_result": "", "tool_succeeded": True}
)
BLOCKS = "#!/bin/bash\necho 'sudo is not allowed' >&2\nexit 2\n"


def create(page: Page, script: str = BLOCKS, event: str = "PostToolUse", **more: str) -> str:
    """Make a command hook through the form; answer its name."""
    name = f"by-browser-{next(NUMBERS)}"
    page.goto("/hooks/create")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Event").select_option(event)
    page.locator("#id_type").get_by_text("Command").click()
    page.get_by_label("Script", exact=True).fill(script)
    if event != "Stop":
        page.get_by_label("Tool matcher").fill("Bash")
    for label, value in more.items():
        page.get_by_label(label).fill(value)
    page.get_by_role("button", name="Save hook").click()
    page.wait_for_url("**/hooks/")
    return name


def test_it_works(page: Page) -> None:
    page.goto("/hooks/")
    page.get_by_role("link", name="Create hook").click()
    page.get_by_label("Name", exact=True).fill("sudo guard")
    page.locator("#id_type").get_by_text("Command").click()
    page.get_by_label("Script", exact=True).fill(BLOCKS)
    page.get_by_label("Tool matcher").fill("Bash")
    page.get_by_label("Timeout").fill("301")
    page.get_by_role("button", name="Save hook").click()
    summary = page.get_by_role("alert").filter(has_text="Not saved: 2 faults")
    expect(summary).to_be_focused()
    summary.get_by_role("link", name="Timeout must be").click()
    expect(page.get_by_label("Timeout")).to_be_focused()
    expect(page.locator("textarea[name=script]")).to_have_value(BLOCKS)
    name = f"sudo-guard-{next(NUMBERS)}"
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Timeout").fill("10")
    page.get_by_role("button", name="Save hook").click()
    page.wait_for_url("**/hooks/")
    expect(page.locator("#toasts")).to_contain_text(f"{name} created")

    page.get_by_role("link", name=f"Test {name}").click()
    expect(page.locator("#panel-title")).to_be_focused()
    page.get_by_label("A context", exact=True).check()
    page.get_by_label("Context", exact=True).fill(SUDO)
    page.get_by_role("button", name="Run test").click()
    expect(page.locator(".verdict")).to_contain_text("Blocked")
    expect(page.locator(".verdict")).to_contain_text("The tool has already run.")
    expect(page.locator(".agent-sees")).to_contain_text("sudo is not allowed")
    expect(page.locator("#live")).to_contain_text("Blocked. The result of Bash would be withheld")
    expect(page.locator("tr", has_text=name)).to_contain_text("Blocked")
    page.locator("#panel-title").focus()
    page.keyboard.press("Escape")
    assert focused(page).startswith("test-")


def test_what_is_typed_is_tested_and_seen_while_it_prints(page: Page) -> None:
    page.goto("/hooks/create")
    page.locator("#id_type").get_by_text("Command").click()
    page.get_by_label("Event").select_option("Stop")
    slow = "#!/usr/bin/env python3\nimport time\nprint('<b>first')\ntime.sleep(4)\n"
    page.get_by_label("Script", exact=True).fill(slow)
    page.get_by_role("button", name="Test run").click()
    page.get_by_label("A context", exact=True).check()
    page.locator("#test_context").fill('{"final_output": "4"}')
    page.get_by_role("button", name="Run test").click()
    expect(page.locator("#live-stdout")).to_have_text("<b>first\n")
    expect(page.locator(".verdict")).to_contain_text("Error, let pass")
    assert violations(page) == []
    page.get_by_label("Script", exact=True).focus()
    # Chromium would style lines that it joins itself, which the CSP refuses; the editor deletes without.
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text("#!/bin/bash\nexit 0\n")
    page.get_by_role("button", name="Test again").click()
    expect(page.locator(".verdict")).to_contain_text("Allowed")
    page.keyboard.press("Escape")
    assert focused(page) == "test-form"
    page.once("dialog", lambda dialog: dialog.accept())


def test_cancel_stops_a_running_test(page: Page) -> None:
    name = create(page, "#!/bin/bash\nsleep 60\n", Timeout="120")
    page.get_by_role("link", name=f"Test {name}").click()
    page.get_by_label("A context", exact=True).check()
    page.get_by_label("Context", exact=True).fill(SUDO)
    page.get_by_role("button", name="Run test").click()
    expect(page.locator("#run")).to_contain_text("Running 1 s")
    expect(page.locator("#live")).to_have_text("Running")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#run")).to_contain_text("The test was cancelled")
    expect(page.locator("#live")).to_have_text("Cancelled")


def test_only_what_applies_is_shown_and_what_was_typed_stays(page: Page) -> None:
    page.goto("/hooks/create")
    page.locator("#id_prompt").fill("an idea")
    page.locator("#id_type").get_by_text("Command").click()
    expect(page.locator("#id_prompt")).to_be_hidden()
    expect(page.locator("#id_script")).to_be_visible()
    expect(page.get_by_text("Exit code 2 always blocks.")).to_be_visible()
    page.get_by_label("Event").select_option("Stop")
    expect(page.locator("#id_matcher")).to_be_hidden()
    expect(page.get_by_text("no limit of rejections")).to_be_visible()
    page.get_by_role("button", name="Save hook").click()
    expect(page.locator("#faults")).to_be_focused()
    page.locator("#id_type").get_by_text("Prompt").click()
    expect(page.locator("#id_prompt")).to_have_text("an idea")
    expect(page.locator("#id_maxRejections")).to_be_visible()


def test_the_switch_acts_at_once_and_can_be_undone(page: Page) -> None:
    name = create(page)
    switch = page.get_by_role("switch", name=f"{name} enabled")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    expect(switch).to_be_focused()
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(switch).to_have_attribute("aria-checked", "true")


def test_leaving_with_something_unsaved_asks(page: Page) -> None:
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.goto("/hooks/create")
    page.get_by_label("Name", exact=True).press_sequentially("x")
    page.goto("/hooks/")
    assert asked == ["beforeunload"]


def reach(page: Page, wanted: str, *, limit: int = 300) -> None:
    """Press Tab until what has the focus has this id."""
    for _ in range(limit):
        if focused(page) == wanted:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} cannot be reached with Tab; the focus is on {focused(page)}")


def test_by_keyboard_alone(page: Page) -> None:
    name = f"by-keyboard-{next(NUMBERS)}"
    page.goto("/hooks/")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to content"
    page.keyboard.press("Enter")
    reach(page, "Create hook")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hooks/create")
    reach(page, "id_name")
    page.keyboard.type(name)
    reach(page, "id_type_0")
    page.keyboard.press("ArrowRight")
    reach(page, "id_script")
    page.keyboard.type("#!/bin/bash\nexit 2")
    page.keyboard.press("Escape")
    reach(page, "id_matcher")
    page.keyboard.type("Bash")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hooks/")
    opener = page.get_by_role("link", name=f"Test {name}").get_attribute("id") or ""
    reach(page, opener)
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_be_focused()
    reach(page, page.locator("[name=using]:checked").get_attribute("id") or "")
    while not page.get_by_label("A context", exact=True).is_checked():
        page.keyboard.press("ArrowDown")
    reach(page, "test_context")
    page.keyboard.insert_text(SUDO)
    reach(page, "run-test")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("Blocked")
    page.keyboard.press("Escape")
    assert focused(page) == opener


def test_without_scripts(scriptless: Page, portal: Stack) -> None:
    page = scriptless
    page.goto("/hooks/create")
    page.locator("#id_name").fill("no scripts")
    page.locator("#id_type_1").check(force=True)
    page.locator("#id_matcher").fill("Bash")
    page.locator("#id_command").fill("exit 2")
    page.get_by_role("button", name="Save hook").click()
    expect(page.locator("#faults")).to_contain_text("Name must have 1 to 64 letters")
    page.locator("#id_name").fill(name := f"no-scripts-{next(NUMBERS)}")
    page.get_by_role("button", name="Save hook").click()
    page.wait_for_url("**/hooks/")
    page.get_by_role("link", name=f"Test {name}").click()
    page.get_by_label("A context", exact=True).check()
    page.get_by_label("Context", exact=True).fill(SUDO)
    page.get_by_role("button", name="Run test").click()
    page.wait_for_url("**/test-runs/*")
    for _ in range(20):
        if page.locator(".verdict").count():
            break
        page.wait_for_timeout(300)
        page.reload()
    expect(page.locator(".verdict")).to_contain_text("Blocked")
    page.get_by_role("link", name="Hooks", exact=True).first.click()
    page.get_by_role("switch", name=f"{name} enabled").click()
    expect(page.locator("#toasts")).to_contain_text(f"{name} disabled")
    page.locator(".account summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    sign_in(page, portal)  # the tests after this one use the same browser
