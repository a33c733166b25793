"""A real Chromium at a real portal, each with a profile of its own."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, Playwright

from tests.stack import Stack

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK, PHONE = (1440, 900), (360, 740)
THEMES = ("light", "dark")
REPAINT = "theme => { document.documentElement.dataset.bsTheme = theme }"
COLOURS = """axe.run({ runOnly: ["color-contrast", "link-in-text-block"], resultTypes: ["violations"] })
    .then(results => results.violations)"""


@contextmanager
def chromium(playwright: Playwright, base_url: str, *, scripts: bool = True) -> Iterator[BrowserContext]:
    with tempfile.TemporaryDirectory(prefix="portal-chromium-") as profile:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=CHROMIUM,
            args=FLAGS,
            base_url=base_url,
            viewport={"width": DESK[0], "height": DESK[1]},
            java_script_enabled=scripts,
        )
        context.set_default_timeout(10_000)
        try:
            yield context
        finally:
            context.close()


def sign_in(page: Page, portal: Stack) -> None:
    page.goto("/sign-in")
    page.get_by_label("User name").fill(portal.admin)
    page.get_by_label("Password").fill(portal.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/hooks/")


def paint(page: Page, theme: str) -> None:
    """Choose a theme as the portal remembers it."""
    page.context.add_cookies([{"name": "theme", "value": theme, "url": urljoin(page.url, "/")}])
    page.reload()
    assert page.locator("html").get_attribute("data-bs-theme") == theme


def violations(page: Page) -> list[str]:
    """What axe finds in both themes, WCAG 2.0 to 2.2 A and AA and best practices. Of the other theme only what colours decide."""
    found = _said(Axe().run(page).response["violations"])
    now = page.locator("html").get_attribute("data-bs-theme") or THEMES[0]
    other = next(theme for theme in THEMES if theme != now)
    page.emulate_media(reduced_motion="reduce")  # a colour on its way to another is neither
    page.evaluate(REPAINT, other)
    found += [f"{other}: {one}" for one in _said(page.evaluate(COLOURS))]
    page.evaluate(REPAINT, now)
    page.emulate_media(reduced_motion="no-preference")
    return found


def _said(found: list[dict[str, Any]]) -> list[str]:
    return [f"{one['id']}: {node['target']} {node['html'][:120]}" for one in found for node in one["nodes"]]


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def focused(page: Page) -> str:
    """The id of what has the focus, else its text."""
    return str(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
