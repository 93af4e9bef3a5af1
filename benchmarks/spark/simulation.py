"""What a larger table would cost on more cores: the tasks of a measured run, as many more of them as there are rows.

Every stage of every action is scheduled by itself, since one waits for the one before it: a task goes to the core that
is free first. Tasks are drawn from those that the stage had, so that stragglers are among them. What a cluster has
beside its cores is not in it: its network, its files' place, other people's jobs.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

ROWS = 10_000_000_000
CORES = 3_000
_SEED = 1
# Seconds that an action takes besides its tasks: planning, and what its tasks wait for.
_START = 0.5
# A stage that fetches no more puts the last few rows of an answer together: it has as many tasks on any table.
_FEW_BYTES = 1_000_000


def simulated(table: Mapping[str, Any], *, rows: int = ROWS, cores: int = CORES) -> dict[str, Any]:
    """The seconds of all stages, of all tasks and of the longest stage, for a table of so many ``rows``."""
    factor = rows / table["rows"]
    drawn = random.Random(_SEED)
    ends = []
    work = 0.0
    for stage in table["stages"]:
        grows = stage["read_bytes"] + stage["fetched_bytes"] > _FEW_BYTES
        tasks = _tasks(stage["seconds"], factor if grows else 1, drawn)
        ends.append(makespan(tasks, cores))
        work += math.fsum(tasks)
    return {
        "rows": rows,
        "cores": cores,
        "seconds": round(math.fsum(ends) + _START * table["actions"], 1),
        "task_seconds": round(work, 1),
        "longest_stage": round(max(ends, default=0.0), 1),
        "read_bytes": round(table["read_bytes"] * factor),
        "shuffled_bytes": round(table["shuffled_bytes"] * factor),
    }


def makespan(tasks: Sequence[float], cores: int) -> float:
    """When the last task ends, where each goes to the core that is free first, in their order."""
    free = [0.0] * min(cores, len(tasks))
    for seconds in tasks:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free, default=0.0)


def _tasks(measured: Sequence[float], factor: float, drawn: random.Random) -> list[float]:
    return list(measured) if factor == 1 else drawn.choices(measured, k=math.ceil(len(measured) * factor))
