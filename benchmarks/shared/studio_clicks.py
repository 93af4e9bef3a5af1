"""Times the interactions with a studio in a browser, from a click to the changed page: run where playwright is.

``python studio_clicks.py CHROMIUM ADDRESS RUNS [counted]`` prints the seconds of each interaction as JSON; if
``counted``, it waits for the first figures of the screen Requirement, too.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial

from playwright.sync_api import Page, sync_playwright  # type: ignore[import-not-found]

SCREENS = ("decide", "table", "hierarchies", "requirement", "lattice", "preview", "release")
_PATIENCE = 600.0


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def opened(page: Page, screen: str) -> None:
    """Follow the link to a screen, until the screen is there."""
    with page.expect_navigation(wait_until="load"):
        page.locator(f'nav a[href="/{screen}"]').click()
    assert page.locator("h1").inner_text().lower() == screen


def pressed(page: Page, button: str) -> None:
    """Press a button, until the page is there to which it leads."""
    with page.expect_navigation(wait_until="load"):
        page.locator(button).first.click()


def until(condition: Callable[[], bool], seconds: float = _PATIENCE) -> None:
    over = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > over:
            raise TimeoutError
        time.sleep(0.005)


def is_answered(page: Page) -> bool:
    return bool(page.locator("#answer .facts, #answer .problem").count())


def slid(page: Page, k: int) -> None:
    """Move the slider of k, until an answer to it is shown."""
    turn = page.locator("#answer").get_attribute("data-turn") or "0"
    page.locator("#k-slider").fill(str(k))
    until(lambda: (page.locator("#answer").get_attribute("data-turn") or "0") != turn)


def cancelled(page: Page) -> bool:
    """Cancel the work on this screen, until the page says so; False without work under way."""
    button = page.locator('[data-state="running"] form[action="/cancel"] button')
    if not button.count():
        return False
    pressed(page, '[data-state="running"] form[action="/cancel"] button')
    assert page.locator('[data-state="cancelled"]').count(), "the work goes on"
    return True


def main(chromium: str, address: str, runs: int, is_counting: bool) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {}

    def note(name: str, act: Callable[[], object]) -> None:
        taken.setdefault(name, []).append(round(timed(act), 4))

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(_PATIENCE * 1000)
        note("first page", lambda: (page.goto(address), page.locator("h1").wait_for(), page.wait_for_load_state()))
        began = time.perf_counter()
        for screen in ("requirement", "lattice", "hierarchies"):  # at its first visit a screen begins to count
            note(f"{screen}, first visit", partial(opened, page, screen))
        for turn in range(runs):
            for screen in SCREENS:
                note(screen, partial(opened, page, screen))
            opened(page, "requirement")
            note("k on the slider", partial(slid, page, 6 + turn))
        for _ in range(runs):
            opened(page, "requirement")
            page.locator("#k").fill("7")
            note("another k into the job", lambda: pressed(page, "button[formaction]"))
            note("undo", lambda: pressed(page, 'form[action="/undo"] button'))
        for _ in range(runs):
            opened(page, "preview")
            pressed(page, 'form:has(input[name="name"][value="preview"]) button')
            time.sleep(1)
            note("cancel a preview", lambda: cancelled(page))
        if is_counting:
            opened(page, "requirement")
            until(lambda: is_answered(page))
            taken["first figures of the requirement, counted"] = [round(time.perf_counter() - began, 2)]
        browser.close()
    return taken


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:] == ["counted"])))
