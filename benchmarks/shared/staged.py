"""The CPU and the wall clock of each stage of a run that keeps columns, as JSON.

``python -m benchmarks.shared.staged frame ROWS COLUMNS SEED`` runs on a data frame, of whose columns all but four are
kept; ``… adult KEPT`` from Adult's files to a CSV file in the working folder.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.shared import adult
from starcloak.releases.proposal import Clock
from starcloak.store.session import Session

_TEXTS, _SMALL = 1_000, 10


def _frame(rows: int, columns: int, seed: int) -> Any:
    """Quasi-identifiers, a sensitive column, and kept ones in turn: whole numbers, measurements, codes."""
    import numpy
    import pandas

    draw = numpy.random.default_rng(seed)

    def texts(letter: str, count: int) -> Any:
        return numpy.array([f"{letter}{number:05d}" for number in range(count)])[draw.integers(0, count, rows)]

    frame = {"age": draw.integers(0, 90, rows), "zip": texts("z", 400), "sex": texts("s", 2), "disease": texts("d", 30)}
    for number in range(columns - len(frame)):
        kinds = (
            lambda number: draw.integers(0, _SMALL ** (1 + number % 5), rows),
            lambda _: numpy.round(draw.normal(170, 10, rows), 1),
            lambda _: texts("v", _TEXTS),
        )
        frame[f"kept_{number}"] = kinds[number % len(kinds)](number)
    return pandas.DataFrame(frame)


def _measured(job: dict[str, Any], frame: Any = None) -> dict[str, Any]:
    """Wall-clock and CPU seconds by stage, and in all as ``total``."""
    import starcloak as sc

    cpu: dict[str, float] = {}
    stage = Clock.stage

    @contextmanager
    def timed(self: Clock, store: Session, name: str) -> Iterator[None]:
        began = time.process_time()
        with stage(self, store, name):
            yield
        cpu[name] = time.process_time() - began

    Clock.stage = timed  # type: ignore[method-assign]
    began = time.process_time()
    result = sc.run(job, frame=frame).result
    return {"seconds": result.seconds.model_dump(), "cpu": cpu | {"total": time.process_time() - began}}


def _main(kind: str, *numbers: str) -> dict[str, Any]:
    if kind == "adult":
        job = adult.job(4, k=5) | {"keep": list(adult.ATTRIBUTES[4 : 4 + int(*numbers)])}
        return _measured({**job, "output": {"path": "release.csv"}})
    frame = _frame(*map(int, numbers))
    hierarchies = {"age": {"intervals": [5, 10, 20]}, "zip": "suppress", "sex": "suppress"}
    kept = [name for name in frame if name.startswith("kept")]
    job = {"quasi_identifiers": hierarchies, "sensitive": ["disease"], "keep": kept, "requirement": {"k": 5}}
    return _measured(job, frame)


if __name__ == "__main__":
    print(json.dumps(_main(*sys.argv[1:])))
