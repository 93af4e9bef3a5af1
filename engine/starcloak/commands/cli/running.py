"""What a command runs with: the resources of its options, and progress on standard error."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from starcloak.base.interrupts import Ending
from starcloak.commands.cli.terminal import listen, say

if TYPE_CHECKING:
    from starcloak.store.resources import Resources

_PROGRESS = 30.0  # seconds between two lines of progress, where standard error is no terminal


@contextmanager
def resources_of(options: dict[str, Any], *, keep_going: bool = False) -> Iterator[Resources]:
    """The resources of a command.

    Progress is a line on standard error that goes away; where that is no terminal, a line now and then.
    """
    from starcloak.store.resources import Resources

    listen(verbose=options["verbose"])
    if not gc.isenabled():  # see __main__: what is imported is no garbage
        gc.freeze()
        gc.enable()
    ending = click.get_current_context().ensure_object(Ending)
    ending.keep_going = keep_going
    trace = (lambda sql: say(f"{sql};\n", err=True, exact=True)) if options["trace"] else None
    given: dict[str, Any] = {
        "memory_limit": options["memory_limit"],
        "threads": options["threads"],
        "trace": trace,
        "notice": lambda text: say(f"starcloak: warning: {text}", err=True),
        "ending": ending,
    }
    with ending.limited(options["timeout"]):
        if trace or options["quiet"]:
            yield Resources(**given)
        elif sys.stderr.isatty():
            from rich.console import Console

            with Console(stderr=True).status("open") as status:
                yield Resources(**given, progress=status.update)
        else:
            with _now_and_then() as progress:
                yield Resources(**given, progress=progress)


@contextmanager
def _now_and_then() -> Iterator[Callable[[str], None]]:
    """What tells a long run's stages to a log: a line now and then, whatever the main thread does."""
    began, done, stage = time.monotonic(), threading.Event(), ["open"]

    def show_stages() -> None:
        while not done.wait(_PROGRESS):
            say(f"starcloak: {stage[0]}, {time.monotonic() - began:.0f} s", err=True)

    # A daemon: nothing waits for it at the end of the process.
    teller = threading.Thread(target=show_stages, daemon=True)
    teller.start()
    try:
        yield lambda text: stage.__setitem__(0, text)
    finally:
        done.set()
