"""Receipt of signals (Ctrl-C, termination, timeout) by the command line.

On POSIX systems all threads block signals, and one thread waits for them. Windows cannot block signals: there Python's
handler writes the number of a signal to a socket at once, even during a long statement, and the thread reads it.
"""

# The built-in part of signal: the module is imported first, and during other imports, Ctrl-C would print a traceback.
import _signal  # type: ignore[import-not-found]

TYPE_CHECKING = False  # not typing's own, as its import takes time
if TYPE_CHECKING:
    from collections.abc import Callable

#: Numbers by POSIX. Exit codes are 128 more, on every system.
INTERRUPT, BROKEN_PIPE, TIMEOUT = 2, 13, 14

_CAN_BLOCK = hasattr(_signal, "pthread_sigmask")
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGBREAK")


def block() -> list[int]:
    """Block the signals that end a program, except ignored ones, until a thread listens to them. Returns their numbers.

    nohup, and shells for background jobs, ignore some. If signals cannot be blocked, they end the process silently.
    """
    numbers = [getattr(_signal, name) for name in _NAMES if hasattr(_signal, name)]
    numbers = [number for number in numbers if _signal.getsignal(number) != _signal.SIG_IGN]
    if _CAN_BLOCK:
        _signal.pthread_sigmask(_signal.SIG_BLOCK, numbers)
    else:
        for number in numbers:
            _signal.signal(number, _signal.SIG_DFL)
    return numbers


class Signals:
    """Blocked signals, heard by one thread: :meth:`wait` runs in this thread, all else in the main thread."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        if not _CAN_BLOCK:
            import socket

            self._written, self._read = socket.socketpair()
            self._written.setblocking(False)

    def listen(self, handler: "Callable[..., object]") -> None:
        """Call ``handler`` in the main thread for each signal, as :func:`signal.signal` does."""
        if not _CAN_BLOCK:
            _signal.set_wakeup_fd(self._written.fileno(), warn_on_full_buffer=False)
        for number in self.numbers:
            _signal.signal(number, handler)

    def wait(self) -> int:
        """Wait for the next signal, and return its number. Ctrl-Break of Windows counts as an interrupt."""
        number: int = _signal.sigwait(self.numbers) if _CAN_BLOCK else self._read.recv(1)[0]
        return INTERRUPT if number == getattr(_signal, "SIGBREAK", None) else number

    def pass_on(self, number: int, listener: int) -> None:
        """Pass a signal on to the thread ``listener``, if the handler ran first. Nothing is to do on Windows."""
        if _CAN_BLOCK:
            _signal.pthread_kill(listener, number)

    def strike(self, number: int) -> None:
        """Make the main thread run the handler of a signal soon; called by the waiting thread."""
        import _thread

        _thread.interrupt_main(number if _CAN_BLOCK else INTERRUPT)  # type: ignore[arg-type]

    def limit(self, seconds: float) -> "Callable[[], object]":
        """Send the signal of a timeout after ``seconds``. Returns a function to cancel the timeout."""
        if _CAN_BLOCK:
            _signal.setitimer(_signal.ITIMER_REAL, seconds)
            return lambda: _signal.setitimer(_signal.ITIMER_REAL, 0)
        import threading

        timer = threading.Timer(seconds, self._written.send, [bytes([TIMEOUT])])
        timer.daemon = True
        timer.start()
        return timer.cancel
