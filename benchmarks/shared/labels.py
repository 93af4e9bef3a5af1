"""The labels of a job's values at some levels, for a release by hand: one table for each attribute, in a DuckDB file.

``python -m benchmarks.shared.labels JOB LEVELS FILE`` writes them; LEVELS is a level by attribute, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import duckdb

from benchmarks.shared.built import built
from benchmarks.shared.statement import statement
from starcloak.job import Job, load
from starcloak.statements.statement import Name


def write(job: Job, levels: Mapping[str, int], file: Path) -> None:
    """Write a table of values and labels for each attribute of the job."""
    with built(job) as star, duckdb.connect(str(file)) as connection:
        for dimension in star.dimensions:
            level = Name(f"level_{levels[dimension.attribute]}")
            labels = star.session.arrow(statement("labels", label=level, table=dimension.table))
            connection.register("labels", labels)
            connection.execute(f"create table {Name(dimension.attribute).sql()} as from labels")
            connection.unregister("labels")


if __name__ == "__main__":
    job, levels, file = sys.argv[1:]
    write(load(Path(job)), json.loads(levels), Path(file))
    print("{}")
