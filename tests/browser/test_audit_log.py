"""An admin finds who changed a hook, sees the difference, exports what the filter leaves, and verifies the chain."""

import json
from pathlib import Path

from playwright.sync_api import Page, Playwright, expect

from tests.browser.driver import DESK, PHONE, THEMES, chromium, overflow, paint, sign_in, violations
from tests.browser.test_main_flow import BLOCKS, create
from tests.stack import Stack


def test_who_changed_a_hook(page: Page, tmp_path: Path) -> None:
    name = create(page, BLOCKS)
    page.goto(f"/hooks/{name}/edit")
    page.get_by_label("Timeout").fill("17")
    page.get_by_role("button", name="Save hook").click()
    page.wait_for_url("**/hooks/")
    page.get_by_role("link", name="Audit log").click()
    page.get_by_label("Target", exact=True).fill(name)
    page.get_by_label("Action").select_option(label="Hook changed")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator(".log > li")).to_have_count(1)
    page.locator(".log summary").press("Enter")
    expect(page.locator(".det .add").first).to_contain_text("timeout: 17")
    expect(page.locator(".det .facts")).to_contain_text("admin")
    for theme in THEMES:
        paint(page, theme)
        page.locator(".log summary").click()
        expect(page.locator(".det .facts")).to_be_visible()
        assert violations(page) == []
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert overflow(page) == 0
    page.set_viewport_size({"width": DESK[0], "height": DESK[1]})

    page.get_by_text("Export 1").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON Lines").click()
    download.value.save_as(tmp_path / "audit.jsonl")
    (line,) = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert json.loads(line)["target"]["name"] == name
    assert json.loads(line)["action"] == "hook.updated"

    page.get_by_role("button", name="Verify now").click()
    expect(page.locator("#chain")).to_contain_text("Chain verified")
    expect(page.locator("#live")).to_have_text("The chain holds")


def test_without_scripts(playwright: Playwright, portal: Stack) -> None:
    with chromium(playwright, portal.url, scripts=False) as context:
        page = context.new_page()
        sign_in(page, portal)
        page.goto("/audit/")
        page.locator(".log summary").first.click()
        page.locator(".log [open]").get_by_role("link", name="What changed").click()
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator(".facts")).to_contain_text("Time")
        page.go_back()
        page.get_by_role("button", name="Verify now").click()
        expect(page.locator("#chain")).to_contain_text("Chain verified")


def test_all_hooks_off_and_on_again(page: Page) -> None:
    page.goto("/hooks/")
    page.get_by_role("link", name="All hooks off…").click()
    assert violations(page) == []
    page.get_by_label("Reason").fill("The judge is down.")
    page.get_by_label("in 15 minutes").check()
    page.get_by_role("button", name="Turn all hooks off").click()
    try:
        page.goto("/samples/")
        expect(page.locator("#hooks-off")).to_contain_text("The judge is down.")
        for theme in THEMES:
            paint(page, theme)
            assert violations(page) == []
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert overflow(page) == 0
    finally:
        page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
        page.get_by_role("button", name="Turn hooks on again").click()
    expect(page.locator("#hooks-off")).to_have_count(0)
