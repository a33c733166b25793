import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

from tests.browser.driver import CHROMIUM, chromium, sign_in
from tests.servers import TYPE
from tests.stack import Stack


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    if not Path(CHROMIUM).exists():
        pytest.fail(TYPE["chromium"])
    # Its event loop stays open in this thread, where Django would then refuse the tests after these their database.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright, portal: Stack) -> Iterator[BrowserContext]:
    """One Chromium, signed in as the admin."""
    with chromium(playwright, portal.url) as context:
        page = context.new_page()
        sign_in(page, portal)
        page.close()
        yield context


@pytest.fixture
def page(browser: BrowserContext) -> Iterator[Page]:
    """A page on which nothing may go wrong unseen: faults of scripts and of the CSP fail the test."""
    page = browser.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if "Content Security" in message.text else None)
    yield page
    page.close()
    assert not wrong


@pytest.fixture(scope="session")
def plain_browser(playwright: Playwright, portal: Stack) -> Iterator[BrowserContext]:
    """One Chromium that runs no scripts, signed in as the admin."""
    with chromium(playwright, portal.url, scripts=False) as context:
        page = context.new_page()
        sign_in(page, portal)
        page.close()
        yield context


@pytest.fixture
def scriptless(plain_browser: BrowserContext) -> Iterator[Page]:
    """A page in a browser without JavaScript, at the grid of hooks."""
    page = plain_browser.new_page()
    page.goto("/hooks/")
    yield page
    page.close()
