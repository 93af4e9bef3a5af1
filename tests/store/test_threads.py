"""The number of DuckDB's threads in a run."""

from __future__ import annotations

import subprocess
import sys

import pytest

ROW_GROUP = 122_880  # rows, in DuckDB

# The other tests let all runs have one thread; a process of its own does not.
RUN = """
import sys
import pandas
import starcloak as sc

rows, threads = int(sys.argv[1]), int(sys.argv[2]) or None
frame = pandas.DataFrame({"age": ["30", "40"] * (rows // 2)})
job = {"quasi_identifiers": {"age": "suppress"}, "requirement": {"k": 2}}
sc.run(job, frame=frame, resources=sc.Resources(threads=threads, trace=print))
"""


@pytest.mark.parametrize(
    ("rows", "threads", "one"),
    [(10, 0, True), (ROW_GROUP, 0, True), (ROW_GROUP + 2, 0, False), (10, 2, False)],
)
def test_a_run_over_one_row_group_takes_one_thread(rows: int, threads: int, one: bool) -> None:
    command = [sys.executable, "-c", RUN, str(rows), str(threads)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "set lock_configuration = true" in told
    assert ("set threads = 1" in told) is one
