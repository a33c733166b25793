"""The grid of hooks and the quick search, by mouse, by keyboard and without scripts."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import focused, overflow, violations
from tests.stack import Stack

ONE = "name: {}\ntype: GlobalHook\nproperties:\n  eventType: Start\n  hook: {{type: command, command: 'true'}}\n"
MANY = """
from agents.models import Agent
from hooks.engine.parsing import parse
from hooks.services import save_hook
from portal.access.actors import Actor
agent = Agent.objects.get(is_default=True)
for number in range(4):
    name = f"row-{number}"
    spec = parse({"name": name, "type": "command", "command": "true"}, event="Start").spec
    if not agent.hooks.filter(name=name).exists():
        save_hook(agent=agent, spec=spec, by=Actor.system("x"))
agent.hooks.filter(name__startswith="row-").update(enabled=True)
"""


@pytest.fixture(autouse=True)
def rows(portal: Stack) -> Iterator[None]:
    portal.manage("shell", "-c", MANY)
    yield
    portal.manage("shell", "-c", "from hooks.models import Hook; Hook.objects.filter(name__startswith='row-').delete()")


def names(page: Page) -> list[str]:
    return [name for name in page.locator("tr.hook .name").all_inner_texts() if name.startswith("row-")]


def test_filters_search_and_back(page: Page) -> None:
    page.goto("/hooks/")
    page.locator("#filter-event").click()
    page.get_by_role("link", name="Start", exact=True).click()
    expect(page.locator("#filter-event")).to_be_focused()
    expect(page.locator("#filter-event")).to_have_text("Event: Start")
    page.wait_for_url("**/hooks/?event=Start")
    page.get_by_role("searchbox", name="Search hooks by name").press_sequentially("row-2", delay=30)
    expect(page.locator("tr.hook")).to_have_count(1)
    expect(page.locator("#grid-search")).to_be_focused()
    page.wait_for_url("**/hooks/?*q=row-2*")
    page.get_by_role("link", name="Clear the filter Event: Start").click()
    expect(page.locator("#filter-event")).to_have_text("Event")
    expect(page.locator("#grid-search")).to_have_value("row-2")
    page.go_back()
    page.wait_for_url("**/hooks/?*event=Start*")
    expect(page.locator("#filter-event")).to_have_text("Event: Start")
    page.goto("/hooks/")
    page.get_by_role("link", name="Name", exact=True).click()
    expect(page.get_by_role("columnheader", name="Name")).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("#sort-name")).to_be_focused()
    expect(page.locator("tr.group")).to_have_count(0)


def test_order_by_keyboard(page: Page) -> None:
    page.goto("/hooks/?event=Start")
    before = names(page)
    handle = page.get_by_role("button", name=f"Move {before[0]}: drag")
    handle.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#live")).to_contain_text(f"{before[0]} is number")
    expect(page.locator("#toasts")).to_contain_text(f"{before[0]} is number")
    after = [*before[1:3], before[0], before[3]]
    assert names(page) == after
    expect(handle).to_be_focused()
    page.reload()
    assert names(page) == after
    page.get_by_role("button", name=f"Move {before[0]}: drag").press("ArrowUp")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text("The order of Start is as it was")
    assert names(page) == after


def test_order_by_drag(page: Page) -> None:
    page.goto("/hooks/?event=Start")
    before = names(page)
    start = page.get_by_role("button", name=f"Move {before[3]}: drag").bounding_box()
    end = page.locator("tr.hook", has_text=before[0]).bounding_box()
    assert start and end
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    for part in (0.25, 0.5, 0.75, 1):
        page.mouse.move(start["x"] + 8, start["y"] + (end["y"] + 4 - start["y"]) * part)
    page.mouse.up()
    expect(page.locator("#toasts")).to_contain_text(f"{before[3]} is number")
    page.reload()
    assert names(page) == [before[3], *before[:3]]


def test_several_at_once(page: Page) -> None:
    page.goto("/hooks/?q=row-")
    page.get_by_role("checkbox", name="Select row-0").check()
    expect(page.locator("#bulk-count")).to_have_text("1 selected")
    page.get_by_role("checkbox", name="Select all hooks of this page").check()
    expect(page.locator("#bulk-count")).to_have_text("4 selected")
    page.get_by_role("button", name="Disable").click()
    expect(page.locator("#toasts")).to_contain_text("4 hooks disabled")
    expect(page.get_by_role("switch", name="row-0 enabled")).to_have_attribute("aria-checked", "false")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("switch", name="row-0 enabled")).to_have_attribute("aria-checked", "true")
    page.get_by_role("checkbox", name="Select row-1").check()
    page.get_by_role("checkbox", name="Select row-2").check()
    with page.expect_download() as file:
        page.get_by_role("button", name="Export", exact=True).click()
    assert file.value.suggested_filename.endswith("-hooks.yaml")
    page.get_by_role("button", name="Delete…").click()
    expect(page.locator("h1")).to_have_text("Delete 2 hooks?")
    expect(page.get_by_role("link", name="Cancel")).to_be_focused()
    page.get_by_role("button", name="Delete 2 hooks").click()
    page.wait_for_url("**/hooks/?q=row-")
    assert names(page) == ["row-0", "row-3"]
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text("2 hooks restored")
    assert names(page) == ["row-0", "row-1", "row-2", "row-3"]


def test_states_are_accessible(page: Page) -> None:
    page.goto("/hooks/?sort=-last")
    assert violations(page) == []
    page.goto("/hooks/?event=Start&health=failing")
    assert violations(page) == []
    page.goto("/hooks/?event=Start")
    page.get_by_role("checkbox", name="Select row-0").check()
    assert violations(page) == []
    page.get_by_role("button", name="Delete…").click()
    assert violations(page) == []
    page.goto("/search?q=row-")
    assert violations(page) == []
    page.keyboard.press("/")
    page.keyboard.type("row-")
    expect(page.locator("#found")).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert violations(page) == []
    page.goto("/hooks/import-yaml")
    page.get_by_label("YAML", exact=True).fill(ONE.format("row-9"))
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_have_text("1 change")
    assert violations(page) == []
    for width in (360, 899, 1200, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert overflow(page) == 0


def test_quick_search_by_keyboard(page: Page) -> None:
    page.goto("/hooks/")
    page.keyboard.press("Control+k")
    assert focused(page) == "find-field"
    page.keyboard.type("row-3")
    field = page.locator("#find-field")
    expect(field).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "found-1-1")
    page.keyboard.press("Escape")
    expect(page.locator("#found")).to_be_hidden()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hooks/row-3/edit")
    page.goto("/hooks/create")
    page.locator("#id_description").focus()
    page.keyboard.type("/")
    expect(page.locator("#id_description")).to_have_value("/")


def test_without_scripts(scriptless: Page) -> None:
    page = scriptless
    page.locator("#filter-event").click()
    page.get_by_role("link", name="Start", exact=True).click()
    page.wait_for_url("**/hooks/?event=Start")
    before = names(page)
    page.locator("tr.hook", has_text="row-1").locator("summary").click()
    page.get_by_role("button", name="Move up").locator("visible=true").click()
    assert names(page) == [before[1], before[0], *before[2:]]
    page.get_by_role("button", name="Undo").click()
    assert names(page) == before
    page.get_by_role("checkbox", name="Select row-0").check()
    page.get_by_role("button", name="Disable").click()
    expect(page.get_by_role("switch", name="row-0 enabled")).to_have_attribute("aria-checked", "false")
    page.wait_for_url("**/hooks/?event=Start")
    page.get_by_role("switch", name="row-0 enabled").click()
    expect(page.get_by_role("switch", name="row-0 enabled")).to_have_attribute("aria-checked", "true")
    page.locator("#find-field").fill("row-2")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="row-2").click()
    page.wait_for_url("**/hooks/row-2/edit")
