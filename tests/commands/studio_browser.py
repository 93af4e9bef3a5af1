"""Decides a job in a studio and releases it, by mouse or by keyboard: run by test_studio where playwright is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Error, Page, Route, sync_playwright

# Conditions are asked for from here: to wait in the page takes eval, which the policy of its pages forbids.
WIDTHS = {"wide": 1280, "narrow": 400}


class Hand:
    """Operates a page: by mouse, or by keyboard alone."""

    def __init__(self, page: Page, keyboard: bool) -> None:
        self.page, self.keyboard = page, keyboard

    def press(self, selector: str) -> None:
        """A link or a button that leads to another page."""
        if self.keyboard:
            self.tab_to(selector)
        with self.page.expect_navigation():
            if self.keyboard:
                self.page.keyboard.press("Enter")
            else:
                self.page.locator(selector).first.click()

    def tab_to(self, selector: str) -> None:
        """Reach an element as somebody without a mouse does."""
        for _ in range(300):
            try:
                if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                    return
            except Error:  # the page is on its way to another one
                self.page.wait_for_load_state()
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not reached by the keyboard")

    def choose(self, selector: str, option: str) -> None:
        """An option of a list, which is sent at once, or by Enter."""
        if self.keyboard:
            self.tab_to(selector)
            self.page.keyboard.type(option)
        with self.page.expect_navigation():
            if self.keyboard:
                self.page.keyboard.press("Enter")
            else:
                self.page.locator(selector).select_option(option)

    def write(self, selector: str, text: str) -> None:
        if self.keyboard:
            self.tab_to(selector)
            self.page.keyboard.press("Control+A")
            self.page.keyboard.type(text)
        else:
            self.page.locator(selector).fill(text)


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something that a page shows."""
    over = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < over, "it does not come"
        time.sleep(0.1)


def screenshots(page: Page, shots: Path | None, name: str) -> None:
    """The screen in both widths; nothing of it is wider than it."""
    for width, pixels in WIDTHS.items():
        page.set_viewport_size({"width": pixels, "height": 900})
        page.wait_for_load_state()  # a page whose styles have yet to come is as wide as its images
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= pixels, f"{name}: {wide} pixels in {pixels}"
        if shots is not None:
            page.screenshot(path=str(shots / f"{name}-{width}.png"), full_page=width == "wide")
    page.set_viewport_size({"width": WIDTHS["wide"], "height": 900})


def go(hand: Hand, screen: str) -> None:
    hand.press(f'nav a[href="/{screen}"]')
    until(lambda: hand.page.locator("h1").inner_text().lower() == screen)
    hand.page.wait_for_load_state()  # what answers to a key or a click is there


def counted(page: Page) -> None:
    """Wait for the end of a count, after which no page is loaded again by itself."""
    until(lambda: page.locator('[data-state="running"]').count() == 0)
    page.wait_for_load_state()


def cleaned(hand: Hand, shots: Path | None) -> None:
    """What was proposed is rejected, and accepted again."""
    page, reject, accept = hand.page, *(f'[aria-label="{word} the cleaning of sex"]' for word in ("Reject", "Accept"))
    hand.press(reject)
    page.locator(accept).wait_for()
    screenshots(page, shots, "cleaning")
    hand.press('form[action="/start"] button')
    page.locator(accept).wait_for(timeout=60_000)
    hand.press(accept)
    page.locator(reject).wait_for()


def filtered(hand: Hand) -> None:
    """A part of a name leaves the columns that have it."""
    page = hand.page
    rows = page.locator("#columns tbody tr:not([hidden])")
    every = rows.count()
    hand.write("input[data-filter]", "zi")
    until(lambda: rows.count() == 1)
    hand.write("input[data-filter]", "")
    page.keyboard.press("Backspace")
    until(lambda: rows.count() == every)


def grouped(hand: Hand) -> None:
    """Both values of a column become a group: one is dragged onto the other, or both are marked."""
    page, section = hand.page, 'section:has(input[value="sex"])'
    form, summary = f"{section} form[data-grouping]", f"{section} details:has(form[data-grouping]) > summary"
    field = page.locator('[aria-label="Hierarchy of sex"]')
    if hand.keyboard:
        hand.tab_to(summary)
        page.keyboard.press("Enter")
    else:
        page.locator(summary).click()
    boxes = [f"{form} .tree > li:nth-child({place})" for place in (1, 2)]
    if hand.keyboard:
        hand.tab_to(f"{form} [name=name]")
        page.keyboard.type("anybody")
        for box in boxes:
            hand.tab_to(f"{box} input")
            page.keyboard.press("Space")
        page.keyboard.press("Enter")
    else:
        page.drag_and_drop(f"{boxes[0]} label", f"{boxes[1]} label")
        page.keyboard.type("anybody")
        page.keyboard.press("Enter")
    until(lambda: field.count() == 1 and "anybody" in field.input_value())
    page.locator(f"{form} .group").wait_for(timeout=60_000)
    if not hand.keyboard:  # one of them leaves the group again
        page.drag_and_drop(f"{form} .group li label", f"{form} > .tree", target_position={"x": 3, "y": 3})
        until(lambda: field.count() == 1 and "'*'" in field.input_value())
        page.locator(f"{form} .group").wait_for(timeout=60_000)


def asked_for_model(hand: Hand) -> None:
    """One more privacy model, by the form that it has."""
    page, form = hand.page, 'form:has(input[value="l_diversity-distinct"])'
    for summary in (
        "#models ~ details > summary",
        'details details:has(input[value="l_diversity-distinct"]) > summary',
    ):
        if hand.keyboard:
            hand.tab_to(summary)
            page.keyboard.press("Enter")
        else:
            page.locator(summary).click()
    hand.write(f"{form} [name=set-l]", "2")
    hand.press(f"{form} button")
    page.get_by_text("l_diversity: {attribute: disease, l: 2}").wait_for()
    page.locator("#answer .facts").wait_for(timeout=120_000)


def decided(hand: Hand, shots: Path | None) -> None:
    """From a table to a verified release and its report."""
    page = hand.page
    assert page.locator("h1").inner_text() == "Decide"
    screenshots(page, shots, "decide")
    go(hand, "table")
    page.locator("tbody tr").first.wait_for(timeout=120_000)
    filtered(hand)
    screenshots(page, shots, "table")
    if page.locator("#cleaning").count():
        cleaned(hand, shots)
    hand.choose('select[aria-label="Role of disease"]', "keep")
    page.get_by_text("changes are not saved").wait_for()
    hand.press('form[action="/undo"] button')
    until(lambda: page.locator('select[aria-label="Role of disease"]').input_value() == "sensitive")
    go(hand, "hierarchies")
    counted(page)
    written = 'details:has([aria-label="Hierarchy of age"]) > summary'
    if hand.keyboard:
        hand.tab_to(written)
        page.keyboard.press("Enter")
    else:
        page.locator(written).click()
    hand.write('input[aria-label="Hierarchy of age"]', "{interwalls: [5]}")
    page.keyboard.press("Enter")
    page.locator("#wrong").wait_for()
    assert page.locator('input[aria-label="Hierarchy of age"]').input_value() == "{interwalls: [5]}"
    screenshots(page, shots, "hierarchies-wrong")
    form = 'form[data-kinds]:has(input[value="age"])'
    hand.write(f"{form} [name=intervals]", "10, 20")
    assert page.locator(f"{form} [value=intervals]").is_checked()
    page.keyboard.press("Enter")
    until(lambda: page.locator('input[aria-label="Hierarchy of age"]').input_value() == "{intervals: [10, 20]}")
    page.locator(".levels").first.wait_for(timeout=60_000)
    counted(page)
    grouped(hand)
    screenshots(page, shots, "hierarchies")
    go(hand, "requirement")
    page.locator("#answer .facts").wait_for(timeout=120_000)
    until(lambda: page.locator("#releases tbody tr").count() == 6, 300)  # each is shown when it is ready
    before = page.locator("#answer").inner_text()
    if hand.keyboard:
        hand.tab_to("#k-slider")
        for _ in range(6):
            page.keyboard.press("ArrowRight")
    else:
        page.locator("#k-slider").fill("11")
    until(lambda: page.locator("#answer").inner_text() != before)
    until(lambda: page.locator("#k").input_value() == "11")
    hand.press("button[formaction]")
    page.locator("#answer .facts").wait_for(timeout=120_000)
    asked_for_model(hand)
    hand.press('form:has(input[value="curve"]) button')
    page.wait_for_load_state()
    page.locator("#k-slider").fill("12")
    screenshots(page, None, "requirement")
    page.locator("img").wait_for(timeout=120_000)
    assert page.locator("#k").input_value() == "12"  # it moved while algorithms were compared
    screenshots(page, shots, "requirement")
    go(hand, "lattice")
    page.locator("#map").wait_for(timeout=120_000)
    hand.tab_to("#map")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#node h2").wait_for()
    if not hand.keyboard:
        told = page.locator("#node").inner_text()
        box = page.locator("#map").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 49, box["y"] + 8)
        until(lambda: page.locator("#node").inner_text() != told)
        page.locator("#go").click()
        page.locator("#map").press("Enter")
        until(lambda: "Satisfies" in page.locator("#node").inner_text())
    screenshots(page, shots, "lattice")
    # That node is taken, and what was in the file comes again: what follows is of it.
    hand.press('form[action="/levels"] button')
    page.get_by_text("changes are not saved").wait_for()
    go(hand, "release")
    assert "+" in page.locator("pre").first.inner_text() and "to:" in page.locator("pre").first.inner_text()
    hand.press('form[action="/reload"] button')
    go(hand, "requirement")
    hand.write("#k", "11")
    hand.press("button[formaction]")
    go(hand, "preview")
    hand.press('form:has(input[name="name"][value="preview"]) button')
    page.locator(".facts").wait_for(timeout=60_000)
    screenshots(page, shots, "preview")
    go(hand, "release")
    assert "k: 11" in page.locator("pre").first.inner_text()
    screenshots(page, shots, "release-before")
    hand.press('form:has(input[value="run"]) button')
    page.reload()  # in mid-run
    page.locator(".verdict").wait_for(timeout=120_000)
    screenshots(page, shots, "release")
    hand.tab_to('a[href="/report"]')
    with page.context.expect_page() as opened:
        page.keyboard.press("Enter")
    report = opened.value
    report.locator("h1").wait_for(timeout=60_000)
    assert "-anonymous" in report.locator(".verdict").inner_text()


def entered(page: Page, address: str) -> None:
    """A count that ends while a field has the focus does not load the page again."""
    running = '<div class="work" data-work="levels" data-state="running"><p></p></div></main>'
    held: list[Route] = []

    def counting(route: Route) -> None:
        reply = route.fetch()
        route.fulfill(response=reply, body=reply.text().replace("</main>", running))

    page.route("**/hierarchies", counting)
    page.route("**/work?*", lambda route: held.append(route))
    page.goto(f"{address}/hierarchies")
    page.locator("[name=intervals]").first.focus()
    until(lambda: page.locator("[data-work]").count() == 1 and bool(held))
    held[0].continue_()
    shown = page.get_by_role("link", name="Show it")
    shown.wait_for()
    page.unroute_all()
    with page.expect_navigation():
        shown.click()
    assert page.locator("[data-work]").count() == 0


def beside(first: Page, second: Page, address: str) -> None:
    """Two windows of one job, and an editor: none of them undoes what another one did."""
    second.goto(f"{address}/requirement")
    first.goto(f"{address}/requirement")
    Hand(first, False).write("#k", "7")
    Hand(first, False).press("button[formaction]")
    Hand(second, False).write("#suppression", "0.1")
    Hand(second, False).press("button[formaction]")
    assert "another window" in second.locator(".problem").inner_text()
    assert second.locator("h1").inner_text() == "Requirement" and second.locator("#suppression").input_value() == "0.1"
    go(Hand(second, False), "release")
    assert "+requirement: {k: 7, suppression: 0.01}" in second.locator("pre").first.inner_text()
    job = Path("job.yaml")
    edited = job.read_text().replace("k: 11", "k: 8")
    job.write_text(edited)
    Hand(second, False).press('form:has(input[value="run"]) button')
    assert "changed by another program" in second.locator(".problem").first.inner_text() and job.read_text() == edited
    Hand(second, False).press('form[action="/reload"] button')
    first.goto(f"{address}/requirement")
    assert first.locator("#k").input_value() == "8"


def main(chromium: str, address: str, how: str, shots: str) -> None:
    """Raises AssertionError for what is not as it should be; screenshots go to a folder, if one is named."""
    folder = Path(shots) if shots else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": 1280, "height": 900}, color_scheme="dark" if how == "keyboard" else "light"
        )
        context.set_default_timeout(20_000)
        said: list[str] = []
        asked: list[str] = []
        context.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: said.append(str(error.error)))
        context.on("request", lambda request: asked.append(request.url))
        page = context.new_page()
        page.goto(address)
        second = context.new_page()
        decided(Hand(page, how == "keyboard"), folder)
        second.goto(address.partition("/enter")[0] + "/release")
        assert "Verified" in second.locator("main").inner_text()
        entered(second, address.partition("/enter")[0])
        beside(page, second, address.partition("/enter")[0])
        stranger = browser.new_context().new_page()
        refused = stranger.goto(address)
        assert refused is not None and refused.status == 403
        # The wrong hierarchy is answered by 422, which a browser tells as an error.
        assert [text for text in said if "422" not in text] == []
        assert {
            url.partition("/enter")[0][: len(address.partition("/enter")[0])] for url in asked if url[:5] != "data:"
        } == {address.partition("/enter")[0]}
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
