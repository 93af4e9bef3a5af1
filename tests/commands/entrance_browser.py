"""Opens a page of a file in Chromium and uploads a table there: run by test_studio_entrance where playwright is."""

from __future__ import annotations

import sys
import time

from playwright.sync_api import Error, Page, sync_playwright

_SECONDS = 60


def main(program: str, page: str, sentence: str, table: str, sentence_after: str) -> None:
    """Fails if a sentence is not shown within a minute: one before the table is uploaded, and one after that."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        tab = browser.new_page()
        tab.goto(page)
        _wait(tab, sentence)
        tab.set_input_files("input[type=file]", table)
        tab.click("form[data-upload] button")
        _wait(tab, sentence_after)
        browser.close()


def _wait(tab: Page, sentence: str) -> None:
    over, shown = time.monotonic() + _SECONDS, ""
    # Conditions are asked for from here: to wait in the page takes eval, which the policy of its pages forbids.
    while sentence not in shown:
        assert time.monotonic() < over, f"{tab.url} does not show {sentence!r}: {shown[:500]}"
        time.sleep(0.1)
        try:
            shown = tab.inner_text("body")
        except Error:  # the page is on its way to another one
            continue


if __name__ == "__main__":
    main(*sys.argv[1:])
