"""A clock that measures the seconds of each stage of a run, such as open, search and verify."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starcloak.job.result import Seconds
from starcloak.store.session import Session

log = logging.getLogger("starcloak")


@dataclass
class Clock:
    """Seconds per stage of a run. If a stage is entered several times, its seconds are added up."""

    seconds: dict[str, float] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)

    @contextmanager
    def stage(self, store: Session, name: str) -> Iterator[None]:
        store.report(name)
        began = time.perf_counter()
        yield
        seconds = time.perf_counter() - began
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        log.info("%s: %.3f s", name, seconds)

    def total(self) -> Seconds:
        """Seconds of each stage, and the seconds since the clock was started as ``total``; both with four decimals."""
        total = time.perf_counter() - self.started
        return Seconds(**{name: round(value, 4) for name, value in self.seconds.items()}, total=round(total, 4))
