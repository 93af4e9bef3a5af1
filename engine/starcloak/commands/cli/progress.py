"""Progress of a command in words: the step, its details and seconds, the next step, and the time of the last run."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starcloak.commands.cli import say

if TYPE_CHECKING:
    from starcloak.job.result import Result

#: The steps of a run, in their order.
STEPS = {
    "open": "opening the source",
    "compress": "counting equal rows",
    "compare": "comparing with the previous release",
    "star": "preparing the hierarchies",
    "search": "searching for a generalization",
    "recode": "writing the release to a temporary place",
    "verify": "reading the release back and counting it",
    "insight": "looking for advice",
    "joint": "counting the release together with earlier releases",
    "fingerprint": "checking that the source has not changed",
    "publish": "publishing the release",
}
_NAMES = [*STEPS]
#: From this step on, a run makes a release; before it, a run may find that nothing has changed.
_CERTAIN = "star"
PAUSE = 30.0  # seconds between two lines, where standard error is no terminal


class Progress:
    """The progress of one command, updated by the texts of its stages."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._since = self._began
        self._step, self._text = "open", STEPS["open"]
        self.show: Callable[[], None] = lambda: None
        self._last: dict[str, float] = {}
        self._last_run = ""

    def expect(self, last: Result) -> None:
        """Use the seconds of the same job's last run as an estimate of this run."""
        self._last = last.seconds.model_dump()
        self._last_run = f"last run: {_duration(last.seconds.total)}, {last.rows:,} rows"

    def update(self, text: str) -> None:
        """Set the stage to a text such as ``search: 12 of 40 nodes are not yet judged``."""
        step, _, details = text.partition(": ")
        if step != self._step:
            self._step, self._since = step, time.monotonic()
        self._text = f"{STEPS.get(step, step)}{': ' * bool(details)}{details}"
        self.show()

    @property
    def line(self) -> str:
        """The progress as one line."""
        now = time.monotonic()
        parts = [f"{self._text}, {now - self._since:.0f} s of {now - self._began:.0f} s"]
        following = _NAMES[_NAMES.index(self._step) + 1 :] if self._step in STEPS else []
        if following:
            parts.append(f"next: {STEPS[following[0]]}")
        if self._last_run:
            parts.append(self._estimate(now - self._since, following))
        return "; ".join(parts)

    def _estimate(self, elapsed: float, following: Sequence[str]) -> str:
        """The estimated remaining time and the last run's time, in words.

        ``elapsed`` are the seconds of the current step, ``following`` the next steps. Only the last run's time is
        returned if this run is much slower, or may still end early.
        """
        last = self._last.get(self._step, 0)
        left = max(last - elapsed, 0) + sum(self._last.get(step, 0) for step in following)
        is_certain = self._step in _NAMES[_NAMES.index(_CERTAIN) :]
        if not is_certain or elapsed > 2 * last + 2 or left < 1:
            return self._last_run
        return f"about {_duration(left)} left ({self._last_run})"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@contextmanager
def shown() -> Iterator[Progress]:
    """Context that shows progress on standard error: one updated line on a terminal, else a new line at intervals."""
    progress = Progress()
    if not sys.stderr.isatty():
        with _repeated(lambda: say(f"starcloak: {progress.line}", err=True), PAUSE):
            yield progress
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(progress.line)) as status:

        def show() -> None:
            status.update(escape(progress.line))

        progress.show = show
        with _repeated(show, 1.0):
            yield progress


@contextmanager
def _repeated(show: Callable[[], None], pause: float) -> Iterator[None]:
    """Context with a thread that calls ``show`` every ``pause`` seconds."""
    done = threading.Event()

    def show_lines() -> None:
        while not done.wait(pause):
            show()

    # A daemon: a blocked standard error must not keep the process from its end.
    thread = threading.Thread(target=show_lines, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(1)  # no line may follow the result
