"""Long computations of a studio: each in a thread, with progress, and cancelled on request."""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from starcloak.base.errors import StarcloakError, without_passwords
from starcloak.base.interrupts import Ending
from starcloak.base.operating_system import interrupt, interruptible
from starcloak.job.result import Result
from starcloak.store.resources import Resources

State = Literal["running", "done", "failed", "cancelled"]

# Seconds between two interrupts of work that is cancelled.
_AGAIN = 0.1
# The folder of the package, which a checkout finds in the current folder if the studio was started there.
_ROOT = Path(__file__).resolve().parents[3]


class _Cancelled(BaseException):
    """Signal of a cancelled computation. It is no ``Exception``, so that no handler catches it."""


@dataclass(frozen=True)
class WorkContext:
    """Context of a computation: its resources, and ``report``, to be called with each partial result."""

    resources: Resources
    report: Callable[[Any], None]


class Work:
    """A computation in a thread for the ``text`` of a job: its ``state``, its progress, its ``result`` or ``problem``.

    While it runs, ``result`` is the last partial result, and ``parts`` the number of partial results so far.
    """

    def __init__(self, text: str, do: Callable[[WorkContext], Any]) -> None:
        self.text = text
        self.state: State = "running"
        self.result: Any = None
        self.parts = 0
        self.problem = ""
        self._progress = "begins"
        self._began = time.monotonic()
        self._ended = 0.0
        self._do = do
        self._ending = Ending()
        self._changing = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def progress(self) -> str:
        """The current step and the seconds since the start, in words."""
        return f"{self._progress}; {self.seconds:.0f} s so far"

    @property
    def seconds(self) -> float:
        """The seconds from the start until now, or until the end of a finished computation."""
        return (self._ended or time.monotonic()) - self._began

    def cancel(self) -> None:
        """Cancel the computation at once, even within a statement."""
        if self._end("cancelled"):
            threading.Thread(target=self._stop, daemon=True).start()

    def _stop(self) -> None:
        """Interrupt the thread and its running statements until the thread has ended."""
        raising = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raising(ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(_Cancelled))
        while self._thread.is_alive():
            self._ending.interrupt()
            self._thread.join(_AGAIN)

    def _end(self, state: State) -> bool:
        """Change the state from running to a final state; returns False if it was final already."""
        with self._changing:
            is_first = self.state == "running"
            self.state = state if is_first else self.state
        return is_first

    def _report(self, progress: str) -> None:
        if self.state == "cancelled":
            raise _Cancelled
        self._progress = progress

    def _report_part(self, part: Any) -> None:
        self.result, self.parts = part, self.parts + 1

    def _run(self) -> None:
        try:
            resources = Resources(progress=self._report, ending=self._ending)
            result = self._do(WorkContext(resources, self._report_part))
            with self._changing:
                if self.state == "running":
                    self.result, self.state, self._ended = result, "done", time.monotonic()
        except (_Cancelled, KeyboardInterrupt):  # a statement that was interrupted raises the second one
            self._end("cancelled")
        except StarcloakError as error:
            self._fail(without_passwords(str(error)))
        except Exception as error:  # a defect: without a value of any row
            self._fail(f"a defect of starcloak: {type(error).__name__}: please report it")

    def _fail(self, problem: str) -> None:
        with self._changing:
            if self.state == "running":
                self.problem, self.state = problem, "failed"


class RunProcess(Work):
    """The command ``starcloak run`` on a job's file, in a process of its own, so that no cancelling leaves half a
    release.
    """

    def __init__(self, path: Path, text: str) -> None:
        # Without the current folder, whose random.py or calendar.py would take the place of Python's own module.
        alone = [] if Path.cwd() == _ROOT else ["-P"]
        command = [sys.executable, *alone, "-X", "utf8", "-m", "starcloak", "run", str(path), "--json", "--verbose"]
        self._is_cancelled = False
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            **interruptible(),
        )
        super().__init__(text, self._wait)

    def cancel(self) -> None:
        """Interrupt the run as by Ctrl-C: it ends before publishing, or has published."""
        self._is_cancelled, self._progress = True, "the run is ended"
        with contextlib.suppress(OSError):
            interrupt(self._process)

    def _wait(self, context: WorkContext) -> Any:
        lines: list[str] = []
        listener = threading.Thread(target=self._listen, args=(lines,), daemon=True)
        listener.start()
        assert self._process.stdout is not None
        with self._process.stdout as output:
            printed = output.read()
        code = self._process.wait()
        listener.join(1)
        if code == 0:
            return Result.model_validate_json(printed)
        if self._is_cancelled:
            self.problem = lines[-1] if lines else ""
            raise _Cancelled
        raise StarcloakError(
            lines[-1]
            if lines
            else f"the run ended with exit code {code}: run the job with starcloak run to see the reason"
        )

    def _listen(self, lines: list[str]) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as messages:
            for line in messages:
                lines.append(line.strip())
                self._progress = lines[-1]
