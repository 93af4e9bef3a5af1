"""Long computations: done by a thread, with progress, and ended if nobody waits any more."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from starcloak.base.errors import StarcloakError
from starcloak.base.operating_system import interrupt, interruptible
from starcloak.base.printable import without_passwords
from starcloak.job.result import Result
from starcloak.store.resources import Resources

State = Literal["running", "done", "failed", "cancelled"]


class _Cancelled(BaseException):
    """Signal that nobody waits any more. It is no error, so that no handler catches it."""


class Work:
    """One piece of work of a job's ``text``: its ``state``, its progress, its ``result`` or problem."""

    def __init__(self, text: str, do: Callable[[Resources], Any]) -> None:
        self.text = text
        self.state: State = "running"
        self.progress = "begins"
        self.result: Any = None
        self.problem = ""
        self._stop = threading.Event()
        self._do = do
        threading.Thread(target=self._run, daemon=True).start()

    def cancel(self) -> None:
        """End it at its next word of progress."""
        self._stop.set()

    def _report(self, progress: str) -> None:
        if self._stop.is_set():
            raise _Cancelled
        self.progress = progress

    def _run(self) -> None:
        try:
            self.result = self._do(Resources(progress=self._report))
            self.state = "done"
        except _Cancelled:
            self.state = "cancelled"
        except StarcloakError as error:
            self.problem, self.state = without_passwords(str(error)), "failed"
        except Exception as error:  # a defect: without a value of any row
            self.problem, self.state = f"a defect of starcloak: {type(error).__name__}: please report it", "failed"


class RunProcess(Work):
    """The command ``starcloak run`` on a job's file, in a process of its own: whatever ends, nothing is left half."""

    def __init__(self, path: Path, text: str) -> None:
        command = [sys.executable, "-X", "utf8", "-m", "starcloak", "run", str(path), "--json", "--verbose"]
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
        """As by Ctrl-C: the run ends before it publishes, or has published."""
        super().cancel()
        with contextlib.suppress(OSError):
            interrupt(self._process)

    def _wait(self, resources: Resources) -> Any:
        lines: list[str] = []
        listener = threading.Thread(target=self._listen, args=(lines,), daemon=True)
        listener.start()
        assert self._process.stdout is not None
        printed = self._process.stdout.read()
        code = self._process.wait()
        listener.join(1)
        if code == 0:
            return Result.model_validate_json(printed)
        if self._stop.is_set():
            self.problem = lines[-1] if lines else ""
            raise _Cancelled
        raise StarcloakError(lines[-1] if lines else f"the run ended with exit code {code}")

    def _listen(self, lines: list[str]) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            lines.append(line.strip())
            self.progress = lines[-1]
