"""Every page and state: no violation that axe finds, light and dark; nothing wider than the window, 360 to 1920 pixels."""

import json
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Playwright, expect

from tests.access_table import OPEN
from tests.access_table import PAGES as TABLE
from tests.browser.driver import DESK, THEMES, chromium, overflow, violations
from tests.browser.test_main_flow import BLOCKS, SUDO, create
from tests.portal.test_access_table import PATTERNS
from tests.stack import Stack

WIDTHS = (360, 899, 1920)
# Other than a page: downloads, and what stands in the list under the search field.
NO_PAGES = {"agents:export", "agents:thread_export", "agents:search"}
NAMES = [name for name, row in TABLE.items() if row.get("GET", OPEN) != OPEN and name not in NO_PAGES]


@pytest.fixture(scope="module")
def places(portal: Stack) -> dict[str, dict[str, Any]]:
    """What addresses name, by the part of the path before it: one of each, made for these tests."""
    made = portal.manage("shell", "--no-imports", "-c", "import tests.browser.objects")
    return dict(json.loads(made.splitlines()[-1]))


def address(name: str, places: dict[str, dict[str, Any]]) -> str:
    pattern = PATTERNS[name].pattern
    given = places.get(str(pattern).split("/")[0], {})
    return reverse(name, kwargs={key: given[key] for key in pattern.converters})


@pytest.mark.parametrize("name", [*NAMES, "nowhere"])
def test_pages(page: Page, places: dict[str, dict[str, Any]], name: str) -> None:
    answer = page.goto("/nowhere" if name == "nowhere" else address(name, places))
    assert answer and answer.status == (404 if name == "nowhere" else 200)
    assert violations(page) == []
    too_wide = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if over := overflow(page):
            too_wide[width] = over
    assert too_wide == {}


def test_faults_panel_and_result(page: Page) -> None:
    name = create(page, BLOCKS)
    page.goto(f"/hooks/{name}/edit")
    page.get_by_label("Timeout").fill("0")
    page.get_by_label("Tool matcher").fill("(")
    page.get_by_role("button", name="Save hook").click()
    expect(page.locator("#faults")).to_be_focused()
    assert violations(page) == []
    page.goto("/hooks/")
    page.get_by_role("link", name=f"Test {name}").click()
    expect(page.locator("#panel-title")).to_be_focused()
    assert violations(page) == []
    page.get_by_label("A context", exact=True).check()
    page.get_by_label("Context", exact=True).fill(SUDO)
    page.get_by_role("button", name="Run test").click()
    expect(page.locator(".verdict")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="This test run on a page of its own").click()
    expect(page.locator("h1")).to_contain_text("Test run")
    assert violations(page) == []


def test_signing_in(playwright: Playwright, portal: Stack) -> None:
    with chromium(playwright, portal.url) as context:
        page = context.new_page()
        page.goto("/sign-in")
        assert violations(page) == []
        page.get_by_label("User name").fill("nobody")
        page.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_focused()
        assert violations(page) == []
        page.set_viewport_size({"width": 360, "height": 740})
        assert overflow(page) == 0


def test_menus(page: Page) -> None:
    page.goto("/hooks/")
    page.locator(".account summary").click()
    page.locator(".switch-agent summary").click()
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("link", name="Open menu").click()
    expect(page.get_by_role("link", name="Sample contexts")).to_be_visible()
    assert violations(page) == []


def test_hostile_text_does_not_set_the_layout(page: Page) -> None:
    line = "x" * 100_000
    script = f"#!/bin/bash\nprintf '\\033[31m\\342\\200\\256<b>%s' {'y' * 60_000} >&2\nexit 2\n"
    name = create(page, script, Description=("\u202e" + line)[:1900])
    for width in (360, DESK[0]):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("/hooks/")
        assert overflow(page) == 0
        page.goto(f"/hooks/{name}/edit")
        assert overflow(page) == 0
    page.goto(f"/hooks/{name}/test")
    page.get_by_label("A context", exact=True).check()
    page.get_by_label("Context", exact=True).fill(SUDO.replace("sudo ls", line))
    page.get_by_role("button", name="Run test").click()
    expect(page.locator(".verdict")).to_be_visible()
    for width in (360, DESK[0]):
        page.set_viewport_size({"width": width, "height": 900})
        assert overflow(page) == 0


def test_the_theme_changes_without_a_new_page(page: Page) -> None:
    page.goto("/hooks/create")
    page.get_by_label("Name", exact=True).fill("typed")
    for theme in THEMES:
        page.locator(".account summary").click()
        page.get_by_role("button", name=theme.capitalize(), exact=True).click()
        expect(page.locator("html")).to_have_attribute("data-bs-theme", theme)
        page.keyboard.press("Escape")
    expect(page.get_by_label("Name", exact=True)).to_have_value("typed")
