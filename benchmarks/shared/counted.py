"""A lattice is counted once, and asked as a slider of the studio asks it: directly, and by its page.

``python -m benchmarks.shared.counted JOB`` prints seconds, CPU seconds and the seconds of each answer as JSON.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import starcloak as sc
from starcloak.commands.studio.screens import Screens
from starcloak.commands.studio.shared_state import SharedState

_ASKED = 50


def _timed(answers: Any) -> tuple[float, float]:
    began, cpu = time.perf_counter(), time.process_time()
    answers()
    return time.perf_counter() - began, time.process_time() - cpu


def _wait(state: SharedState, name: str) -> None:
    while (work := state.work(name)) is not None and work.state == "running":
        time.sleep(0.1)
    assert work is not None and work.state == "done", work and work.problem


if __name__ == "__main__":
    path, chance = Path(sys.argv[1]), random.Random(1)
    began, cpu = time.perf_counter(), time.process_time()
    lattice = sc.lattice(path)
    taken = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - cpu}
    asked = [(chance.randint(2, 100), f"{chance.choice([0, 0.01, 0.05])}") for _ in range(_ASKED)]
    state = SharedState(path)
    state.start("lattice")
    for name in ("table", "lattice"):
        _wait(state, name)
    screens = Screens(state)
    answers = [_timed(lambda k=k, share=share: lattice.at(k, share)) for k, share in asked]
    pages = [_timed(lambda k=k, share=share: screens.answer({"k": str(k), "suppression": share})) for k, share in asked]
    found = {"answers": answers, "pages": pages, "nodes": len(lattice), "rows": lattice.rows, "whole": lattice.complete}
    print(json.dumps({**taken, **found}))
