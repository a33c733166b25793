"""A token made, copied, used and revoked, and a tier tried: by an admin at a browser."""

import httpx2
from playwright.sync_api import Page, expect

from tests.browser.driver import overflow, violations
from tests.stack import Stack


def test_it_works(page: Page, portal: Stack) -> None:
    page.goto("/tokens/create")
    page.get_by_role("button", name="Create token").click()
    summary = page.get_by_role("alert").filter(has_text="Not saved: 2 faults")
    expect(summary).to_be_focused()
    assert violations(page) == []
    page.get_by_label("Name", exact=True).fill("a pipeline")
    page.get_by_role("checkbox", name="read See").check()
    page.get_by_role("button", name="Create token").click()
    expect(page.locator("#made")).to_be_focused()
    expect(page.locator("#live")).to_contain_text("it is shown this once")
    secret = page.locator("#secret").inner_text()
    page.context.grant_permissions(["clipboard-write"], origin=portal.url)
    page.get_by_role("button", name="Copy token").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) == 0

    def status() -> int:
        return httpx2.get(f"{portal.url}/api/v2/evaluations", headers={"Authorization": f"Bearer {secret}"}).status_code

    assert status() == 200
    page.reload()
    assert secret not in page.content()
    page.goto("/tokens/")
    assert overflow(page) == 0 and violations(page) == []
    assert secret not in page.content()
    page.get_by_role("link", name="Revoke a pipeline").click()
    expect(page.get_by_role("link", name="Cancel")).to_be_focused()
    page.get_by_role("button", name="Revoke token").click()
    expect(page.locator("#toasts")).to_contain_text("a pipeline revoked")
    assert status() == 401


def test_a_tier_is_tried(page: Page) -> None:
    page.goto("/model-tiers/")
    assert violations(page) == []
    page.get_by_role("link", name="Edit Fast").click()
    page.get_by_label("Base URL").fill("http://169.254.169.254/latest")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert").filter(has_text="Base URL is not allowed")).to_be_focused()
    assert violations(page) == []
    page.get_by_label("Base URL").fill("")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#tried")).to_be_focused()
    expect(page.locator("#tried")).to_contain_text("gpt-5-mini did not answer. No model is configured")
    for width in (360, 899, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert overflow(page) == 0
