"""Progress of a command in words: the step, what is known of it, its seconds, and the next step."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starcloak.commands.cli import say

#: The steps of a run, in their order.
STEPS = {
    "open": "opening the source",
    "compress": "counting equal rows",
    "compare": "comparing with the release before",
    "star": "preparing the hierarchies",
    "search": "searching for a generalization",
    "recode": "writing the release beside its place",
    "verify": "reading the release back and counting it",
    "insight": "looking for advice",
    "joint": "counting the release together with earlier ones",
    "fingerprint": "checking that the source has not changed",
    "publish": "publishing the release",
}
_NAMES = [*STEPS]
PAUSE = 30.0  # seconds between two lines, where standard error is no terminal


class Progress:
    """The progress of one command, from the texts of its stages."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._since = self._began
        self._step, self._text = "open", STEPS["open"]

    def update(self, text: str) -> None:
        """Set the stage to a text such as ``search: 12 of 40 nodes are not yet judged``."""
        step, _, details = text.partition(": ")
        if step != self._step:
            self._step, self._since = step, time.monotonic()
        self._text = f"{STEPS.get(step, step)}{': ' * bool(details)}{details}"

    @property
    def line(self) -> str:
        """The progress as one line."""
        now = time.monotonic()
        text = f"{self._text}, {now - self._since:.0f} s of {now - self._began:.0f} s"
        following = _NAMES[_NAMES.index(self._step) + 1 :] if self._step in STEPS else []
        return f"{text}; next: {STEPS[following[0]]}" if following else text


@contextmanager
def shown() -> Iterator[Callable[[str], None]]:
    """A function for texts of stages, shown on a terminal in a line that disappears, else in a line now and then."""
    progress = Progress()
    if not sys.stderr.isatty():
        with _repeated(lambda: say(f"starcloak: {progress.line}", err=True), PAUSE):
            yield progress.update
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(progress.line)) as status:

        def show() -> None:
            status.update(escape(progress.line))

        def update(text: str) -> None:
            progress.update(text)
            show()

        with _repeated(show, 1.0):
            yield update


@contextmanager
def _repeated(show: Callable[[], None], pause: float) -> Iterator[None]:
    """Show the progress again and again, ``pause`` seconds apart, whatever the main thread does."""
    done = threading.Event()

    def show_lines() -> None:
        while not done.wait(pause):
            show()

    # A daemon: nothing waits for it at the end of the process.
    threading.Thread(target=show_lines, daemon=True).start()
    try:
        yield
    finally:
        done.set()
