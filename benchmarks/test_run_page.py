"""From the click on Run test to the result on the page, with the Python hook of a definition, in Chromium at a real portal.

python -m benchmarks.test_run_page [--url http://127.0.0.1:8000 --password …] [--times 20]

Without --url it starts a portal of its own. Prints the median and the slowest, of the first run in the drawer and of
«Test again».
"""

import argparse
import json
import statistics
import sys
import time
from contextlib import ExitStack

from playwright.sync_api import Page, sync_playwright

from tests.browser.driver import chromium, sign_in
from tests.stack import Stack

SCRIPT = """#!/usr/bin/env python3
import json, re, sys
context = json.load(sys.stdin)
command = context.get("tool_input", {}).get("command", "")
for pattern in [r"\\brm\\s+-rf\\b", r"\\bsudo\\b", r"\\bchmod\\s+777\\b"]:
    if re.search(pattern, command):
        print(json.dumps({"decision": "block", "reason": f"Blocked: {pattern}"}))
        sys.exit(0)
print(json.dumps({"decision": "allow"}))
"""
CONTEXT = {"tool_name": "Bash", "tool_input": {"command": "sudo ls"}, "tool_result": "", "tool_succeeded": True}
RESULT = "#run .verdict"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--url", default="")
    options.add_argument("--password", default="")
    options.add_argument("--times", type=int, default=20)
    given = options.parse_args()
    with ExitStack() as stack:
        portal = Stack("--no-demo")
        if given.url:
            portal.url, portal.password = given.url, given.password
        else:
            stack.enter_context(portal)
        playwright = stack.enter_context(sync_playwright())
        page = stack.enter_context(chromium(playwright, portal.url)).new_page()
        sign_in(page, portal)
        first, again = measure(page, given.times)
    for label, found in (("Run test", first), ("Test again", again)):
        sys.stdout.write(
            f"{label}: median {statistics.median(found):.0f} ms, slowest {max(found):.0f} ms, of {len(found)}\n"
        )


def measure(page: Page, times: int) -> tuple[list[float], list[float]]:
    page.goto("/hooks/create")
    page.get_by_label("Name", exact=True).fill("measured")
    page.locator("#id_type").get_by_text("Command").click()
    page.get_by_label("Script", exact=True).fill(SCRIPT)
    page.get_by_label("Tool matcher").fill("Bash")
    first, again = [], []
    for _ in range(times):
        page.locator("#test-form").click()
        page.get_by_label("A context", exact=True).check()
        page.locator("#test_context").fill(json.dumps(CONTEXT))
        first.append(timed(page, "#run-test"))
        again.append(timed(page, "#test-again"))
    return first, again


def timed(page: Page, button: str) -> float:
    """Click, and wait in the page itself until a result is there that was not before; in milliseconds."""
    place = page.locator(button)
    place.wait_for()
    time.sleep(0.3)  # a sandbox is made for the next one meanwhile
    return float(
        page.evaluate(
            """([button, result]) => new Promise((done) => {
                const before = document.querySelector(result);
                const start = performance.now();
                const look = () => {
                    const now = document.querySelector(result);
                    if (now && now !== before) requestAnimationFrame(() => done(performance.now() - start));
                };
                new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
                document.querySelector(button).click();
            })""",
            [button, RESULT],
        )
    )


if __name__ == "__main__":
    main()
