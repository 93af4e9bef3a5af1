"""Early end of a run: by another thread, and on the command line by a signal.

Python runs a handler of signals only between two steps of the main thread, and a single statement may take minutes. So
a separate thread waits for signals, and all other threads block them. This thread interrupts the main thread and the
running statements; if they do not end, it removes the run's private files and ends the process. A run publishes nothing
before its end, and the publishing itself is not interrupted. Only the command line listens to signals: in other
programs they belong to the program.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from starcloak.base.signals import INTERRUPT, TIMEOUT, Signals

TYPE_CHECKING = False  # not typing's own, as its import takes time: no thread listens to signals yet
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn, Protocol

    class Store(Protocol):
        """A store with private files and running statements; ``statements`` counts the statements started so far."""

        statements: int

        def interrupt(self) -> None: ...

        def abandon(self) -> None: ...


NOTHING, PERHAPS, PUBLISHED = (
    "nothing was written",
    "the release may be published already: run again to be sure",
    "the release is published",
)

# Seconds from a signal to the forced end of the process; between two interrupts; for the last message, as a terminal
# may be stopped.
_PATIENCE, _AGAIN, _GOODBYE = 2.0, 0.1, 0.5


class Ending:
    """Handle for stopping a run from another thread.

    ``written`` is a message on the release: not written, perhaps published, or published. With ``keep_going``, the
    first Ctrl-C during a search able to stop early stops only this search.
    """

    def __init__(self) -> None:
        self.keep_going = False
        self.written = NOTHING
        self.signal: int | None = None
        #: Function for the text on standard output at an early end, from the kind of end, the message and the exit
        #: code;
        #: None after the output of an answer, or of a part of an answer.
        self.tells: Callable[[str, str, int], str] | None = None
        self._listening = False
        self._stores: list[Store] = []
        self._begun = False
        self._stopped: bool | None = None  # None without a search
        self._heard = False
        # Held by the run while it must not be ended, and by the thread while it ends the process.
        self._held = threading.Lock()

    # ------------------------------------------------------------------------------------------------------- for a run

    def watch(self, store: Store) -> None:
        """Register a store: an early end interrupts its statements and removes its private files."""
        self._stores.append(store)

    def forget(self, store: Store) -> None:
        """Unregister a closed store."""
        with suppress(ValueError):  # closed twice
            self._stores.remove(store)

    @contextmanager
    def searching(self) -> Iterator[Callable[[], bool]]:
        """Context of a search.

        Yields a function, to be called regularly by the search: true after a request to stop.
        """
        try:
            yield self._stop_asked
        finally:
            self._stopped = None

    def _stop_asked(self) -> bool:
        if self._stopped is None:
            self._stopped = False
        return self._stopped

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Context without an interrupt: signals wait for its end. Raises KeyboardInterrupt after an earlier signal."""
        with self._held:
            self._begun = True
            if self.signal is not None:
                self._heard = True
                raise KeyboardInterrupt
            yield

    @contextmanager
    def publishing(self, done: str = PUBLISHED) -> Iterator[None]:
        """Context of publishing, without an interrupt; ``done`` becomes the message on the release afterwards."""
        with self.undisturbed():
            if self.written == NOTHING:
                self.written = PERHAPS
            yield
            self.written = done

    # ---------------------------------------------------------------------------------------------- for another thread

    def stop(self) -> bool:
        """Ask the running search to end with its current result; false without a search able to stop early."""
        heeded = self._stopped is False
        if heeded:
            self._stopped = True
        return heeded

    def interrupt(self) -> None:
        """Interrupt the running statements of all stores. A starting statement may miss this: repeat the call."""
        for store in tuple(self._stores):
            with suppress(Exception):  # it is closed already
                store.interrupt()

    # ------------------------------------------------------------------------------------------------ the command line

    @contextmanager
    def limited(self, seconds: float | None) -> Iterator[None]:
        """Context with a time limit in seconds, ended as by a signal.

        No limit for None, or without :meth:`listening`.
        """
        if seconds is None or not self._listening:
            yield
            return
        withdraw = self._signals.limit(seconds)
        try:
            yield
        finally:
            withdraw()

    @contextmanager
    def listening(self, numbers: list[int]) -> Iterator[None]:
        """Context of listening to signals; a signal ends the process after a message of one line.

        To be entered by the main thread, with the signals ``numbers`` blocked, before other threads exist: new threads
        inherit the blocked signals.
        """
        self._signals = Signals(numbers)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        try:
            self._listener.start()
            self._listening = True
            self._signals.listen(self._interrupt)
            yield
        finally:
            with suppress(KeyboardInterrupt):  # from a signal at this moment
                self._held.acquire()
            if self.signal is not None:  # whatever else came of it, the run was ended
                self._leave()
            # A later signal cannot change the result and its message: signals stay blocked.

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """The handler in the main thread. It raises only once, since a second exception would hit the cleanup."""
        if self.signal is None:  # it came by an older thread without the blocking
            self._signals.pass_on(number, self._listener.ident or 0)
        elif not self._heard:
            self._heard = True
            raise KeyboardInterrupt

    def _listen(self) -> None:
        number = self._signals.wait()
        while number in (INTERRUPT, TIMEOUT) and self.keep_going and self.stop():
            number = self._signals.wait()
        with self._held:
            self.signal = number
            if not self._begun:  # nothing is there to clean up
                self._leave(by_force=True)
            self._silence()
            self._signals.strike(number)
        until = time.monotonic() + _PATIENCE
        with suppress(RuntimeError):  # if no more threads are possible
            threading.Thread(target=self._interrupt_stores, daemon=True).start()
        time.sleep(max(until - time.monotonic(), 0))
        with self._held:
            self._leave(by_force=True)

    def _interrupt_stores(self) -> None:
        """Interrupt the running statements until they end: a statement at its very start would miss a single interrupt.

        Later statements are part of the cleanup and are not interrupted.
        """
        under_way = [(store, store.statements) for store in tuple(self._stores)]
        time.sleep(_AGAIN / 5)  # for the main thread, if it is in none of them
        while True:
            for store, statement in under_way:
                with suppress(Exception):  # it is over already, or closed
                    if store.statements == statement:
                        store.interrupt()
            time.sleep(_AGAIN)

    def _silence(self) -> None:
        """Silence messages on errors caused by an interrupt."""
        sys.unraisablehook = lambda _: None
        threading.excepthook = lambda _: None
        if logging := sys.modules.get("logging"):
            logging.disable(logging.CRITICAL)

    def _leave(self, *, by_force: bool = False) -> NoReturn:
        """End the process with a message and the exit code 128 + signal.

        The interpreter does not shut down: a shutdown would wait for threads and report open resources.
        """
        assert self.signal is not None
        for store in tuple(self._stores):
            with suppress(Exception):  # nothing is to stop the end; the next run sweeps
                store.abandon()
        # By force, a line of progress may stand there, and no cursor.
        before = "\r\x1b[2K\x1b[?25h" if by_force and self._begun and os.isatty(2) else ""
        kind = "timed out" if self.signal == TIMEOUT else "interrupted"
        line = f"{kind}: {self.written}"
        text, fields = f"{before}starcloak: {line}\n", ""
        standard_error = _last_word()
        if self.tells is not None:
            fields = self.tells(kind.title().replace(" ", ""), line, 128 + self.signal) + "\n"
        with suppress(RuntimeError):  # if no more threads are possible
            goodbye = threading.Thread(target=_say, args=(standard_error, text.encode(), fields.encode()), daemon=True)
            goodbye.start()
            goodbye.join(_GOODBYE)
        os._exit(128 + self.signal)


def _last_word() -> int:
    """A copy of standard error; the original is silent from now on, as a thread may still draw progress there."""
    try:
        copy = os.dup(2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    except OSError:  # closed, or no more files may be opened
        return 2
    return copy


def _say(standard_error: int, text: bytes, fields: bytes) -> None:
    for stream, content in ((standard_error, text), (1, fields)):
        with suppress(OSError):  # nobody listens any more
            os.write(stream, content)
