"""Opens a page of a file in Chromium and waits for a sentence: run by test_studio_entrance where playwright is."""

from __future__ import annotations

import sys
import time

from playwright.sync_api import Error, sync_playwright

_SECONDS = 60


def main(program: str, page: str, sentence: str) -> None:
    """Fails if the sentence is not shown within a minute."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        tab = browser.new_page()
        tab.goto(page)
        over, shown = time.monotonic() + _SECONDS, ""
        # Conditions are asked for from here: to wait in the page takes eval, which the policy of its pages forbids.
        while sentence not in shown:
            assert time.monotonic() < over, f"{tab.url} does not show {sentence!r}: {shown[:500]}"
            time.sleep(0.1)
            try:
                shown = tab.inner_text("body")
            except Error:  # the page is on its way to another one
                continue
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
