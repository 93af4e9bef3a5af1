"""Run by every Python process of a traced test, before anything else: which code of the engine does the test reach?

Python imports it by its name, from this folder, which the tracer puts on the path. It stands alone.
"""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType

_PLACE = os.environ.get("STARCLOAK_TRACE", "")
_ENGINE = os.environ.get("STARCLOAK_TRACE_ENGINE", "")


class _Tracer:
    def __init__(self) -> None:
        self._test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        self._file = os.open(f"{_PLACE}/{os.getpid()}.reached", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._seen: set[object] = set()
        self._statement = 0

    def begin(self, test: str) -> None:
        """What is reached from now on is of a test."""
        self._test = test
        self._seen = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        # By itself: comparing two codes looks into both.
        code = id(frame.f_code)
        if code not in self._seen:
            self._seen.add(code)
            file, name = frame.f_code.co_filename, frame.f_code.co_qualname
            if file.startswith(_ENGINE):
                self._tell(f"{file[len(_ENGINE) :]}:{name}")
                if name == "Statement.write":
                    self._statement = code
        if code == self._statement:
            asked = f"sql:{frame.f_locals['self'].path}:{frame.f_locals['dialect']}"
            if asked not in self._seen:
                self._seen.add(asked)
                self._tell(asked)

    def _tell(self, reached: str) -> None:
        """At once: the process may be killed."""
        os.write(self._file, f"{self._test!r}\t{reached}\n".encode())


if _PLACE:
    tracer = _Tracer()
    sys.settrace(tracer)
    threading.settrace(tracer)
