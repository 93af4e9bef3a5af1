"""Opens a report in Chromium and operates it: run by test_report in an environment that has playwright."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

WIDTHS = {"wide": 1280, "narrow": 400}


def operated(page: Page) -> None:
    """Every view by mouse, and by keyboard alone."""
    told = page.locator("#told")
    before = told.inner_text()
    box = page.locator("#map").bounding_box()
    assert box is not None
    page.locator("#map").scroll_into_view_if_needed()
    box = page.locator("#map").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 49, box["y"] + 8)
    assert "height 0" in told.inner_text() and told.inner_text() != before
    page.mouse.click(box["x"] + 49, box["y"] + 8)
    page.mouse.move(box["x"] + 49, box["y"] + 30)
    assert "height 0" in told.inner_text()  # a click keeps it
    page.locator("#go").focus()
    page.keyboard.press("Enter")
    assert "it was chosen" in told.inner_text()
    chosen = told.inner_text()
    page.keyboard.press("ArrowDown")
    assert told.inner_text() != chosen
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    assert told.inner_text() == chosen
    page.locator("#kind").select_option("2")
    hidden = page.locator("#hidden").get_attribute("d") or ""
    assert hidden.count("M") > 0
    page.locator("#kind").select_option("")
    assert not page.locator("#hidden").get_attribute("d")
    page.locator(".limit").first.select_option("0")
    assert page.locator("#hidden").get_attribute("d")
    page.locator(".limit").first.select_option(index=0)
    for summary in page.locator("summary").all():
        summary.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")


def main(chromium: str, report: str, shots: str) -> None:
    """Raises AssertionError for what is not as it should be; screenshots go to a folder."""
    folder = Path(shots)
    folder.mkdir(parents=True, exist_ok=True)
    url = Path(report).resolve().as_uri()
    stem = Path(report).stem
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scripts in (True, False):
            for scheme in ("light", "dark"):
                for name, width in WIDTHS.items():
                    options: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
                    context = browser.new_context(java_script_enabled=scripts, **options)
                    page = context.new_page()
                    said: list[str] = []
                    asked: list[str] = []
                    page.on("console", lambda message, said=said: said.append(message.text))
                    page.on("pageerror", lambda error, said=said: said.append(str(error)))
                    page.on("request", lambda request, asked=asked: asked.append(request.url))
                    page.goto(url)
                    assert page.locator("h1").inner_text() == "Release report"
                    assert page.locator("#map").count() == 0 or page.locator("#map").is_visible()
                    wider = page.evaluate("document.documentElement.scrollWidth") if scripts else width
                    assert wider <= width, f"{name}: {wider} pixels in {width}"
                    for bars in page.locator("table svg").all():
                        box = bars.bounding_box()
                        assert box and box["x"] + box["width"] <= width, f"{name}: bars end beyond the page"
                    if (scripts, scheme, name) == (True, "light", "wide"):
                        page.screenshot(path=folder / f"{stem}.png")  # as it opens, for the documentation
                    if scripts and page.locator("#map").count():
                        operated(page)
                    page.screenshot(path=folder / f"{stem}-{scheme}-{name}-{scripts}.png", full_page=True)
                    assert not said, said
                    assert asked == [url], asked
                    context.close()
        page = browser.new_page()
        page.goto(url)
        page.pdf(path=folder / f"{stem}.pdf", prefer_css_page_size=True)
        browser.close()


def printed(chromium: str, *reports: str) -> None:
    """The first page of each report fills one page of A4, and nothing of it is cut off on a screen of 390 pixels."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for report in reports:
            page = browser.new_page(viewport={"width": 390, "height": 844})
            page.goto(Path(report).resolve().as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, f"{report}: wider than the screen"
            whole = pages(page)
            page.evaluate("document.querySelectorAll('main > :not(.board)').forEach(part => part.remove())")
            assert (pages(page), whole > 1) == (1, True), f"{report}: {pages(page)} pages of {whole}"
        browser.close()


def pages(page: Page) -> int:
    """The pages of A4 on which a browser prints a report."""
    pdf = page.pdf(prefer_css_page_size=True)
    assert b"/MediaBox [0 0 594.95" in pdf or b"/MediaBox [0 0 595" in pdf, "not A4"
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


if __name__ == "__main__":
    (main if len(sys.argv) == 4 else printed)(*sys.argv[1:])
