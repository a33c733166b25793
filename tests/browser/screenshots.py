"""Write docs/screenshots: `python -m tests.browser.screenshots`. Starts a portal of its own with the demo content."""

from collections.abc import Callable

from playwright.sync_api import Page, expect, sync_playwright

from stack.options import ROOT
from tests.browser.driver import DESK, PHONE, THEMES, chromium, paint, sign_in
from tests.stack import Stack

PLACE = ROOT / "docs" / "screenshots"


def hooks(page: Page) -> None:
    page.goto("/hooks/")


def hook_form(page: Page) -> None:
    page.goto("/hooks/demo-no-secrets/edit")
    page.locator("#id_timeout").fill("301")
    page.get_by_role("button", name="Save hook").click()
    expect(page.locator("#faults")).to_be_focused()


def test_run(page: Page) -> None:
    page.goto("/hooks/")
    page.get_by_role("link", name="Test demo-no-secrets").click()
    page.get_by_role("button", name="Run test").click()
    expect(page.locator(".verdict")).to_be_visible()
    page.wait_for_timeout(500)


def sample_contexts(page: Page) -> None:
    page.goto("/samples/")


def custom_agents(page: Page) -> None:
    page.goto("/custom-agents/")


SCREENS: tuple[Callable[[Page], None], ...] = (hooks, hook_form, test_run, sample_contexts, custom_agents)


def shoot(page: Page, name: str) -> None:
    page.screenshot(path=PLACE / f"{name}.png", animations="disabled")


def main() -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    with Stack() as portal, sync_playwright() as playwright, chromium(playwright, portal.url) as context:
        page = context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto("/sign-in")
        shoot(page, "sign-in")
        sign_in(page, portal)
        for screen in (test_run, *SCREENS):  # the first time for the grid's last results
            for theme in THEMES:
                hooks(page)
                paint(page, theme)
                screen(page)
                shoot(page, screen.__name__.replace("_", "-") + ("" if theme == "light" else f"-{theme}"))
        paint(page, "light")
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        for screen in (hooks, test_run):
            screen(page)
            shoot(page, screen.__name__.replace("_", "-") + "-phone")
        page.set_viewport_size({"width": DESK[0], "height": DESK[1]})


if __name__ == "__main__":
    main()
